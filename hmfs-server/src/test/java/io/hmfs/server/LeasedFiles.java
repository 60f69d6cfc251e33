package io.hmfs.server;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.WriteVerifier;
import io.hmfs.client.Written;
import java.io.IOException;

/** Files that tests write as clients do, under a lease. */
public final class LeasedFiles {
    private LeasedFiles() {}

    public static OpenedFile create(HmfsClient client, String path, CreateOptions options) throws IOException {
        return client.createAndOpen(path, options.leased(client.leases().next()));
    }

    public static OpenedFile append(HmfsClient client, String path) throws IOException {
        return client.open(path, false, true, client.leases().next());
    }

    /** Writes into a block. */
    public static void write(HmfsClient client, OpenedFile file, long block, long offset, byte[] bytes)
            throws IOException {
        client.writeBlock(file.grant(), file.info().id(), block, offset, bytes, 0, bytes.length);
    }

    /** Commits the size, and ends the lease. */
    public static FileInfo close(HmfsClient client, OpenedFile file, long size) throws IOException {
        client.append(file.info(), size, file.grant(), true);
        return file.info();
    }

    /** The same, and says that all bytes were written. */
    public static FileInfo closeDense(HmfsClient client, OpenedFile file, long size) throws IOException {
        client.append(file.info(), size, file.grant(), true, new Written(0, WriteVerifier.NONE));
        return file.info();
    }

    /** A new file with these bytes in its first block; described as it was made. */
    public static FileInfo of(HmfsClient client, String path, CreateOptions options, byte[] bytes) throws IOException {
        OpenedFile file = create(client, path, options);
        write(client, file, 0, 0, bytes);
        return close(client, file, bytes.length);
    }
}
