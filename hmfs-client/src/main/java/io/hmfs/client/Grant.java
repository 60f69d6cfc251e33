package io.hmfs.client;

import io.hmfs.wire.Wire;

/**
 * The permission to read or write the data of one file, which the server gives to the user that opens or makes it. It
 * ends after some hours, and earlier with a change of the file's mode, owner or ACL that may take a right from somebody.
 * A request that shows a grant which has ended is ACCESS_DENIED. {@link HmfsClient#open} gives another grant if the user
 * still has the right. Only the server can read the numbers, and another user or another file has no use for them.
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
