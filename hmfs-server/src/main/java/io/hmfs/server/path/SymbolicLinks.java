package io.hmfs.server.path;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.wire.Wire;
import java.nio.charset.StandardCharsets;

/**
 * Symbolic links that requests meet. The server follows none, so no chain of them costs it anything: it says where the path leads, and
 * the client, which may know other filesystems too, goes on there as often as it likes.
 */
public final class SymbolicLinks {
    private static final int ATTEMPTS_MAX = 8;
    private static final byte[] NO_TARGET = {};

    private final Namespace namespace;
    private final Access access;
    private final Bytes bytes = new Bytes();

    public SymbolicLinks(Namespace namespace, Access access) {
        this.namespace = namespace;
        this.access = access;
    }

    /** What {@link #look} has found last: the target of a link, or nothing. */
    private byte[] target = NO_TARGET;

    public byte[] target() {
        return target;
    }

    /** Forgets it: the next object is no link. */
    public void clear() {
        target = NO_TARGET;
    }

    /** A stat, and the target with it if it is a link: both of one object, though another one may take its name in between. */
    public Status look(long directory, Name name, Attributes out) {
        target = NO_TARGET;
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            Status status = namespace.stat(directory, name, out);
            if (status != Status.OK || !out.isSymlink()) {
                return status;
            }
            status = namespace.readlink(directory, name, bytes);
            if (status == Status.OK && bytes.value.length == out.size) {
                target = bytes.value;
                return status;
            }
        }
        return Status.STALE;
    }

    /**
     * A path leads over this link, and then along {@code rest}, which is empty or begins with a slash. UNRESOLVED_LINK, and where to go
     * on instead is kept for the reply; another status if the link has gone meanwhile.
     */
    public Status unresolved(long directory, Name name, String rest) {
        Status status = namespace.readlink(directory, name, bytes);
        if (status != Status.OK) {
            return status == Status.INVALID_ARGUMENT ? Status.STALE : status; // something else has its name now
        }
        String leads = new String(bytes.value, StandardCharsets.UTF_8);
        if (isAbsolute(leads)) {
            return leads(leads + rest);
        }
        StringBuilder above = new StringBuilder();
        status = namespace.path(directory, above);
        return status != Status.OK ? status : leads((above.length() == 1 ? "" : above) + "/" + leads + rest);
    }

    /** Never a part of it: that would be another path. */
    private Status leads(String path) {
        return path.getBytes(StandardCharsets.UTF_8).length > Wire.PATH_MAX ? Status.NAME_TOO_LONG : access.leads(path);
    }

    /** Whether it begins at a root: this one's, or that of the filesystem that it names. */
    private static boolean isAbsolute(String path) {
        int slash = path.indexOf('/');
        int colon = path.indexOf(':');
        return slash == 0 || (colon > 0 && colon == slash - 1);
    }
}
