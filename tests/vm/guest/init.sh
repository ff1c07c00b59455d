#!/bin/sh
# PID 1 of the guest: mount what a real machine has, start the agent, then reap for ever.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
export PYTHONPATH=/repo:/repo/.site PYTHONUNBUFFERED=1

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p /dev/pts /dev/shm
ln -s /proc/self/fd /dev/fd
ln -s /proc/self/fd/0 /dev/stdin
ln -s /proc/self/fd/1 /dev/stdout
ln -s /proc/self/fd/2 /dev/stderr
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /run
ip link set lo up 2>/dev/null
hostname guest

# The root is the one cgroup that may hold processes and pass its controllers on.
for controller in $(cat /sys/fs/cgroup/cgroup.controllers); do
    echo "+$controller" > /sys/fs/cgroup/cgroup.subtree_control
done
# Kills must be told as a real machine tells them, however many a test causes.
echo 0 > /proc/sys/kernel/printk_ratelimit
echo 1 > /proc/sys/kernel/printk # the console is for the kernel's last words only

python3 /repo/tests/vm/guest/agent.py &
# `wait` reaps orphans too; it returns when the agent ends, which it does only by fault.
wait
echo "guest: the agent ended"
echo o > /proc/sysrq-trigger
sleep 60
