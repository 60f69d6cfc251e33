package io.hmfs.hadoop.stream;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.client.BlockChecksums;
import io.hmfs.client.ClientOptions;
import io.hmfs.client.OpenedFile;
import io.hmfs.hadoop.OwnDirectory;
import io.hmfs.hadoop.TestServerProcess;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.store.BuiltinDataStore;
import io.hmfs.hadoop.store.DataReader;
import io.hmfs.hadoop.store.GrantSource;
import io.hmfs.hadoop.store.StoredChecksums;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/**
 * Goal: the stored checksums of an open file are those of its bytes, however many are told at once, and never those of zeros in place of what has gone.
 * Method: a reader of the builtin store that tells of less at once, on the shared server.
 */
class StoredChecksumsTest extends OwnDirectory {
    private static final long AT_ONCE = 384 << 10; // blocks are no multiple of it

    private static StoredChecksums less(StoredChecksums all) {
        return new StoredChecksums() {
            @Override
            public long max() {
                return AT_ONCE;
            }

            @Override
            public CompletableFuture<BlockChecksums> read(long block, long offset, long length) {
                return all.read(block, offset, length);
            }
        };
    }

    private interface Body {
        void run(FileBlocks blocks) throws IOException;
    }

    private static void open(Path file, Body body) throws IOException {
        String path = file.toUri().getPath();
        URI uri = TestServerProcess.shared().uri();
        try (ServerLink link = ServerLink.open(
                uri.getHost(), uri.getPort(), ClientOptions.defaults().withUser(System.getProperty("user.name")))) {
            OpenedFile opened = link.client().open(path, true, false);
            long inode = opened.info().id();
            GrantSource grants = opened::grant;
            DataReader reader = new BuiltinDataStore(link).reader(inode, grants);
            try (FileBlocks blocks =
                    new FileBlocks(link, path, inode, reader, new StreamSettings(BLOCK, CHUNK, 1, 1, false))) {
                body.run(blocks);
            }
        }
    }

    private static List<Integer> checksums(FileBlocks blocks, long length) throws IOException {
        List<Integer> found = new ArrayList<>();
        blocks.checksums(less(requireNonNull(blocks.storedChecksums())), length, (crc, count) -> found.add(crc));
        return found;
    }

    @Test
    void those_of_several_parts_of_several_blocks_are_told_in_their_order() throws IOException {
        byte[] data = bytes(1, 2 * BLOCK + 70_001);
        List<Integer> expected = new ArrayList<>();
        for (int at = 0; at < data.length; at += BlockChecksums.CHUNK) {
            CRC32C crc = new CRC32C();
            crc.update(data, at, Math.min(BlockChecksums.CHUNK, data.length - at));
            expected.add((int) crc.getValue());
        }
        open(write("parts", data), blocks -> assertEquals(expected, checksums(blocks, data.length)));
    }

    @Test
    void what_was_cut_off_meanwhile_has_none() throws IOException {
        Path file = write("cut", bytes(2, BLOCK + 1_000));
        open(file, blocks -> {
            fs.truncate(file, BLOCK);
            assertThrows(FileNotFoundException.class, () -> checksums(blocks, BLOCK + 1_000));
        });
    }
}
