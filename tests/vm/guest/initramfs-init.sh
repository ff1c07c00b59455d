#!/bin/busybox sh
# First process in the initramfs: load the disk driver, mount the root, hand over.
/bin/busybox mount -t devtmpfs devtmpfs /dev
/bin/busybox mount -t proc proc /proc
/bin/busybox insmod /virtio_blk.ko
tries=0
until [ -b /dev/vdb ] || [ "$tries" -ge 100 ]; do
    /bin/busybox usleep 50000
    tries=$((tries + 1))
done
# noatime: a read must not become a write that the tests would see on the disk.
/bin/busybox mount -t ext4 -o noatime /dev/vda /new
/bin/busybox mount -t ext4 -o noatime /dev/vdb /new/repo
/bin/busybox umount /proc
/bin/busybox mount --move /dev /new/dev
exec /bin/busybox switch_root /new /bin/sh /repo/tests/vm/guest/init.sh
