package io.hmfs.hadoop.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.WriteVerifier;
import io.hmfs.client.Written;
import io.hmfs.hadoop.OwnDirectory;
import io.hmfs.hadoop.TestServerProcess;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.statistics.OpCounts;
import io.hmfs.hadoop.store.BuiltinDataStore;
import io.hmfs.hadoop.store.DataReader;
import io.hmfs.hadoop.store.DataStore;
import io.hmfs.hadoop.store.DataWriter;
import io.hmfs.hadoop.store.GrantSource;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a stream whose data store fails in a way that it must not can be closed, claims nothing, and ends its lease. Method: a store that
 * throws an unchecked exception when it is given bytes, or when they are to be readable; one that shows the verifier of another machine.
 */
@Timeout(60)
class BrokenStoreTest extends OwnDirectory {
    private static final CreateOptions OPTIONS = new CreateOptions(0644, false, true, 0755);

    /** Throws where it says. */
    private record Broken(boolean onWrite, boolean onPublish) implements DataStore, DataWriter {
        @Override
        public boolean dropsBlocksItself() {
            return true;
        }

        @Override
        public DataReader reader(long inode, GrantSource grants) {
            throw new AssertionError("a stream that writes reads nothing");
        }

        @Override
        public DataWriter writer(long inode, long position, boolean isDense, GrantSource grants) {
            return this;
        }

        @Override
        public void delete(long inode, long firstBlock, long endBlock) {
            throw new AssertionError("a stream that writes removes nothing");
        }

        @Override
        public CompletableFuture<Void> write(byte[] source, int sourceOffset, int length) {
            if (onWrite) {
                throw new IllegalStateException("planted");
            }
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void publish(boolean durable) {
            if (onPublish) {
                throw new IllegalStateException("planted");
            }
        }

        @Override
        public long takeVerifier() {
            return 4711; // of a machine that is no more
        }

        @Override
        public void abort() {
            // nothing is kept
        }

        @Override
        public void close() {
            // nothing is held open
        }
    }

    @Test
    void a_stream_whose_store_throws_can_be_closed() throws IOException {
        URI uri = TestServerProcess.shared().uri();
        try (ServerLink link = ServerLink.open(
                uri.getHost(), uri.getPort(), ClientOptions.defaults().withUser(System.getProperty("user.name")))) {
            for (boolean onWrite : new boolean[] {true, false}) {
                String path = new Path(directory, "file-" + onWrite).toUri().getPath();
                StreamSettings settings = new StreamSettings(BLOCK, CHUNK, 1, 1, false);
                try (FileStreams streams =
                        new FileStreams(link, new Broken(onWrite, true), settings, null, new OpCounts(null))) {
                    HmfsOutputStream out = streams.create(path, OPTIONS);
                    out.write(1);
                    assertThrows(IllegalStateException.class, out::hflush);
                    assertThrows(IOException.class, () -> out.write(2), "it has failed");
                    assertThrows(IOException.class, out::close);
                    out.close();
                    assertEquals(0, link.client().stat(path).size());
                    assertTrue(streams.isFileClosed(path));
                }
            }
        }
    }

    /** The server had answered the writes, and its machine was lost before they were committed. */
    @Test
    void a_stream_whose_bytes_the_server_has_lost_fails() throws IOException {
        URI uri = TestServerProcess.shared().uri();
        try (ServerLink link = ServerLink.open(
                uri.getHost(), uri.getPort(), ClientOptions.defaults().withUser(System.getProperty("user.name")))) {
            String path = new Path(directory, "lost").toUri().getPath();
            StreamSettings settings = new StreamSettings(BLOCK, CHUNK, 1, 1, false);
            try (FileStreams streams =
                    new FileStreams(link, new Broken(false, false), settings, null, new OpCounts(null))) {
                HmfsOutputStream out = streams.create(path, OPTIONS);
                out.write(1);
                IOException lost = assertThrows(IOException.class, out::close);
                assertTrue(
                        String.valueOf(lost.getMessage()).contains("were lost with the server's machine"),
                        lost::getMessage);
                assertEquals(0, link.client().stat(path).size());
            }
        }
    }

    @Test
    void a_writer_knows_which_machine_has_its_bytes_until_they_are_committed() throws Exception {
        URI uri = TestServerProcess.shared().uri();
        try (ServerLink link = ServerLink.open(
                uri.getHost(), uri.getPort(), ClientOptions.defaults().withUser(System.getProperty("user.name")))) {
            String path = new Path(directory, "written").toUri().getPath();
            OpenedFile opened = link.client()
                    .createAndOpen(path, OPTIONS.leased(link.client().leases().next()));
            OpenFile file = new OpenFile(link, path, opened);
            DataWriter writer = new BuiltinDataStore(link).writer(file.inode(), 0, true, file.grants());
            assertEquals(WriteVerifier.NONE, writer.takeVerifier());
            writer.write(new byte[100], 0, 100).get();
            writer.write(new byte[100], 0, 100).get();
            long verifier = writer.takeVerifier();
            assertTrue(verifier > 0);
            assertEquals(WriteVerifier.NONE, writer.takeVerifier());
            file.commit(200, false, new Written(0, verifier));
            assertThrows(IOException.class, () -> file.commit(200, false, new Written(0, verifier + 1)));
            file.release(false, true);
        }
    }
}
