#!/usr/bin/env bash
# What power.sh runs in the guest at each boot.
#   power-boot.sh format    makes the pool, then server and load
#   power-boot.sh load      fsck, server, comparison of all that was acknowledged, then load until the power is cut
#   power-boot.sh check     the same without load, and a clean stop
set -u

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/test/guest/power-boot.sh}
. "$root/test/guest/lib.sh"

pool=/pmem/pool
records=/share/records # on the host: what stands there has survived the power cut

check_dax_mount || finish
if [ "$1" = format ]; then
    check "format" "$hmfs" format "$pool" --size 128M || finish
fi
: >/share/starting
[ "$1" = format ] || check "fsck finds the pool sound" "$hmfs" fsck "$pool" || finish
check "a server starts" server_start --pool "$pool" --data-directory /pmem/data || finish
check_pmem_mode "$pool"
if [ "$1" = check ]; then
    check "nothing differs" "$hmfs" bench acknowledged --server "$address" --counts "$records"
    cat "$work/out"
    check "the server stops cleanly" server_stop
    finish
fi
"$hmfs" bench acknowledged --server "$address" --counts "$records" --load
echo "FAIL the load ended with status $?"
exit 1
