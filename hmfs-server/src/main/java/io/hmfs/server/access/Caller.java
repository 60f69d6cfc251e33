package io.hmfs.server.access;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A user as requests see him: one object for all connections of the user, so that what changes about him changes for all of
 * them. Thread-safe; asking allocates nothing.
 */
public final class Caller {
    private final String name;
    private final int uid;
    private final AtomicInteger connections = new AtomicInteger();
    private volatile Standing standing;

    /** What changes about a user, all of it at once. */
    private static final class Standing {
        final int[] gids; // ascending
        final boolean unlimited;

        Standing(int[] gids, boolean unlimited) {
            this.gids = gids;
            this.unlimited = unlimited;
        }
    }

    Caller(String name, int uid) {
        this.name = name;
        this.uid = uid;
        standing = new Standing(new int[0], false);
    }

    void become(int[] gids, boolean unlimited) {
        int[] sorted = gids.clone();
        Arrays.sort(sorted);
        standing = new Standing(sorted, unlimited);
    }

    /** A connection of this user begins; until {@link #left} his groups are kept current. */
    public void joined() {
        connections.incrementAndGet();
    }

    public void left() {
        connections.decrementAndGet();
    }

    boolean isConnected() {
        return connections.get() > 0;
    }

    public String name() {
        return name;
    }

    /** The user's number in the pool. */
    public int uid() {
        return uid;
    }

    /** Whether nothing is checked: the superuser, a member of the supergroup, everybody where permissions are off. */
    public boolean isUnlimited() {
        return standing.unlimited;
    }

    public boolean isIn(int gid) {
        return Arrays.binarySearch(standing.gids, gid) >= 0;
    }

    boolean hasGroups() {
        return standing.gids.length > 0;
    }

    /** Whether the bits of a mode let this user do all of {@code wanted}: read 4, write 2, execute 1. One class decides. */
    public boolean may(int mode, int ownerUid, int ownerGid, int wanted) {
        int bits = ownerUid == uid ? mode >>> 6 : isIn(ownerGid) ? mode >>> 3 : mode;
        return (bits & wanted) == wanted;
    }
}
