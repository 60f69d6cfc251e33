# Part of launcher.sh: help, usage errors, settings, finding a JDK. Needs no server.

run --help
expect "help lists the commands" 0 'out=Usage: hmfs*format*fsck*server*status*top*gc*fs*quickstart*bench*version*' err-lines=0
for command in format fsck server status top gc fs quickstart bench version; do
    run "$command" --help
    expect "help of $command has a usage line and examples" 0 'out=*Usage: *' 'out=*xample*' err-lines=0
done
run version
expect "version prints HMFS and Java" 0 'out=hmfs *java *' err-lines=0
run
expect "no command shows the help and is wrong usage" 2 'err=Usage: hmfs*'
run serv
expect "an unknown command gets a suggestion" 2 'err=hmfs: *serv*did you mean server*' err-lines=1
run server --prot 8930
expect "an unknown option gets a suggestion" 2 'err=hmfs: *--prot*did you mean --port*' err-lines=1
run server
expect "a server without a pool says how to give one" 2 'err=hmfs: no pool*--pool*HMFS_POOL*' err-lines=1
run server --pool x --port 99999
expect "a port out of range" 2 'err=hmfs: --port is *99999*' err-lines=1
run status --server 'a b'
expect "a malformed address" 2 'err=hmfs: *a b*HOST:PORT*' err-lines=1
# A start that loads its classes one by one takes twice the time, and nothing else would tell.
while IFS='|' read -r command class; do
    # shellcheck disable=SC2086 # a command and its arguments
    HMFS_JAVA_OPTS="-Xlog:class+load:file=$work/loaded" run $command
    run_as grep -c "$class source: shared objects file" "$work/loaded"
    expect "$command loads its classes from an archive" 0 'out=1'
done <<LIST
fsck --help|io.hmfs.server.admin.FsckCommand
fs -help ls|org.apache.hadoop.fs.FsShell
bench acknowledged --help|io.hmfs.trials.TrialsCommand
LIST
# What only developers run, in environments that this machine may not have.
run_as bash -c 'for script; do bash -n "$script" || exit; done' - "${hmfs%/*}"/{dev,test,lib/*} "${hmfs%/bin/*}"/test/*.sh "${hmfs%/bin/*}"/test/guest/*.sh
expect "every script can be read by the shell" 0 err-lines=0
run_as "${hmfs%/*}/dev" guest-test --help
expect "guest-test lists its parts" 0 'out=Usage: bin/dev guest-test*Parts:*rdma *remote *' err-lines=0
run status --server 127.0.0.1:1
expect "status without a server says how to start one" 1 'err=hmfs: *127.0.0.1:1*hmfs server*' err-lines=1

run top --server 127.0.0.1:1 --once
expect "top without a server says how to start one" 1 'err=hmfs: *127.0.0.1:1*hmfs server*' err-lines=1
run top --interval 5
expect "top: a malformed interval" 2 'err=hmfs: --interval is *5*' err-lines=1
run server --pool x --admin-port nowhere
expect "a malformed admin port" 2 'err=hmfs: --admin-port is *nowhere*off*' err-lines=1

# Settings: flag over variable over file over default.
printf 'pool = /from/file\nport = 1111\nhost = 10.0.0.1\n' >"$work/server.properties"
run_as env HMFS_PORT=2222 HMFS_HOST=10.0.0.2 "$hmfs" server --config "$work/server.properties" --host 10.0.0.3 --print-config
expect "print-config shows a value from the file" 0 "out=*pool */from/file *file $work/server.properties*"
expect "print-config: a variable wins over the file" 0 'out=*port *2222 *variable HMFS_PORT*'
expect "print-config: a flag wins over the variable" 0 'out=*host *10.0.0.3 *flag --host*'
expect "print-config shows defaults" 0 'out=*data-store *builtin *default*'
run_as env HMFS_CONFIG="$work/server.properties" "$hmfs" server --print-config
expect "HMFS_CONFIG names the file" 0 'out=*/from/file*'
printf 'prot = 1111\n' >"$work/bad.properties"
run server --config "$work/bad.properties" --print-config
expect "an unknown key in the file" 2 'err=hmfs: unknown key *prot*did you mean port*' err-lines=1
run server --config "$work/none.properties"
expect "a configuration file that is not there" 2 'err=hmfs: *none.properties*' err-lines=1
run_as env HMFS_PROT=1 "$hmfs" server --print-config
expect "an unknown variable" 2 'err=hmfs: unknown variable HMFS_PROT*did you mean HMFS_PORT*' err-lines=1

run quickstart --no-spark --spark 3.5 --dir "$work/quickstart"
expect "a quickstart without a Spark, and with one" 2 'err=hmfs: --no-spark leaves Spark out and --spark names one*' 'out='
[ ! -e "$work/quickstart" ] || fail "a quickstart that is refused makes nothing"

# Finding a JDK.
run_as env -u HMFS_JAVA_HOME -u JAVA_HOME HMFS_JDK_DIRS= "$hmfs" version
expect "without a JDK one line says what to install" 1 'err=hmfs: no JDK 25*install*HMFS_JAVA_HOME*' err-lines=1
run_as env HMFS_JAVA_HOME="$work" "$hmfs" version
expect "HMFS_JAVA_HOME without a JDK" 1 'err=hmfs: HMFS_JAVA_HOME=*holds no JDK*' err-lines=1
java17=$(. "$root/bin/lib/jdk.sh" && jdk_find_17)
run_as env HMFS_JAVA_HOME="$java17" "$hmfs" version
expect "HMFS_JAVA_HOME with an old JDK" 1 'err=hmfs: HMFS_JAVA_HOME=* is Java 17*' err-lines=1
run_as env -u HMFS_JAVA_HOME JAVA_HOME="$java17" "$hmfs" version
expect "an old JAVA_HOME is passed over" 0 'out=hmfs *java *' err-lines=0
