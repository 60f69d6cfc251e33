#!/usr/bin/env bash
# Goal: a pool on a DAX file system is served in mode pmem through MAP_SYNC, and no other pool is.
# Method: in the guest, format, server, fs and fsck as a user runs them; the kernel's flags of the mapping.
#   dax.sh [--short]     --short leaves out what the server refuses, and the bytes of the file
# shellcheck disable=SC2317 # check calls functions by their names
set -u

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/test/guest/dax.sh}
. "$root/test/guest/lib.sh"

short=${1:-}
pool=/pmem/pool

# Each mapping of the file has the kernel's flag "sf", a synchronous fault, which MAP_SYNC alone gives.
map_sync() {
    awk -v file="$1" '
        /^[0-9a-f]+-[0-9a-f]+ / { mine = $NF == file }
        mine && /^VmFlags:/ { found = 1; print; if ($0 !~ / sf( |$)/) without = 1 }
        END { exit !found || without }' "/proc/$server/smaps"
}

listing() {
    "$hmfs" fs --server "$address" -ls -R /
}

check "/pmem is mounted with DAX" grep -q ' /pmem ext4 .*dax=always' /proc/mounts
refused "format refuses mode pmem on tmpfs" "would not be on DAX persistent memory" \
    "$hmfs" format /dev/shm/pool --size 64M --persistence pmem
if [ "$short" != --short ]; then
    check "a pool on tmpfs for the mode process" "$hmfs" format /dev/shm/pool --size 64M --persistence process
    refused "server refuses mode pmem on tmpfs" "not on DAX persistent memory" \
        "$hmfs" server --port 0 --pool /dev/shm/pool --data-directory "$work/data" --persistence pmem
fi

check "format on /pmem makes a pool without a log" "$hmfs" format "$pool" --size 64M
check "it has no log" test ! -e "$pool.log"
check "a server on it starts" server_start --pool "$pool" --data-directory /pmem/data || finish
check "its mode is pmem, not emulated" grep -q '^ *mode *pmem: what was answered survives power failure$' "$work/server"
check "its pool is mapped with MAP_SYNC" map_sync "$pool"
head -c 300000 /dev/urandom >"$work/file"
check "fs makes directories" "$hmfs" fs --server "$address" -mkdir -p /a/b /c
check "fs puts a file" "$hmfs" fs --server "$address" -put "$work/file" /a/b/file
listing >"$work/before" 2>&1
check "the listing has the file" grep -q ' /a/b/file$' "$work/before"
check "the server stops cleanly" server_stop
check "fsck finds the pool sound" "$hmfs" fsck "$pool"
check "the server starts again" server_start --pool "$pool" --data-directory /pmem/data || finish
listing >"$work/after" 2>&1
check "the listing is the same" diff "$work/before" "$work/after"
if [ "$short" != --short ]; then
    "$hmfs" fs --server "$address" -cat /a/b/file >"$work/copy" 2>/dev/null
    check "the file has the same bytes" cmp "$work/file" "$work/copy"
fi
check "the server stops cleanly again" server_stop

if [ "$short" != --short ]; then
    check "/pmem is mounted again, without DAX" eval 'umount /pmem && mount -o dax=never /dev/pmem0 /pmem'
    refused "server refuses the pool on a file system that lost DAX" "not on DAX persistent memory" \
        "$hmfs" server --port 0 --pool "$pool" --data-directory /pmem/data
    refused "server refuses mode pmem there" "not on DAX persistent memory" \
        "$hmfs" server --port 0 --pool "$pool" --data-directory /pmem/data --persistence pmem
fi
finish
