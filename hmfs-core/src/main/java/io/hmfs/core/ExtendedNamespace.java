package io.hmfs.core;

import io.hmfs.core.op.Operations;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.util.List;

/** The part of a {@link PoolNamespace} that works on chains: symbolic links, extended attributes, ACLs. */
abstract class ExtendedNamespace implements Namespace {
    /** An operation's body; a functional interface of its own so that nothing is boxed. */
    interface Body {
        Status run();
    }

    abstract Operations operations();

    /** Runs an operation; an unexpected error stops the namespace. */
    abstract Status stopping(Body body);

    /** Runs an operation that takes space; a full pool is swept and the operation tried once more. */
    abstract Status allocating(Body body);

    @Override
    public final Status symlink(long directory, Name name, byte[] target, int uid, int gid, Attributes out) {
        return allocating(() -> operations().symlink(directory, name, target, uid, gid, out));
    }

    @Override
    public final Status readlink(long directory, Name name, Bytes out) {
        return stopping(() -> operations().readlink(directory, name, out));
    }

    @Override
    public final Status setXattr(long directory, Name name, Name attribute, byte[] value, XattrMode mode) {
        return allocating(() -> operations().setXattr(directory, name, attribute, value, mode));
    }

    @Override
    public final Status getXattr(long directory, Name name, Name attribute, Bytes out) {
        return stopping(() -> operations().getXattr(directory, name, attribute, out));
    }

    @Override
    public final Status listXattrs(long directory, Name name, List<Name> out) {
        return stopping(() -> operations().listXattrs(directory, name, out));
    }

    @Override
    public final Status removeXattr(long directory, Name name, Name attribute) {
        return allocating(() -> operations().removeXattr(directory, name, attribute));
    }

    @Override
    public final Status setAcl(long directory, Name name, byte[] acl) {
        return allocating(() -> operations().setAcl(directory, name, acl));
    }

    @Override
    public final Status getAcl(long directory, Name name, Bytes out) {
        return stopping(() -> operations().getAcl(directory, name, out));
    }

    @Override
    public final Status removeAcl(long directory, Name name) {
        return allocating(() -> operations().removeAcl(directory, name));
    }
}
