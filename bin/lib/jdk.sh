# Finds Java homes. Sourced by bin/hmfs, bin/dev and bin/test; defines functions only.
#
# HMFS_JDK_DIRS replaces the places where installed JDKs are looked for (a colon-separated list of Java homes).

# jdk_major HOME: prints the feature version (25, 17, …) of the JDK in HOME; fails when there is none.
jdk_major() {
    [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] || return 1
    local version=
    if [ -r "$1/release" ]; then
        version=$(sed -n 's/^JAVA_VERSION="\{0,1\}\([^"]*\)"\{0,1\}.*$/\1/p' "$1/release" | head -n 1)
    fi
    if [ -z "$version" ]; then
        version=$("$1/bin/java" -version 2>&1 | sed -n 's/^.* version "\([^"]*\)".*$/\1/p' | head -n 1)
    fi
    version=${version#1.} # 1.8.0 is 8
    version=${version%%[!0-9]*}
    [ -n "$version" ] && printf '%s\n' "$version"
}

# jdk_installed: prints the Java homes of the usual places, one per line.
jdk_installed() {
    local home java
    if [ -n "${HMFS_JDK_DIRS+set}" ]; then
        printf '%s\n' "$HMFS_JDK_DIRS" | tr ':' '\n'
        return
    fi
    for home in /usr/lib/jvm/* /opt/* /opt/*/* /usr/java/* "${HOME:-/}"/.sdkman/candidates/java/* "${HOME:-/}"/.jdks/*; do
        [ -x "$home/bin/javac" ] && printf '%s\n' "$home"
    done
    if java=$(command -v java); then
        java=$(readlink -f "$java")
        printf '%s\n' "${java%/bin/java}"
    fi
}

# jdk_find MIN MAX [HOME…]: prints the first HOME, else the oldest installed JDK, with MIN <= feature version <= MAX.
jdk_find() {
    local min=$1 max=$2 home major best= best_major=
    shift 2
    for home in "$@"; do
        if [ -n "$home" ] && major=$(jdk_major "$home") && [ "$major" -ge "$min" ] && [ "$major" -le "$max" ]; then
            printf '%s\n' "$home"
            return 0
        fi
    done
    while IFS= read -r home; do
        if major=$(jdk_major "$home") && [ "$major" -ge "$min" ] && [ "$major" -le "$max" ]; then
            if [ -z "$best" ] || [ "$major" -lt "$best_major" ]; then
                best=$home best_major=$major
            fi
        fi
    done <<LIST
$(jdk_installed)
LIST
    [ -n "$best" ] && printf '%s\n' "$best"
}

# jdk_use_25: sets and exports JAVA_HOME to a JDK >= 25, or ends with one line that says what to install.
jdk_use_25() {
    local home major
    if [ -n "${HMFS_JAVA_HOME:-}" ]; then
        major=$(jdk_major "$HMFS_JAVA_HOME") || die "HMFS_JAVA_HOME=$HMFS_JAVA_HOME holds no JDK; set it to the home of JDK 25 or newer"
        [ "$major" -ge 25 ] || die "HMFS_JAVA_HOME=$HMFS_JAVA_HOME is Java $major; HMFS needs JDK 25 or newer"
        home=$HMFS_JAVA_HOME
    else
        home=$(jdk_find 25 999 "${JAVA_HOME:-}") ||
            die "no JDK 25 or newer found: install one (for example Eclipse Temurin 25 from https://adoptium.net) or set HMFS_JAVA_HOME to its home"
    fi
    export JAVA_HOME=$home
}

# jdk_find_17: prints the home of a JDK 17 (HMFS_JAVA17_HOME, then the installed ones), for the modules that must run on it.
jdk_find_17() {
    jdk_find 17 17 "${HMFS_JAVA17_HOME:-}" "${JAVA_HOME:-}"
}
