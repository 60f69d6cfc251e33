#!/usr/bin/env bash
# Goal: pools on DAX memory keep what was answered, in mode pmem, and memory that cannot keep it is refused in one line.
# Method: the steps of io.hmfs.trials.dax.DaxTrial in a guest with an NVDIMM, first on a file below /pmem (ext4 with dax=always), then on
# the same memory as device DAX, with both backings. Between the steps the memory is changed. What an emulated NVDIMM has not,
# eADR, bad blocks of a device and another size of it, is laid over sysfs; a bad block of the disk is told to the driver, which fails reads of it then.
# Only as root in a guest: what stood below /pmem is lost. "engine" leaves the refusals out. Prints one line for each thing that was
# looked at, "ok NAME" or "FAIL NAME", and last "N passed, N failed".
set -u

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/test/guest/devdax.sh}
. "$root/bin/lib/common.sh"
jdk_use_25
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

if ! findmnt /pmem >/dev/null || [ ! -e /sys/bus/nd ]; then
    die "devdax.sh runs in a guest that has persistent memory at /pmem"
fi
class_path=$(echo "$root"/test/trials/target/hmfs-trials*.jar):$root/hmfs-server/target/lib/*

# step NAME ARG…: one step; a step that ends with an exception is a failure. Without optimising compilers: a step is short.
step() {
    local name=$1 status
    shift
    echo "$name"
    "$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED \
        --sun-misc-unsafe-memory-access=allow -cp "$class_path" io.hmfs.trials.dax.DaxTrial "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ "$1" != crash ] || [ "$status" -ne 137 ] || status=0
    if [ "$status" -gt 1 ] || { [ "$status" -eq 1 ] && ! grep -q ^FAIL "$work/out"; }; then
        echo "FAIL $name: exit $status: $(head -n 3 "$work/err" | tr '\n' ' ')" >>"$work/out"
    fi
    tee -a "$work/all" <"$work/out"
}

# life NAME POOL BYTES BACKING MEMORY
life() {
    local name=$1
    shift
    step "$name" life "$@"
    step "$name: the process dies" crash "$1"
    step "$name: after that" after "$1"
}

# over TEXT FILE: gives a file of sysfs another content, until it is unmounted.
over() {
    printf '%s\n' "$1" >"$work/over"
    mount --bind "$work/over" "$2"
}

refusals=yes
[ "${1:-}" != engine ] || refusals=no
size=$((128 << 20))

# A file on fsdax.
region=$(readlink -f "/sys/class/block/$(basename "$(findmnt -no SOURCE /pmem)")")
while [ ! -e "$region/persistence_domain" ]; do
    region=${region%/*}
done
domain="$(basename "$region") with persistence domain $(cat "$region/persistence_domain"), write-backs with CL"
rm -f /pmem/pool /pmem/pmdk
life "file on fsdax" /pmem/pool $size mapped "ext4 on pmem0, DAX (MAP_SYNC), $domain"
life "PMDK on fsdax" /pmem/pmdk $size pmdk "ext4 on pmem0, DAX (MAP_SYNC), $domain"
if [ $refusals = yes ]; then
    over cpu_cache "$region/persistence_domain"
    step "eADR" opens /pmem/pool "persistence domain cpu_cache, no write-backs: the caches survive"
    umount "$region/persistence_domain"

    printf 'PMEMPOOLSET\n64M /pmem/part\n' >/pmem/pool.set
    chmod 600 /pmem/pool.set
    step "poolset" refused /pmem/pool.set "is a poolset of PMDK"

    umount /pmem && mount -o dax=never /dev/pmem0 /pmem
    step "mounted without DAX" refused /pmem/pool "its filesystem (ext4 on pmem0) is, but is mounted without DAX"
    umount /pmem && mount -o dax=always /dev/pmem0 /pmem
    step "mounted with DAX again" opens /pmem/pool "DAX (MAP_SYNC)"

    # Two pages behind the first one of the pool. From here on the driver fails reads of it.
    sector=$(filefrag -b512 -e /pmem/pool | awk '$1 == "0:" { sub(/\.\..*/, "", $4); print $4 }')
    echo "$((sector + 16)) 8" >/sys/block/pmem0/badblocks
    step "bad block in the file" refused /pmem/pool "/pmem/pool has bad memory: its bytes 8192 to 12287 cannot be read"
    step "bad block of another file" opens /pmem/pmdk "DAX (MAP_SYNC)"
fi

# The same memory as a device.
umount /pmem
namespace=$(ndctl list -N -r "$(basename "$region")" | sed -n 's/.*"dev":"\([^"]*\)".*/\1/p' | head -n 1)
ndctl create-namespace -f -e "$namespace" -m devdax -M mem >"$work/ndctl" 2>&1 || die "no device DAX: $(cat "$work/ndctl")"
device=/dev/$(sed -n 's/.*"chardev":"\([^"]*\)".*/\1/p' "$work/ndctl" | head -n 1)
life "device DAX" "$device" $size mapped "device DAX, pages of 2048 KiB, $domain"
if [ $refusals = yes ]; then
    step "growth beyond the device" refused "$device" "so its pool cannot grow to 4294967296" 4294967296
    step "a pool that does not fit" full "$device" 4294967296 "a pool of 4294967296 does not fit"

    chmod 666 "$device"
    step "a node that all users reach" refused "$device" "can be reached by all users (rw-rw-rw-)"
    chmod 600 "$device"

    over '' "$region/persistence_domain"
    step "a platform that promises nothing" refused "$device" "of which the platform does not say that it survives"
    umount "$region/persistence_domain"

    dax=$(readlink -f "/sys/bus/dax/devices/${device#/dev/}")
    over "$((($(cat "$dax/resource") - $(cat "$region/resource") + 8192) / 512)) 8" "$region/badblocks"
    step "bad block in the device" refused "$device" "$device has bad memory: its bytes 8192 to 12287 cannot be read"
    umount "$region/badblocks"
fi
life "PMDK on device DAX" "$device" $size pmdk "device DAX, pages of 2048 KiB, $domain"
if [ $refusals = yes ]; then
    step "a pool of nearly all of the device" format "$device" $(($(cat "$dax/size") - (8 << 20)))
    over 268435456 "$dax/size"
    step "a device that shrank" refused "$device" "the device was made smaller"
    umount "$dax/size"
    step "its size again" opens "$device" "device DAX"
fi

good=$(grep -c ^ok "$work/all") bad=$(grep -c ^FAIL "$work/all")
echo "$good passed, $bad failed"
[ "$bad" -eq 0 ] && [ "$good" -gt 0 ]
