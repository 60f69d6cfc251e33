package io.hmfs.server.transport.netty;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What sessions of one kind are made for and run on. */
interface FuzzTarget extends AutoCloseable {
    /** Begins with empty pools. */
    interface Opener {
        FuzzTarget open(Path directory, LogWatch log) throws IOException;
    }

    /** Makes the tree anew that the next session is about. */
    void reset() throws IOException;

    /** The session with this number, about the tree that stands now. */
    FuzzSession session(long seed, long number);

    /** Runs a session that was made after {@link #reset}. Null, or what is wrong. */
    @Nullable
    String run(FuzzSession session) throws IOException;

    /** Frames that were sent since the last call. */
    long takeFrames();

    /** What of them was malformed. */
    long takeMalformed();

    @Override
    void close() throws IOException;
}
