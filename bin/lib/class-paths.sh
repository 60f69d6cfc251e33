# shellcheck shell=bash disable=SC2154 # $root is set by the caller
# Class paths of the programs, by name: admin, fs, bench, trials, gc. Sourced; needs die().

# jar MODULE [DIRECTORY]: prints the jar of a module, whatever its version.
jar() {
    local file target=$root/${2:-$1}/target
    for file in "$target/$1.jar" "$target/$1"-[0-9]*.jar; do
        case $file in *-tests.jar | *-sources.jar | *-thin.jar) continue ;; esac
        if [ -f "$file" ]; then
            printf '%s' "$file"
            return
        fi
    done
    die "$target holds no $1 jar; build it with: mvn package"
}

# jars NAME: the part of a class path that holds classes.
jars() {
    case $1 in
        admin) printf '%s' "$(jar hmfs-server):$root/hmfs-server/target/lib/*" ;;
        # The shaded plugin with the Hadoop client, as a user has them; nothing else of HMFS.
        fs) printf '%s' "$(jar hmfs-hadoop):$root/hmfs-bench/target/hadoop/*" ;;
        bench) printf '%s' "$(jar hmfs-bench):$root/hmfs-bench/target/lib/*:$(jars fs)" ;;
        # The trials use what the benchmarks use.
        trials) printf '%s' "$(jar hmfs-trials test/trials):$(jars bench)" ;;
        gc) printf '%s' "$(jars admin):$(jars fs)" ;;
    esac
}

# class_path NAME: all of it. Directories stand at its end, because an archive of classes fits a path that begins with its jars. FsShell
# insists on a core-site.xml; no jar has one.
class_path() {
    printf '%s' "$(jars "$1")"
    [ "$1" = admin ] || printf '%s' "${HADOOP_CONF_DIR:+:$HADOOP_CONF_DIR}:$root/conf"
}
