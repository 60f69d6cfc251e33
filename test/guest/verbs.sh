#!/usr/bin/env bash
# Goal: the guest has verbs and a connection manager that work, on which tests of RDMA stand.
# Method: in the guest, rping between two processes over rxe0, data verified.
# shellcheck disable=SC2317 # check calls functions by their names
set -u

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/test/guest/verbs.sh}
. "$root/test/guest/lib.sh"

# ping SIZE COUNT: both ends must say that they are done.
ping() {
    local listener
    timeout 60 rping -s -a 192.0.2.1 -p 7174 -V -S "$1" -C "$2" &
    listener=$!
    sleep 1
    timeout 60 rping -c -a 192.0.2.1 -p 7174 -V -S "$1" -C "$2" && wait "$listener"
}

check "the port of rxe0 is active" eval 'rdma link show rxe0/1 | grep "state ACTIVE"'
check "verbs open the device" ibv_devinfo -d rxe0
check "rping with 64 bytes" ping 64 50
check "rping with 16 KiB" ping 16384 20
finish
