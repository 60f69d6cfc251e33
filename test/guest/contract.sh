#!/usr/bin/env bash
# Goal: what Hadoop asks of a filesystem holds over RDMA as over TCP.
# Method: in the guest, Hadoop's own contract tests, each class in one JVM with all others, against a server that is reached by RDMA only.
#   contract.sh [CLASS…]     classes of HmfsContracts, such as Rename (all)
set -u

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/test/guest/contract.sh}
. "$root/test/guest/lib.sh"
. "$root/bin/lib/common.sh"
jdk_use_25

prepared=$root/target/guest/contract
pool=/dev/shm/pool
if [ $# -eq 0 ]; then
    for file in "$prepared"/classes/io/hmfs/hadoop/HmfsContracts\$*.class; do
        name=${file##*\$}
        [ "$name" = Contract.class ] || set -- "$@" "${name%.class}"
    done
fi
classes=()
for name in "$@"; do
    classes+=("--select-class=io.hmfs.hadoop.HmfsContracts\$$name")
done

contracts() {
    # shellcheck disable=SC2086 # options are words
    "$JAVA_HOME/bin/java" $HMFS_JAVA_OPTS -Xmx1g "-Dhmfs.contract.address=hmfs://$address" -cp "$(cat "$prepared/classpath")" \
        org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors --fail-if-no-tests \
        --details=tree "${classes[@]}"
}

# Packets that the device has sent.
sent() {
    cat /sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts
}

check "format" "$hmfs" format "$pool" --size 64M --persistence process
check "a server with rdma on starts" server_start --host 192.0.2.1 --pool "$pool" --persistence process \
    --data-directory "$work/data" --rdma on || finish
before=$(sent)
check "Hadoop's contract tests" contracts
grep -E '^\[ *[0-9]+ tests|\[X\]' "$work/out"
tests=$(sed -n 's/^\[ *\([0-9]*\) tests successful.*/\1/p' "$work/out")
echo "packets: $(($(sent) - before))"
check "they went by RDMA" test $(($(sent) - before)) -gt "${tests:-1000000000}"
check "the server stops cleanly" server_stop
finish
