package io.hmfs.hadoop.link;

import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ServerStatus;
import java.io.IOException;
import org.apache.hadoop.fs.FsStatus;

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

    public boolean isInSafeMode() throws IOException {
        try {
            return link.repeatable(HmfsClient::isInSafeMode);
        } catch (HmfsException e) {
            throw HadoopErrors.translate("/", e);
        }
    }

    /** Begins or ends the safe mode; for superusers. */
    public void setSafeMode(boolean on) throws IOException {
        try {
            link.client().setSafeMode(on);
        } catch (HmfsException e) {
            throw HadoopErrors.translate("/", e);
        }
    }
}
