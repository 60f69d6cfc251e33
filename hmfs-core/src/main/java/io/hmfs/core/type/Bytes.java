package io.hmfs.core.type;

/** Bytes that a call returns: a value, an ACL, the target of a symbolic link. */
public final class Bytes {
    private static final byte[] NONE = {};

    public byte[] value = NONE;
}
