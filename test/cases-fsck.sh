# Part of launcher.sh: hmfs fsck on pools that are whole, damaged on purpose, in use, or not there.

fsck_pool=$work/fsck.pool

run fsck
expect "fsck needs a pool" 16 'err=hmfs: *POOL*' err-lines=1
run fsck "$fsck_pool" --no-such-option
expect "fsck: an unknown option" 16 'err=hmfs: *--no-such-option*' err-lines=1
run fsck "$work/none"
expect "fsck: no such file" 8 "err=hmfs: *$work/none*" err-lines=1
head -c 70000000 /dev/zero >"$work/zeros"
run fsck "$work/zeros"
expect "fsck: a file that is no pool" 8 "err=hmfs: *$work/zeros*not an HMFS pool*" err-lines=1

run format "$fsck_pool" --size 64M --persistence process
sum=$(cksum <"$fsck_pool")
run fsck "$fsck_pool"
expect "fsck of a new pool" 0 'out=*directories *1*sound*' err-lines=0
run fsck "$fsck_pool" --json
expect "fsck --json is one object" 0 'out={"pool":*"exitCode":0,"sound":true,*"directories":1*"findings":\[\]}' err-lines=0
run fsck "$fsck_pool" --repair
expect "fsck --repair of a whole pool has nothing to do" 0 'out=*sound*' err-lines=0
if [ "$(cksum <"$fsck_pool")" = "$sum" ]; then ok "fsck leaves a whole pool as it is"; else fail "fsck leaves a whole pool as it is"; fi

if start_server --persistence process --pool "$fsck_pool" --port 0 --data-directory "$work/fsck.data"; then
    run fs --server "$address" -mkdir -p /a/b/c
    run fsck "$fsck_pool"
    expect "fsck of a pool in use" 8 "err=hmfs: *$fsck_pool*in use*" err-lines=1
    kill -KILL "$server_pid"
    wait "$server_pid" 2>/dev/null
    server_pid=
    run fsck "$fsck_pool"
    expect "fsck after a kill says so and finds no damage" 0 'out=*not closed cleanly*directories *4*sound*' err-lines=0
else
    status=1
    fail "a server on the pool for fsck starts"
fi

# The depth of the index stands 136 bytes into the pool, the size of a region 40.
cp "$fsck_pool" "$work/damaged"
printf '\377\377\377\377' | dd of="$work/damaged" bs=1 seek=136 conv=notrunc 2>/dev/null
printf '\001' | dd of="$work/damaged" bs=1 seek=40 conv=notrunc 2>/dev/null
sum=$(cksum <"$work/damaged")
run fsck "$work/damaged"
expect "fsck finds damage and says how to repair it" 4 'out=*damage:*0x88 *expected*found*DAMAGED*--repair*' err-lines=0
if [ "$(cksum <"$work/damaged")" = "$sum" ]; then ok "fsck changes nothing"; else fail "fsck changes nothing"; fi
run fsck "$work/damaged" --json
expect "fsck --json tells damage" 4 'out={*"exitCode":4,"sound":false*"severity":"damage"*"offset":136*}' err-lines=0
run fsck "$work/damaged" --repair
expect "fsck --repair repairs it" 1 'out=*repaired:*0x88 *repaired *sound*' err-lines=0
run fsck "$work/damaged"
expect "fsck finds a repaired pool sound" 0 'out=*directories *4*sound*' err-lines=0
if start_server --persistence process --pool "$work/damaged" --port 0 --data-directory "$work/fsck.data"; then
    run fs --server "$address" -ls /a/b
    expect "a repaired pool serves" 0 'out=*/a/b/c*'
    kill -TERM "$server_pid"
    wait "$server_pid" 2>/dev/null
    server_pid=
else
    status=1
    fail "a repaired pool serves"
fi
