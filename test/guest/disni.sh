#!/usr/bin/env bash
# Goal: the native half of DiSNI, and Verbs over it, work over a real device.
# Method: in the guest, native/disni/test.c under the address sanitizer, and the program VerbsGuest of hmfs-client's tests, in short
# on JDK 17 too. hmfs-client and its tests must be built.
#   test/guest/disni.sh [ADDRESS]    ADDRESS of the device (192.0.2.1)
set -u

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/test/guest/disni.sh}
address=${1:-192.0.2.1}
. "$root/bin/lib/common.sh"
jdk_use_25
bad=0

# Under emulation the optimizing compiler costs more time than its code saves.
verbs() {
    "$@" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$root/hmfs-client/target/classes:$root/hmfs-client/target/test-classes" \
        io.hmfs.client.transport.rdma.VerbsGuest "$address" $parts || bad=1
}

if "$root/native/build" disni-test "$(mktemp -d)/disni-test"; then
    echo "ok native methods"
else
    echo "FAIL native methods"
    bad=1
fi
if java17=$(jdk_find_17); then
    echo "on JDK 17, without flags:"
    parts="privateData messages" verbs "$java17/bin/java"
fi
echo "on JDK 25:"
parts='' verbs "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED
exit "$bad"
