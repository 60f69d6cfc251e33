package io.hmfs.client;

import io.hmfs.wire.Wire;

/**
 * What the server gave when it opened or made a file: the permission to read or write its data for some hours, or until
 * the file's mode, owner or ACL change so that somebody's right may end; then a request that shows it is ACCESS_DENIED,
 * and {@link HmfsClient#open} gives another to a user that still has the right. The bytes are the server's own affair; shown by another user, or for another file, they are worth nothing.
 *
 * @param lease the number of the lease that came with it, from {@link ClientLeases#next}; 0: none
 */
public record Grant(long grant, long seal, long lease) {
    /** Without a lease. */
    public Grant(long grant, long seal) {
        this(grant, seal, 0);
    }

    /** How long a grant is good for, from when the server gave it. */
    public static final long LIFETIME_SECONDS = Wire.GRANT_SECONDS;

    /** No permission. Enough for the superuser, and where the server does not check permissions. */
    public static final Grant NONE = new Grant(0, 0);
}
