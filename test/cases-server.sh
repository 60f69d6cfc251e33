# Part of launcher.sh: pools, a running server, FsShell on it.

pool=$work/pool

# Pools.
run format
expect "format needs a pool" 2 'err=hmfs: *POOL*' err-lines=1
run format "$pool" --size 1X
expect "format: a malformed size" 2 'err=hmfs: --size is *1X*' err-lines=1
run format "$pool" --size 1M
expect "format: too small a size" 2 'err=hmfs: --size is *1M*64M*' err-lines=1
run format "$work/no/such/dir/pool" --size 64M
expect "format in a directory that is not there" 1 'err=hmfs: *no/such/dir*' err-lines=1
# What does not need another mode has process: the directory for temporary files may be in memory.
run format "$pool" --size 128M --persistence process
expect "format makes a pool" 0 "out=formatted $pool*hmfs server*--persistence process*" err-lines=0
run format "$pool" --size 128M --persistence process
expect "format does not replace a pool" 1 "err=hmfs: *$pool*--force*" err-lines=1
run server --pool "$pool" --port 0
expect "a pool that would be lost with the machine is not served unasked" 1 \
    "err=hmfs: *$pool*--persistence process*hmfs format*" err-lines=1
export HMFS_PERSISTENCE=process
run format "$pool" --size 128M --persistence process --force
expect "format --force replaces it" 0 "out=formatted*" err-lines=0
run server --pool "$work/none" --port 0
expect "a pool that is not there" 1 "err=hmfs: *$work/none*" err-lines=1
head -c 200000 "$hmfs" /dev/zero 2>/dev/null >"$work/junk"
run server --pool "$work/junk" --port 0
expect "a file that is no pool" 1 "err=hmfs: *$work/junk*" err-lines=1
head -c 1000000 "$pool" >"$work/short"
run server --pool "$work/short" --port 0
expect "a truncated pool" 1 "err=hmfs: *$work/short*" err-lines=1
cp "$pool" "$work/flipped"
printf '\377\000\377' | dd of="$work/flipped" bs=1 seek=40 conv=notrunc 2>/dev/null
run server --pool "$work/flipped" --port 0
expect "a pool with flipped bits in the superblock" 1 "err=hmfs: *$work/flipped*" err-lines=1

# start_server ARG…: starts one in the background and waits for its address, in $address.
start_server() {
    : >"$work/server.out" # or the loop below can still read what the server before has printed
    "$hmfs" server "$@" >"$work/server.out" 2>"$work/server.err" </dev/null &
    server_pid=$!
    address=
    local tries=0
    while [ -z "$address" ] && [ $tries -lt 300 ] && kill -0 "$server_pid" 2>/dev/null; do
        address=$(sed -n 's/^ *address *hmfs:\/\/\([^ ]*\).*$/\1/p' "$work/server.out")
        tries=$((tries + 1))
        [ -n "$address" ] || sleep 0.1
    done
    out=$(cat "$work/server.out") err=$(cat "$work/server.err") status=0
    [ -n "$address" ]
}

if start_server --pool "$pool" --port 0 --data-directory "$work/data" --admin-port 0 --audit-log "$work/audit.log"; then
    expect "a server prints pool, mode, address and how to use it" 0 \
        "out=*pool *$pool*mode *process*address *hmfs://127.0.0.1:*data *$work/data*hmfs fs*"
    expect "a server prints where metrics are, and how long each step of the start took" 0 \
        "out=*metrics *http://127.0.0.1:*/metrics*audit *$work/audit.log*started *in *: pool *listen *"
else
    status=1
    fail "a server starts"
fi
export HMFS_SERVER=$address

run server --pool "$pool" --port 0
expect "a pool that another server has open" 1 "err=hmfs: *$pool*" err-lines=1
run format "$work/pool2" --size 64M --persistence process
run server --pool "$work/pool2" --port "${address##*:}"
expect "a port in use" 1 "err=hmfs: *${address##*:}*in use*" err-lines=1
run status
expect "status shows the pool" 0 "out=*pool *$pool*" err-lines=0
expect "status tells what the pool lies on" 0 "out=*memory *not DAX*"
run status --json
expect "status --json is one object" 0 'out={"serverVersion":"*}' err-lines=0

admin=$(sed -n 's/^ *metrics *http:\/\/\([0-9.:]*\)\/.*$/\1/p' "$work/server.out")

# get PATH: what the admin port answers, in $out.
get() {
    out=$(
        exec 3<>"/dev/tcp/${admin%:*}/${admin##*:}" 2>/dev/null
        printf 'GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' "$1" >&3
        cat <&3
    )
    status=$? err=
}
get /health
expect "/health" 0 'out=HTTP/1.1 200 OK*"status":"ok"*'
get /metrics
expect "/metrics" 0 'out=HTTP/1.1 200 OK*hmfs_connections_accepted_total *jvm_memory_used_bytes*'
run top --once --interval 200ms
expect "top --once shows a table" 0 'out=*healthy*operation *per second*status *' err-lines=0
run top --once --json --interval 200ms
expect "top --once --json is one object" 0 'out={"seconds":*"operations":{*}}' err-lines=0

# Objects of no file.
run gc
expect "gc shows what there is, and removes nothing" 0 'out=data store *builtin*looked at *orphans *unknown names *0*on record *0 files' err-lines=0
mkdir -p "$work/data/aa/bb"
: >"$work/data/aa/bb/note"
run gc --delete --older-than 0s --list
expect "gc leaves alone what it does not know" 0 'out=unknown *aa/bb/note*removed 0 objects*' err-lines=0
if [ -f "$work/data/aa/bb/note" ]; then ok "and it is still there"; else fail "and it is still there"; fi
run gc --json
expect "gc --json is one object" 0 'out={"dataStore":"builtin",*"unknown":1,*}' err-lines=0
run gc --most
expect "gc --most without --delete" 2 'err=hmfs: *--delete*' err-lines=1
run gc --server 127.0.0.1:1 --timeout 300ms
expect "gc without a server" 1 'err=hmfs: *127.0.0.1:1*' err-lines=1
rm -r "$work/data/aa"

# FsShell.
head -c 3000000 /dev/urandom >"$work/file"
run fs -mkdir -p /dir/sub
expect "fs -mkdir" 0 err-lines=0
: >"$work/empty"
run fs -put "$work/file" "$work/empty" /dir/sub
expect "fs -put" 0 err-lines=0
run fs -ls /dir
expect "fs -ls" 0 'out=*drwx*/dir/sub*' err-lines=0
"$hmfs" fs -cat /dir/sub/file >"$work/copy" 2>"$work/err"
status=$? out= err=$(cat "$work/err")
if cmp -s "$work/file" "$work/copy"; then ok "fs -cat gives the same bytes"; else fail "fs -cat gives the same bytes"; fi
run fs -put "$work/file" /dir/sub/file
expect "fs -put does not overwrite" 1 'err=*File exists*'
run fs -mv /dir/sub/file /dir/moved
expect "fs -mv" 0 err-lines=0
run fs -stat '%n %b' /dir/moved
expect "fs -stat" 0 'out=moved 3000000' err-lines=0
run fs -chmod -R u=rwX,g=rX,o-rwx /dir
expect "fs -chmod -R" 0 err-lines=0
run fs -ls /dir/moved
expect "fs -ls shows the mode" 0 'out=-rw-r-----*3000000*/dir/moved*'
run fs -du -s /dir
expect "fs -du" 0 'out=3000000 *'
run fs -count /dir
expect "fs -count" 0 'out=*2 *2 *3000000 /dir*'
run fs -cat /nothing
expect "fs -cat of nothing" 1 'err=*/nothing*No such file*' err-lines=1
run fs -rm -r /dir/sub
expect "fs -rm -r" 0
run fs -test -e /dir/sub
expect "what was removed is gone" 1
run fs --server "$address" -ls /
expect "fs --server" 0 'out=*/dir*' err-lines=0
run fs --server 127.0.0.1:1 -ls /
expect "fs without a server" 1 'err=*127.0.0.1:1*'
run fs -mkdir "/$(printf '%0256d' 0)"
expect "a name of 256 bytes" 1 'err=*255*'
run fs -ls /
expect "the server goes on" 0 'out=*/dir*' err-lines=0

# Bytes that are no request: the server goes on.
(printf 'GET / HTTP/1.1\r\nHost: x\r\n\r\n' >"/dev/tcp/127.0.0.1/${address##*:}") 2>/dev/null
(head -c 100000 /dev/urandom >"/dev/tcp/127.0.0.1/${address##*:}") 2>/dev/null
run fs -ls /
expect "the server goes on after garbage on its port" 0 'out=*/dir*' err-lines=0

# SIGTERM is a clean stop; what was there is there after it, and after a SIGKILL.
kill -TERM "$server_pid"
wait "$server_pid"
status=$? out=$(cat "$work/server.out") err=$(cat "$work/server.err")
expect "SIGTERM stops the server cleanly" 0 'out=*stopped*'
out=$(cat "$work/audit.log")
expect "the audit log has what was done" 0 $'out=*allowed=true\tugi=*cmd=mkdirs\tsrc=/dir/sub\t*cmd=rename\tsrc=/dir/sub/file\tdst=/dir/moved\t*'
out=$(cat "$work/server.out")
expect "each garbage connection is one line in the log" 0 'err=*closing*closing*' err-lines=2
start_server --pool "$pool" --port "${address##*:}" --data-directory "$work/data"
run fs -ls /dir/moved
expect "a restarted server has everything" 0 'out=*3000000*/dir/moved*'
run fs -mkdir /before-kill
kill -KILL "$server_pid"
wait "$server_pid" 2>/dev/null
server_pid=
start_server --pool "$pool" --port "${address##*:}" --data-directory "$work/data"
run fs -ls /
expect "a killed and restarted server has everything" 0 'out=*/before-kill*/dir*'
"$hmfs" fs -cat /dir/moved >"$work/copy" 2>"$work/err"
status=$? out= err=$(cat "$work/err")
if cmp -s "$work/file" "$work/copy"; then ok "bytes survive the kill"; else fail "bytes survive the kill"; fi
kill -TERM "$server_pid"
wait "$server_pid"
server_pid=
unset HMFS_SERVER

# Without a word about the mode: logged, with the log beside the pool on the disk of the source tree.
unset HMFS_PERSISTENCE
mkdir -p "$root/target"
disk=$(mktemp -d "$root/target/launcher.XXXXXX") || exit 1
run format "$disk/pool" --size 64M
expect "format on a disk makes a pool with a log" 0 "out=formatted $disk/pool*with its log in $disk/pool.log*hmfs server --pool $disk/pool" err-lines=0
run server --pool "$disk/pool" --print-config
expect "print-config shows the mode that the pool asks for" 0 "out=*persistence *logged *default*log-directory *$disk/pool.log *default*"
if start_server --pool "$disk/pool" --port 0; then
    expect "a server says that its mode is logged, and where the log is" 0 "out=*mode *logged: *power failure*$disk/pool.log*data *$disk/pool.log/data*"
    run fs --server "$address" -put "$work/file" /kept
    kill -TERM "$server_pid"
    wait "$server_pid"
    status=$? out=$(cat "$work/server.out") err=$(cat "$work/server.err")
    expect "the first start of a pool with a log and its stop say nothing else" 0 'out=*stopped*' err-lines=0
    rm "$disk/pool" "$disk/pool.ring"
    start_server --pool "$disk/pool" --port 0
    "$hmfs" fs --server "$address" -cat /kept >"$work/copy" 2>"$work/err"
    if cmp -s "$work/file" "$work/copy"; then ok "what was answered survives the loss of the memory"; else fail "what was answered survives the loss of the memory"; fi
    kill -TERM "$server_pid"
    wait "$server_pid"
    server_pid=
else
    status=1
    fail "a server with a log starts"
fi
run format /dev/shm/hmfs-launcher.pool --size 64M
expect "format in memory asks for a log or for the mode process" 1 'err=hmfs: */dev/shm/*--log-directory*--persistence process*' err-lines=1
