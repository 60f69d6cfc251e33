package io.hmfs.hadoop.link;

import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ServerStatus;
import java.io.IOException;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.SafeModeAction;

/** What concerns the whole server: its space and its safe mode. Thread-safe. */
public final class ServerState {
    private final ServerLink link;

    public ServerState(ServerLink link) {
        this.link = link;
    }

    /** The space of the metadata pool in bytes. The space of the file data is known to the data store alone. */
    public FsStatus space() throws IOException {
        ServerStatus status = link.repeatable(HmfsClient::status);
        long used = status.regionsMax() == 0
                ? 0
                : (long) ((double) status.capacity() * status.regionsUsed() / status.regionsMax());
        return new FsStatus(status.capacity(), used, status.capacity() - used);
    }

    /**
     * Asks for the safe mode, or changes it, which is for superusers.
     *
     * @return whether the server is in safe mode then
     */
    public boolean safeMode(SafeModeAction action) throws IOException {
        try {
            return switch (action) {
                case GET -> link.repeatable(HmfsClient::isInSafeMode);
                case ENTER -> {
                    link.client().setSafeMode(true);
                    yield true;
                }
                case LEAVE, FORCE_EXIT -> {
                    link.client().setSafeMode(false);
                    yield false;
                }
            };
        } catch (HmfsException e) {
            throw HadoopErrors.translate("/", e);
        }
    }
}
