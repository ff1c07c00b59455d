#!/bin/sh
# Install by apt what the tests call and this machine lacks. Nothing missing: nothing done,
# and the package lists are not even fetched.
set -eu

missing=""
# need PROGRAM PACKAGE: ask for PACKAGE unless PROGRAM can be found.
need() {
    for folder in $(echo "$PATH" | tr : ' ') /usr/sbin /sbin; do
        if [ -x "$folder/$1" ]; then return 0; fi
    done
    missing="$missing $2"
}

need qemu-system-x86_64 qemu-system-x86 # the virtual machine, emulated: no /dev/kvm needed
need debootstrap debootstrap            # its root file system
need cpio cpio                          # its initramfs
need xz xz-utils                        # its kernel's modules
need mke2fs e2fsprogs                   # its disks, made without a mount
need java default-jre-headless          # runs the broker
need mvn maven                          # fetches it
need openssl openssl                    # certificates of brokers
need ip iproute2                        # networks of their own for brokers and containers
need chromium chromium                  # opens the explorer as a person would
need dockerd docker.io                  # runs compose.yaml
need go golang-go                       # fetches a younger Go, which builds Compose
[ -x /bin/busybox ] || need busybox busybox-static # its first process

# Text of every script and emoji, so that a picture shows what a person would see.
case "$missing" in *chromium*) missing="$missing fonts-noto-core fonts-noto-color-emoji" ;; esac

if [ -z "$missing" ]; then exit 0; fi
if [ "$(id -u)" -ne 0 ]; then
    echo "the tests need, installed by root:$missing" >&2
    exit 4
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get -q update
# shellcheck disable=SC2086 # a list of words
apt-get -q install -y --no-install-recommends $missing
