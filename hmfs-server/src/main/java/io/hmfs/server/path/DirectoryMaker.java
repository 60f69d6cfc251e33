package io.hmfs.server.path;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;

/** Makes a directory on the way to what a path names, charged to the quotas above it. */
@FunctionalInterface
public interface DirectoryMaker {
    /** Makes the directory {@code name} in {@code parent}; {@code out} is filled in with OK. */
    Status mkdir(long parent, Name name, int mode, int uid, int gid, long[] acl, Attributes out);
}
