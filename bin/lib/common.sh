# What bin/hmfs, bin/dev and bin/test share. The caller sets $root, the top of the tree, first.

progress() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

. "$root/bin/lib/jdk.sh"
. "$root/bin/lib/build.sh"
