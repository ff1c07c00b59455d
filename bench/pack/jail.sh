#!/bin/sh
# Run a command where a task's paths lie, in a memory cgroup; as root, in a mount namespace of
# its own (started by `unshare --mount`). Arguments: root, cgroup, Python prefix, command.
set -e
root=$1 cgroup=$2 prefix=$3
shift 3
for name in bin etc lib lib32 lib64 sbin usr; do
    [ -e "/$name" ] || continue
    if [ -L "/$name" ]; then
        [ -L "$root/$name" ] || cp -P "/$name" "$root/$name"
    else
        mkdir -p "$root/$name"
        mount --rbind "/$name" "$root/$name"
    fi
done
mkdir -p "$root$prefix" "$root/dev" "$root/proc"
mount --rbind "$prefix" "$root$prefix"
mount --rbind /dev "$root/dev"
mount --rbind /proc "$root/proc"
echo $$ > "$cgroup/cgroup.procs"
exec chroot "$root" /bin/sh -c 'cd /app && exec /bin/sh -c "$1"' sh "$1"
