#!/usr/bin/env bash
# Goal: a server on DAX that is killed under load keeps all that it has acknowledged.
# Method: in the guest, SIGKILL at random moments; after each, fsck and the comparison of hmfs bench acknowledged.
#   kill.sh ROUNDS
set -u

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/test/guest/kill.sh}
. "$root/test/guest/lib.sh"

rounds=${1:-10}
pool=/pmem/pool
records=$work/records

check "format" "$hmfs" format "$pool" --size 128M || finish
for ((round = 1; round <= rounds; round++)); do
    rm -f "$records/loading"
    check "round $round: a server starts" server_start --pool "$pool" --data-directory /pmem/data || finish
    "$hmfs" bench acknowledged --server "$address" --counts "$records" --load >"$work/client" 2>&1 &
    client=$!
    check "round $round: nothing differs, and the load begins" wait_for "$records/loading" "$client" || {
        cat "$work/client"
        finish
    }
    head -n 1 "$work/client"
    echo "round $round: killed after $(pause 200 5000) of load"
    check "round $round: the load still runs" kill -0 "$client"
    kill -KILL "$server" "$client"
    wait "$server" "$client" 2>/dev/null
    check "round $round: fsck finds the pool sound" "$hmfs" fsck "$pool" || finish
done
check "a server starts" server_start --pool "$pool" --data-directory /pmem/data || finish
check "nothing differs in the end" "$hmfs" bench acknowledged --server "$address" --counts "$records"
cat "$work/out"
check "the server stops cleanly" server_stop
finish
