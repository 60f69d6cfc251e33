# shellcheck shell=bash disable=SC2154,SC2034 # $root is set by the part, which reads $address
# Shared by the parts of bin/dev guest-test that run in the guest; $root is set before.
# Each check prints "ok NAME" or "FAIL NAME"; the part ends with: finish.

hmfs=$root/bin/hmfs
work=/tmp/guest-test
bad=0
# bin/dev guest-test has built everything; to look for newer sources over 9p takes seconds at each command.
export BUILDING_HMFS=yes
server=
address=
mkdir -p "$work"
# Under emulation the optimizing compiler costs more time than its code saves, and moving the archive of the JDK's classes to another
# address takes ten seconds at each start, because its pages come over 9p.
export HMFS_JAVA_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0"

# A handshake takes as long as the emulated processors need that share a busy machine: hmfs fs waits for it longer than 10 s.
export HADOOP_CONF_DIR=$work/conf
mkdir -p "$HADOOP_CONF_DIR"
cat >"$HADOOP_CONF_DIR/core-site.xml" <<'XML'
<configuration><property><name>fs.hmfs.connect.timeout</name><value>120s</value></property></configuration>
XML

# check NAME COMMAND…: the command must succeed.
check() {
    local name=$1
    shift
    if "$@" >"$work/out" 2>&1; then
        echo "ok $name"
    else
        echo "FAIL $name"
        tail -n 10 "$work/out" | sed 's/^/     /'
        bad=$((bad + 1))
        return 1
    fi
}

# refused NAME TEXT COMMAND…: the command must fail and say TEXT.
refused() {
    local name=$1 text=$2
    shift 2
    check "$name" fails_with "$text" "$@"
}
fails_with() {
    local text=$1 out
    shift
    if out=$(timeout 120 "$@" 2>&1); then
        printf 'it was not refused: %s\n' "$out"
        return 1
    fi
    printf '%s\n' "$out"
    [[ $out == *"$text"* ]]
}

# server_start ARG…: starts a server with $server and $address, and waits until it serves; its output is $work/server.
server_start() {
    local tries
    : >"$work/server"
    "$hmfs" server --port 0 "$@" >"$work/server" 2>&1 &
    server=$!
    for ((tries = 0; tries < 3000; tries++)); do
        if grep -q '^  stop ' "$work/server"; then
            address=$(sed -n 's|^ *address *hmfs://\([^ ]*\).*|\1|p' "$work/server")
            return 0
        fi
        if ! kill -0 "$server" 2>/dev/null; then
            cat "$work/server"
            return 1
        fi
        sleep 0.1
    done
    kill -KILL "$server"
    return 1
}

check_dax_mount() {
    check "/pmem is mounted with DAX" grep -q ' /pmem ext4 .*dax=always' /proc/mounts
}

# check_pmem_mode POOL: the server that was started serves the pool in mode pmem, without a log.
check_pmem_mode() {
    check "its mode is pmem, not emulated" grep -q '^ *mode *pmem: what was answered survives power failure$' "$work/server"
    check "its pool is mapped with MAP_SYNC" map_sync "$1"
    check "its pool has no log" test ! -e "$1.log"
}
# Each mapping of the file has the kernel's flag "sf", a synchronous fault, which MAP_SYNC alone gives.
map_sync() {
    awk -v file="$1" '
        /^[0-9a-f]+-[0-9a-f]+ / { mine = $NF == file }
        mine && /^VmFlags:/ { found = 1; print; if ($0 !~ / sf( |$)/) without = 1 }
        END { exit !found || without }' "/proc/$server/smaps"
}

# server_stop: a clean stop.
server_stop() {
    kill -TERM "$server"
    wait "$server"
}

# wait_for FILE PROCESS: until the file is there; fails when the process has ended before.
wait_for() {
    local tries
    for ((tries = 0; tries < 3000; tries++)); do
        [ ! -e "$1" ] || return 0
        kill -0 "$2" 2>/dev/null || return 1
        sleep 0.1
    done
    return 1
}

# pause FROM TO: waits for a random time, in milliseconds, and prints it.
pause() {
    local millis=$(($1 + (RANDOM * 32768 + RANDOM) % ($2 - $1)))
    echo "$millis ms"
    sleep "$((millis / 1000)).$(printf '%03d' $((millis % 1000)))"
}

finish() {
    [ "$bad" -eq 0 ]
    exit
}
