package io.hmfs.server.lock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Versions of what requests change, shared by hash: each counts the changes that have ended, those that are under way in its low bits, and only grows.
 * A change shows in its version before anything is changed, and as ended only when all is changed, before the request is answered. So a
 * thread that has seen a version with nothing under way, has looked at what it stands for after that, and sees the same version again,
 * knows that all the while that was what it saw. Thread-safe; takes no lock and allocates nothing.
 */
public final class VersionStripes {
    private static final long UNDER_WAY = 1;
    private static final long UNDER_WAY_MASK = 0xFFFF; // more than there are threads
    private static final long ENDED = UNDER_WAY_MASK + 1;

    private static final VarHandle VERSION =
            MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

    private final long[] versions;

    /** So many versions, a power of two. */
    public VersionStripes(int count) {
        versions = new long[count];
    }

    /** What is looked at afterwards is not older than this version, and what was looked at before it not newer. */
    public long version(int stripe) {
        VarHandle.acquireFence(); // else loads that the caller has done could come after this one
        return (long) VERSION.getVolatile(versions, stripe);
    }

    /** Whether something with this version is being changed: what is seen of it then may be over in a moment. */
    public static boolean isUnderWay(long version) {
        return (version & UNDER_WAY_MASK) != 0;
    }

    /** Called before anything is changed. A change that throws stays under way, so that no thread relies on what is half done. */
    public void begin(int stripe) {
        long before = (long) VERSION.getAndAdd(versions, stripe, UNDER_WAY);
        assert (before & UNDER_WAY_MASK) != UNDER_WAY_MASK;
    }

    /** When all is changed, before the answer; also if nothing was. */
    public void end(int stripe) {
        long before = (long) VERSION.getAndAdd(versions, stripe, ENDED - UNDER_WAY);
        assert isUnderWay(before);
    }
}
