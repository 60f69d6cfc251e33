# Builds a source tree when something is missing or stale. Sourced after jdk.sh; needs $root and die().

# mvn_run ARG…: Maven in the source tree with the JDK that was found. Its JVM, in which javac runs too, has the flags of .mvn/jvm.config.
mvn_run() {
    command -v mvn >/dev/null 2>&1 || die "Maven is needed to build HMFS from source: install it (Debian: apt-get install maven)"
    (cd "$root" && MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow ${MAVEN_OPTS:-}" mvn -B -ntp "$@" </dev/null) # a flag that older JDKs refuse
}

# build_errors LOG: what went wrong, without Maven's advice. Lints are errors here, but javac calls them warnings.
build_errors() {
    grep -E '^\[ERROR\]|^\[WARNING\] .*\.java:' "$1" |
        grep -vE '^\[ERROR\] *$|\[Help [0-9]\]|-e switch|-X switch|For more information|After correcting|mvn <args>' |
        awk '!seen[$0]++' | head -n 40
}

# mvn_logged WHAT LOG ARG…: the same, into LOG; on failure shows the errors and ends.
mvn_logged() {
    local what=$1 log=$2
    shift 2
    mkdir -p "${log%/*}"
    if ! mvn_run "$@" >"$log" 2>&1; then
        build_errors "$log" >&2
        die "$what failed; the whole log is $log"
    fi
}

# Commands need no Flink, and a user without it does not fetch it: the module hmfs-flink is left to Maven, bin/test and bin/lib/flink-jar.

# build_parts: what a build leaves behind and a run needs; one missing means: build.
build_parts() {
    printf '%s\n' hmfs-server/target/lib hmfs-hadoop/target hmfs-bench/target/lib hmfs-bench/target/hadoop test/trials/target
}

# build_stale: true when a part is missing or a source, or a directory of sources, is newer than the last build.
build_stale() {
    local part stamp=$root/target/build.stamp
    [ -f "$stamp" ] || return 0
    while IFS= read -r part; do
        [ -e "$root/$part" ] || return 0
    done <<LIST
$(build_parts)
LIST
    set -- "$root/pom.xml"
    for part in "$root"/{hmfs-*,test/trials}/pom.xml "$root"/{hmfs-*,test/trials}/src/main "$root"/native; do
        case $part in
            */hmfs-flink/*) ;;
            *) [ ! -e "$part" ] || set -- "$@" "$part" ;;
        esac
    done
    [ -n "$(find "$@" -newer "$stamp" 2>/dev/null | head -n 1)" ]
}

# build_started, build_done: around a full build; what changes in between stays stale.
build_started() {
    mkdir -p "$root/target"
    : >"$root/target/build.stamp.new"
}
build_done() {
    mv -f "$root/target/build.stamp.new" "$root/target/build.stamp"
    rm -rf "$root/target/classes"
    BUILDING_HMFS=yes "$root/bin/lib/class-archives"
}

# with_lock NAME COMMAND…: one at a time among the launchers of this tree; a lock whose owner died is taken over.
with_lock() {
    local lock=$root/target/$1.lock owner status
    shift
    mkdir -p "$root/target"
    while ! (set -o noclobber && printf '%s\n' "$$" >"$lock") 2>/dev/null; do
        owner=$(cat "$lock" 2>/dev/null) || continue
        if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then
            rm -f "$lock"
        else
            sleep 1
        fi
    done
    trap 'rm -f "'"$lock"'"' EXIT
    "$@"
    status=$?
    rm -f "$lock"
    trap - EXIT
    return $status
}

build_if_stale() {
    [ -f "$root/pom.xml" ] || return 0 # an installed copy, not a source tree
    [ -z "${BUILDING_HMFS:-}" ] || return 0 # a command that a build runs, which would wait for that build; the server knows all HMFS_ variables
    if build_stale; then
        with_lock build build_now
    fi
}

build_now() {
    build_stale || return 0 # another launcher built it while this one waited
    progress "building HMFS from source (log: ${root}/target/build.log) …"
    build_started
    mvn_logged "the build" "$root/target/build.log" -T2 -pl '!hmfs-flink' -Dmaven.test.skip=true package
    build_done
}

# pom_version NAME: a version of the parent pom.
pom_version() {
    sed -n "s|^ *<$1>\(.*\)</$1>.*|\1|p" "$root/pom.xml" | head -n 1
}

# path_usable FILE SOURCE…: FILE holds a class path, was written after the last change of the sources, and every jar is still where it was.
path_usable() {
    local path_file=$1 file
    shift
    [ -f "$path_file" ] || return 1
    [ -z "$(find "$@" -newer "$path_file" | head -n 1)" ] || return 1
    tr ':' '\n' <"$path_file" | (
        while IFS= read -r file || [ -n "$file" ]; do
            [ -f "$file" ] || exit 1
        done
    )
}

# path_resolved POM FILE LOG ARG…: writes the class path of a pom that has no parent.
path_resolved() {
    local pom=$1 file=$2 log=$3
    shift 3
    mkdir -p "${file%/*}"
    mvn_logged "fetching what ${pom#"$root/"} names" "$log" -f "$pom" "$@" \
        "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath" "-Dmdep.outputFile=$file" -DincludeScope=runtime
    touch "$file" # Maven leaves it as it is when nothing has changed
}
