#!/usr/bin/env bash
# Goal: a pool on a DAX file system is served in mode pmem through MAP_SYNC, and no other pool is.
# Method: in the guest, format, server, fs and fsck as a user runs them; the kernel's flags of the mapping.
# shellcheck disable=SC2317 # check calls functions by their names
set -u

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/test/guest/dax.sh}
. "$root/test/guest/lib.sh"

pool=/pmem/pool

listing() {
    "$hmfs" fs --server "$address" -ls -R /
}

check_dax_mount
refused "format refuses mode pmem on tmpfs" "would not be on DAX persistent memory" \
    "$hmfs" format /dev/shm/pool --size 64M --persistence pmem
check "a pool on tmpfs for the mode process" "$hmfs" format /dev/shm/pool --size 64M --persistence process
refused "server refuses mode pmem on tmpfs" "not on DAX persistent memory" \
    "$hmfs" server --port 0 --pool /dev/shm/pool --data-directory "$work/data" --persistence pmem

check "format on /pmem makes a pool without a log" "$hmfs" format "$pool" --size 64M
check "a server on it starts" server_start --pool "$pool" --data-directory /pmem/data || finish
check_pmem_mode "$pool"
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
"$hmfs" fs --server "$address" -cat /a/b/file >"$work/copy" 2>/dev/null
check "the file has the same bytes" cmp "$work/file" "$work/copy"
check "the server stops cleanly again" server_stop

check "/pmem is mounted again, without DAX" eval 'umount /pmem && mount -o dax=never /dev/pmem0 /pmem'
refused "server refuses the pool on a file system that lost DAX" "not on DAX persistent memory" \
    "$hmfs" server --port 0 --pool "$pool" --data-directory /pmem/data
refused "server refuses mode pmem there" "not on DAX persistent memory" \
    "$hmfs" server --port 0 --pool "$pool" --data-directory /pmem/data --persistence pmem
finish
