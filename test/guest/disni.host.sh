#!/usr/bin/env bash
# What disni.sh needs of this machine: the tests of hmfs-client, compiled, and a compiler for those of the native half.
set -u

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/test/guest/disni.host.sh}
. "$root/bin/lib/common.sh"
jdk_use_25

"$root/bin/lib/packages" gcc libc6-dev librdmacm-dev libibverbs-dev || exit
mvn_logged "compiling the tests of hmfs-client" "$root/target/guest/disni-tests.log" -pl hmfs-client test-compile
