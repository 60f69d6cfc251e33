package io.hmfs.client;

import java.io.IOException;
import java.util.List;

/**
 * Access control lists of an {@link HmfsClient}: HDFS's operations, with its rules, which the server knows. An entry is
 * {@code [default:](user|group|mask|other):[NAME]:[rwx]}, as {@code user:alice:r-x}. Thread-safe.
 */
public final class Acls {
    private final Calls calls;
    private final AclCalls rows;

    Acls(Calls calls) {
        this.calls = calls;
        rows = calls.table.acls;
    }

    /** What there is. */
    public AclInfo get(String path) throws IOException {
        return calls.call(rows.get, path);
    }

    /** Adds entries, or gives those that are there other permissions. INVALID_ACL as HDFS says. */
    public void modify(String path, List<String> entries) throws IOException {
        calls.call(rows.modify, path, AclCalls.Entries.of(rows.modify.name, path, entries));
    }

    /** Takes entries out, whose permissions may be left out. */
    public void removeEntries(String path, List<String> entries) throws IOException {
        calls.call(rows.removeEntries, path, AclCalls.Entries.of(rows.removeEntries.name, path, entries));
    }

    /** Takes all default entries out. */
    public void removeDefault(String path) throws IOException {
        calls.call(rows.removeDefault, path);
    }

    /** Leaves the mode alone, in which the group has what its entry gave it. */
    public void remove(String path) throws IOException {
        calls.call(rows.remove, path);
    }

    /**
     * Replaces the access list, the default list, or both: those of which there are entries. Without any, all is
     * removed.
     */
    public void set(String path, List<String> entries) throws IOException {
        calls.call(rows.set, path, AclCalls.Entries.of(rows.set.name, path, entries));
    }

    /** Returns if the user may do this, read 4, write 2, execute 1, with what the path names; else ACCESS_DENIED. */
    public void access(String path, int wanted) throws IOException {
        calls.call(rows.access, path, AclCalls.Wanted.of(path, wanted));
    }
}
