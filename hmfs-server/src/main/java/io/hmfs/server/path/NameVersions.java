package io.hmfs.server.path;

import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.AclEdit;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.lock.NameHash;
import io.hmfs.server.lock.VersionStripes;

/**
 * The one door for what can make a resolved path wrong: rename, rmdir, chmod, chown, changes of ACLs. Each name (parent, component) has a
 * {@linkplain VersionStripes version}, which names share by hash (docs/architecture.md#paths-that-are-known). Thread-safe; takes no lock and allocates nothing.
 */
public final class NameVersions {
    /** Two names that share a version cost a resolution now and then, and nothing else. */
    static final int STRIPES = 1 << 14;

    private final ServerNamespace namespace;
    private final VersionStripes versions = new VersionStripes(STRIPES);

    public NameVersions(ServerNamespace namespace) {
        this.namespace = namespace;
    }

    static int stripe(long parent, Name name) {
        return (int) (NameHash.of(parent, name) >>> 32) & STRIPES - 1;
    }

    /** The version of the names of a stripe. What is looked up afterwards is not older than it. */
    long version(int stripe) {
        return versions.version(stripe);
    }

    private int begin(long parent, Name name) {
        int stripe = stripe(parent, name);
        versions.begin(stripe);
        return stripe;
    }

    private void end(int stripe) {
        versions.end(stripe);
    }

    public Status rename(
            long source,
            Name sourceName,
            long target,
            Name targetName,
            boolean replace,
            Change change,
            Attributes replaced) {
        int from = begin(source, sourceName);
        int to = begin(target, targetName); // what is replaced may be an empty directory
        Status outcome = namespace.rename(source, sourceName, target, targetName, replace, change, replaced);
        end(to);
        end(from);
        return outcome;
    }

    public Status rmdir(long parent, Name name, Change change) {
        int stripe = begin(parent, name);
        Status outcome = namespace.rmdir(parent, name, change);
        end(stripe);
        return outcome;
    }

    public Status chmod(long parent, Name name, int mode, Change change) {
        int stripe = begin(parent, name);
        Status outcome = namespace.chmod(parent, name, mode, change);
        end(stripe);
        return outcome;
    }

    public Status changeAcl(long parent, Name name, AclEdit edit, Change change) {
        int stripe = begin(parent, name);
        Status outcome = namespace.changeAcl(parent, name, edit, change);
        end(stripe);
        return outcome;
    }

    public Status chown(long parent, Name name, int uid, int gid, Change change) {
        int stripe = begin(parent, name);
        Status outcome = namespace.chown(parent, name, uid, gid, change);
        end(stripe);
        return outcome;
    }
}
