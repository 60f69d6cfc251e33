package io.hmfs.server.access;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Acl;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A user as requests see it: one object for all connections of the user, so that a change of its groups changes all of them. The
 * user's name gets a number in the pool, which keeps it for ever, only when something of the user is stored: a client can come with
 * any number of names. Thread-safe; asking allocates nothing.
 */
public final class Caller {
    /** Instead of a number: none. */
    public static final int NOBODY = -1;

    private final String name;
    private final long mark;
    private final Namespace namespace;
    private volatile int uid = NOBODY;
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

    Caller(String name, Namespace namespace) {
        this.name = name;
        this.namespace = namespace;
        mark = mark(name);
        standing = new Standing(new int[0], false);
    }

    void become(int[] gids, boolean unlimited) {
        int[] sorted = gids.clone();
        Arrays.sort(sorted);
        standing = new Standing(sorted, unlimited);
    }

    /** A connection of this user begins; until {@link #disconnected} the user's groups are kept current. */
    public void connected() {
        connections.incrementAndGet();
    }

    public void disconnected() {
        connections.decrementAndGet();
    }

    boolean isConnected() {
        return connections.get() > 0;
    }

    public String name() {
        return name;
    }

    /** The user's number in the pool; {@link #NOBODY} while nothing there belongs to the user. */
    public int uid() {
        int known = uid;
        if (known == NOBODY) {
            known = namespace.knownPrincipalId(name); // another user may have given this one something meanwhile
            uid = known;
        }
        return known;
    }

    /** As {@link #uid}, made if need be, before something of the user is stored; {@link #NOBODY}: no room for one more name. */
    public int number() {
        int known = uid;
        if (known == NOBODY) {
            known = namespace.principalId(name);
            uid = known;
        }
        return known;
    }

    /** What tells the user from all others for ever, with a number or without. */
    public long mark() {
        return mark;
    }

    private static long mark(String name) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(hash).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Whether this is the user's own number. */
    public boolean is(int owner) {
        return owner != NOBODY && uid() == owner;
    }

    /** Whether nothing is checked: the superuser, a member of the supergroup, every user where permissions are off. */
    public boolean isUnlimited() {
        return standing.unlimited;
    }

    public boolean isIn(int gid) {
        return Arrays.binarySearch(standing.gids, gid) >= 0;
    }

    boolean hasGroups() {
        return standing.gids.length > 0;
    }

    /**
     * Whether mode and ACL let this user do all of {@code wanted}: read 4, write 2, execute 1. One class decides; of several groups, one that
     * grants it is enough.
     */
    public boolean may(int mode, int ownerUid, int ownerGid, long[] acl, int wanted) {
        boolean owns = is(ownerUid);
        if (!owns && Acl.hasAccess(acl)) {
            return mayByAcl(mode, ownerGid, acl, wanted);
        }
        int bits = owns ? mode >>> 6 : isIn(ownerGid) ? mode >>> 3 : mode;
        return (bits & wanted) == wanted;
    }

    /** The group bits of the mode are the mask, of all but owner and others. */
    private boolean mayByAcl(int mode, int ownerGid, long[] acl, int wanted) {
        boolean met = false;
        for (int i = 0; i < acl.length && !Acl.isDefault(acl[i]); i++) {
            boolean ofUser = Acl.type(acl[i]) == Acl.USER;
            int id = Acl.isNamed(acl[i]) ? Acl.id(acl[i]) : ownerGid;
            if (ofUser ? is(id) : isIn(id)) {
                boolean grants = (Acl.permission(acl[i]) & mode >>> 3 & wanted) == wanted;
                if (grants || ofUser) {
                    return grants;
                }
                met = true;
            }
        }
        return !met && (mode & wanted) == wanted;
    }
}
