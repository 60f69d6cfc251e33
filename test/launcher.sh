#!/usr/bin/env bash
# Goal: bin/hmfs and its commands do what their help says, and every mistake gets one clear line.
# Method: runs them as a user would, and looks at exit code, standard output and standard error.
# Prints one line per check, "ok NAME" or "FAIL NAME", and last "N passed, N failed".
set -u

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/test/launcher.sh}
hmfs=$root/bin/hmfs
work=$(mktemp -d) || exit 1
disk=
server_pid=
good=0
bad=0

finish() {
    [ -z "$server_pid" ] || kill -KILL "$server_pid" 2>/dev/null
    rm -rf "$work" ${disk:+"$disk"}
}
trap finish EXIT

# run ARG…: bin/hmfs ARG…, with its results in $status, $out and $err.
run() {
    run_as "$hmfs" "$@"
}
run_as() {
    "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    out=$(cat "$work/out")
    err=$(cat "$work/err")
}

ok() {
    good=$((good + 1))
    echo "ok $1"
}
fail() {
    bad=$((bad + 1))
    echo "FAIL $1"
    printf '     exit %s\n     out: %s\n     err: %s\n' "$status" "$(tail -n 5 <<<"$out")" "$(tail -n 5 <<<"$err")"
}

# expect NAME STATUS [out=GLOB | err=GLOB | err-lines=N]…: judges the last run.
expect() {
    local name=$1 wanted=$2 condition
    shift 2
    if [ "$status" -ne "$wanted" ]; then
        fail "$name"
        return
    fi
    for condition in "$@"; do
        # shellcheck disable=SC2053 # the right side is a pattern
        case $condition in
            out=*) [[ $out == ${condition#out=} ]] ;;
            err=*) [[ $err == ${condition#err=} ]] ;;
            err-lines=*) [ "$(grep -c . <<<"$err")" -eq "${condition#err-lines=}" ] ;;
        esac || {
            fail "$name (wanted $condition)"
            return
        }
    done
    ok "$name"
}

# Without a launcher that starts, every check would fail with the same long story.
run version
expect "bin/hmfs starts" 0 'out=hmfs *java *'

run_as "$root/bin/dev" model --help
expect "bin/dev tells its commands" 0 'out=Usage: bin/dev COMMAND*'
run_as "$root/bin/dev" sim seven
expect "bin/dev refuses a seed that is no number" 1 'err=*seven*' err-lines=1
if [ "$bad" -ne 0 ]; then
    echo "$good passed, $bad failed"
    exit 1
fi

. "$root/test/cases-usage.sh"
. "$root/test/cases-server.sh"
. "$root/test/cases-fsck.sh"

echo "$good passed, $bad failed"
[ "$bad" -eq 0 ]
