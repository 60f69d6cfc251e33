#!/usr/bin/env bash
# Goal: clients reach a server by RDMA, when they want to and by themselves, and fall back to TCP.
# Method: in the guest, format, server and fs as a user runs them, over soft-RoCE; the counters of the device tell which way was taken.
# shellcheck disable=SC2317 # check calls functions by their names
set -u

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/test/guest/rdma.sh}
. "$root/test/guest/lib.sh"

pool=/dev/shm/pool

# fs TRANSPORT ARG…
fs() {
    local transport=$1
    shift
    "$hmfs" fs --server "$address" -D "fs.hmfs.transport=$transport" "$@"
}

# Packets that the device has sent.
sent() {
    cat /sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts
}

# by_rdma COMMAND…: the command succeeds, and the device has sent some packets for it; by_tcp: none.
by_rdma() {
    local before
    before=$(sent)
    "$@" || return 1
    echo "packets: $(($(sent) - before))"
    [ $(($(sent) - before)) -gt 4 ]
}
by_tcp() {
    local before
    before=$(sent)
    "$@" || return 1
    [ "$(sent)" -eq "$before" ]
}

# A figure of the server, from hmfs status --json by RDMA.
figure() {
    "$hmfs" status --timeout 60s --server "hmfs+rdma://$address" --json | sed "s/.*\"$1\": *\"\{0,1\}\([^,\"}]*\).*/\1/"
}

# at_least NAME N: a figure is N or more. is NAME TEXT: it is that.
at_least() {
    local now
    now=$(figure "$1")
    echo "$1: $now"
    [ "$now" -ge "$2" ]
}
is() {
    local now
    now=$(figure "$1")
    echo "$1: $now"
    [ "$now" = "$2" ]
}

check "format" "$hmfs" format "$pool" --size 64M --persistence process
check "a server with rdma on starts" server_start --host 192.0.2.1 --pool "$pool" --persistence process \
    --data-directory "$work/data" --rdma on || finish
check "its banner tells RDMA" grep -q 'and rdma' "$work/server"
check "fs makes a directory by RDMA" by_rdma fs rdma -mkdir -p /d/e
check "auto goes by RDMA" by_rdma fs auto -touchz /d/f
check "tcp goes by TCP" by_tcp fs tcp -touchz /d/g
fs tcp -ls -R / >"$work/tcp" 2>&1
fs rdma -ls -R / >"$work/rdma" 2>&1
check "the listing has what was made" grep -q ' /d/g$' "$work/rdma"
check "both ways list the same" diff "$work/tcp" "$work/rdma"
head -c 3000000 /dev/urandom >"$work/file"
check "fs puts a file by RDMA" by_rdma fs rdma -put "$work/file" /d/file
check "it was read from the client's memory" at_least rdmaReadBytes 2500000
check "a file by an address of RDMA" by_rdma "$hmfs" fs -put "$work/file" "hmfs+rdma://$address/d/again"
"$hmfs" fs -ls "hmfs+rdma://$address/d" >"$work/listing" 2>&1
check "its paths have that scheme" grep -q "hmfs+rdma://$address/d/again" "$work/listing"
fs rdma -cat /d/file >"$work/copy" 2>/dev/null
check "it was written into the client's memory" at_least rdmaWrittenBytes 2500000
check "the status says that it goes by RDMA" is connectionBy rdma
check "the server tells so too" at_least connectionsRdma 1
check "the file has the same bytes" cmp "$work/file" "$work/copy"
kill -KILL "$server"
wait "$server" 2>/dev/null
refused "a server that was killed is not reached" "cannot connect" \
    "$hmfs" fs --server "$address" -D fs.hmfs.transport=rdma -ls /
check "it starts again" server_start --host 192.0.2.1 --pool "$pool" --persistence process \
    --data-directory "$work/data" --rdma on || finish
check "all is there, by RDMA" by_rdma fs rdma -test -e /d/file
check "the server stops cleanly" server_stop
check "a server with rdma off starts" server_start --host 192.0.2.1 --pool "$pool" --persistence process \
    --data-directory "$work/data" --rdma off || finish
check "auto goes by TCP" by_tcp fs auto -test -e /d/f
refused "rdma is refused" "by RDMA" "$hmfs" fs --server "$address" -D fs.hmfs.transport=rdma -ls /
check "the server stops cleanly again" server_stop
finish
