package io.hmfs.server.path;

import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.AclEdit;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.lock.KeyLocks;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The one door for what can make a resolved path wrong: rename, rmdir, chmod, chown, changes of ACLs. Each name (parent, component) has a <em>version</em>,
 * a word that counts the changes of it, those that are under way in its low bits; names share words by hash. It only grows. A change
 * shows in it before anything is changed, and as ended only when all is changed, before the request is answered. So a
 * thread that has seen a version with nothing under way, has looked the name up after that, and sees the same version again, knows that
 * all the while the name was what it saw (docs/architecture.md#paths-that-are-known). Thread-safe; takes no lock and allocates nothing.
 */
public final class NameVersions {
    /** Two names that share a word cost a resolution now and then, and nothing else. */
    static final int STRIPES = 1 << 14;

    private static final long UNDER_WAY = 1;
    private static final long UNDER_WAY_MASK = 0xFFFF; // more than there are threads
    private static final long ENDED = UNDER_WAY_MASK + 1;

    private static final VarHandle VERSION =
            MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

    private final ServerNamespace namespace;
    private final long[] versions = new long[STRIPES];

    public NameVersions(ServerNamespace namespace) {
        this.namespace = namespace;
    }

    static int stripe(long parent, Name name) {
        return (int) (KeyLocks.hash(parent, name) >>> 32) & STRIPES - 1;
    }

    /** The version of the names of a stripe. What is looked up afterwards is not older than it. */
    long version(int stripe) {
        return (long) VERSION.getVolatile(versions, stripe);
    }

    /** Whether a name with this version is being changed: what is seen of it then may be over in a moment. */
    static boolean isUnderWay(long version) {
        return (version & UNDER_WAY_MASK) != 0;
    }

    /** Called before anything is changed. A change that throws stays under way, so that no thread relies on what is half done. */
    private int begin(long parent, Name name) {
        int stripe = stripe(parent, name);
        long before = (long) VERSION.getAndAdd(versions, stripe, UNDER_WAY);
        assert (before & UNDER_WAY_MASK) != UNDER_WAY_MASK;
        return stripe;
    }

    /** When all is changed, before the answer; also if nothing was. */
    private void end(int stripe) {
        long before = (long) VERSION.getAndAdd(versions, stripe, ENDED - UNDER_WAY);
        assert isUnderWay(before);
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
