#!/usr/bin/env bash
# Goal: a machine that loses power under load keeps all that its server has acknowledged.
# Method: SIGKILL of QEMU at random moments; the guest is started again on the same NVDIMM, and fsck and the comparison of
# hmfs bench acknowledged judge what is there. Each fourth cut falls into the start that follows the cut before.
#   power.sh CPUS ROUNDS       runs outside the guest; power-boot.sh is what runs within
set -u

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/test/guest/power.sh}

cpus=${1:-2}
rounds=${2:-50}
work=$(mktemp -d) || exit 1
guest=
# shellcheck disable=SC2317 # called by the trap
finish() {
    [ -z "$guest" ] || kill "$guest" 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 143' TERM INT
mkdir "$work/share"

# boot ARG…: a guest on the NVDIMM of all boots.
boot() {
    "$root/bin/lib/guest" --time 900 --cpus "$cpus" --nvdimm "$work/nvdimm" --pid-file "$work/pid" --share "$work/share" \
        bash "$root/test/guest/power-boot.sh" "$@"
}

failed() {
    echo "FAIL round $round: $*"
    exit 1
}

# The delays repeat with the seed; how far the guest is by then does not.
RANDOM=${HMFS_GUEST_SEED:=$((RANDOM % 32768))}
echo "seed of the delays: $HMFS_GUEST_SEED"
what=format
for ((round = 1; round <= rounds; round++)); do
    rm -f "$work/share/records/loading" "$work/share/starting" "$work/pid"
    moment=records/loading within=5000
    if [ $((round % 4)) -eq 0 ]; then
        moment=starting within=20000
    fi
    boot "$what" >"$work/boot" 2>"$work/errors" &
    guest=$!
    while [ ! -e "$work/share/$moment" ]; do
        if ! kill -0 "$guest" 2>/dev/null; then
            cat "$work/boot" "$work/errors"
            failed "the guest ended before the power cut"
        fi
        sleep 0.1
    done
    millis=$((100 + (RANDOM * 32768 + RANDOM) % within))
    sleep "$((millis / 1000)).$(printf '%03d' $((millis % 1000)))"
    kill -KILL "$(cat "$work/pid")" || failed "QEMU had ended"
    wait "$guest"
    status=$?
    guest=
    cat "$work/boot"
    [ "$status" -eq 125 ] || failed "the guest ended with status $status before the power cut"
    ! grep -q '^FAIL' "$work/boot" || failed "see above"
    echo "ok round $round: power cut $millis ms after $moment"
    what=load
done
boot check 2>"$work/errors" || {
    cat "$work/errors"
    failed "the last check"
}
echo "ok the last check"
