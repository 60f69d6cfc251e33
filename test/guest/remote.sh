#!/usr/bin/env bash
# Goal: attributes of hot files are read in the server's memory by RDMA, and are true after a change.
# Method: in the guest, server and fs as a user runs them, over soft-RoCE: one process looks at one file again and again; the server's
# figures tell how many stats it has answered itself.
# shellcheck disable=SC2317 # check calls functions by their names
set -u

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/test/guest/remote.sh}
. "$root/test/guest/lib.sh"

pool=/dev/shm/pool
times=300

fs() {
    "$hmfs" fs --server "$address" -D fs.hmfs.transport=rdma "$@"
}

# A figure of the server, from hmfs status --json; that of stats is how many it has answered.
figure() {
    "$hmfs" status --timeout 60s --server "$address" --json | sed "s/.*\"$1\": *\([0-9]*\).*/\1/"
}
stats() {
    "$hmfs" status --timeout 60s --server "$address" --json | sed -n 's/.*"stat": *{"requests": *\([0-9]*\).*/\1/p'
}
at_least() {
    local now
    now=$(figure "$1")
    echo "$1: $now"
    [ "$now" -ge "$2" ]
}

# look FILE: one process looks at it so many times, and prints its mode each time.
look() {
    local i names=()
    for ((i = 0; i < times; i++)); do
        names+=("$1")
    done
    fs -stat %a "${names[@]}"
}

# read_there FILE MODE: it has this mode each time, and the server has answered at most a third of the stats.
# asked_for FILE MODE: and the server has answered all.
read_there() {
    looked "$@" && [ "$answered" -le $((times / 3)) ]
}
asked_for() {
    looked "$@" && [ "$answered" -ge "$times" ]
}
looked() {
    local before after seen
    before=$(stats)
    seen=$(look "$1" | sort | uniq -c | sed 's/^ *//')
    after=$(stats)
    answered=$((${after:-0} - ${before:-0}))
    echo "modes: $seen; stats that the server has answered: $answered"
    [ "$seen" = "$times $2" ]
}

check "format" "$hmfs" format "$pool" --size 64M --persistence process
check "a server that lets clients read starts" server_start --host 192.0.2.1 --pool "$pool" --persistence process \
    --data-directory "$work/data" --rdma on --remote-stat-directories 4 || finish
check "fs makes a directory for all, and one for its owner" fs -mkdir -p /open /closed
check "fs makes files" fs -touchz /open/f /closed/f
check "the one is closed" fs -chmod 700 /closed
check "a hot file is read in the server's memory" read_there /open/f 644
check "its directory has a table" at_least remoteStatDirectories 1
check "its attributes were put there" at_least remoteStatRecords 1
check "fs changes its mode" fs -chmod 640 /open/f
check "the new one is read" read_there /open/f 640
check "what not all may pass is asked for" asked_for /closed/f 644
check "the directory is closed" fs -chmod 700 /open
check "from then on it is asked for" asked_for /open/f 640
check "the server stops cleanly" server_stop
finish
