package io.hmfs.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.hadoop.TestServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystem.WriteMode;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.RecoverableFsDataOutputStream;
import org.apache.flink.core.fs.RecoverableWriter;
import org.apache.flink.core.fs.RecoverableWriter.CommitRecoverable;
import org.apache.flink.core.fs.RecoverableWriter.ResumeRecoverable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * Goal: what Flink's sinks rest on: a file appears by its commit, a writer goes on where a checkpoint was, and one that was replaced writes no more.
 * Method: two filesystems, as two processes would have them, on a server process; what a checkpoint keeps goes through its bytes.
 */
class ResumingWriterTest {
    private static String server = "";

    private FileSystem first = FileSystem.getLocalFileSystem();
    private FileSystem second = first;
    private Path directory = new Path("/");

    @BeforeAll
    static void start() throws IOException {
        server = TestServerProcess.shared().uri().toString();
    }

    @BeforeEach
    void open(TestInfo test) throws IOException {
        first = open(new Configuration(), server);
        second = open(new Configuration(), server);
        directory = new Path(server + "/" + test.getTestMethod().orElseThrow().getName());
    }

    private static FileSystem open(Configuration settings, String uri) throws IOException {
        HmfsFileSystemFactory factory = new HmfsFileSystemFactory();
        factory.configure(settings);
        return factory.create(new Path(uri).toUri());
    }

    @Test
    void a_file_appears_by_its_commit() throws IOException {
        Path file = new Path(directory, "f");
        RecoverableFsDataOutputStream out = first.createRecoverableWriter().open(file);
        write(out, "text");
        RecoverableFsDataOutputStream.Committer commit = out.closeForCommit();
        assertFalse(first.exists(file));
        commit.commit();
        assertEquals("text", read(file));
        assertEquals(List.of("f"), names());
    }

    @Test
    void a_writer_goes_on_where_the_checkpoint_was() throws IOException {
        Path file = new Path(directory, "f");
        RecoverableFsDataOutputStream out = first.createRecoverableWriter().open(file);
        write(out, "kept,");
        ResumeRecoverable checkpoint = copy(out.persist());
        write(out, "behind the checkpoint");
        out.sync();

        RecoverableFsDataOutputStream resumed = second.createRecoverableWriter().recover(checkpoint);
        assertEquals("kept,".length(), resumed.getPos());
        write(resumed, "more");
        resumed.closeForCommit().commit();
        assertEquals("kept,more", read(file));
        assertEquals(List.of("f"), names());
    }

    @Test
    void a_writer_that_was_replaced_writes_no_more() throws IOException {
        Path file = new Path(directory, "f");
        RecoverableFsDataOutputStream out = first.createRecoverableWriter().open(file);
        write(out, "kept,");
        ResumeRecoverable checkpoint = copy(out.persist());

        RecoverableFsDataOutputStream resumed = second.createRecoverableWriter().recover(checkpoint);
        assertThrows(IOException.class, () -> {
            write(out, "from the dead");
            out.sync();
        });
        write(resumed, "more");
        resumed.closeForCommit().commit();
        assertEquals("kept,more", read(file));
    }

    @Test
    void a_commit_after_a_restart_may_come_twice() throws IOException {
        Path file = new Path(directory, "f");
        RecoverableFsDataOutputStream out = first.createRecoverableWriter().open(file);
        write(out, "text");
        RecoverableFsDataOutputStream.Committer before = out.closeForCommit();
        CommitRecoverable checkpoint = copy(before.getRecoverable());

        RecoverableWriter writer = second.createRecoverableWriter();
        writer.recoverForCommit(checkpoint).commitAfterRecovery();
        writer.recoverForCommit(checkpoint).commitAfterRecovery();
        assertEquals("text", read(file));
        assertTrue(first.delete(file, false)); // as a program that has read it may do
        writer.recoverForCommit(checkpoint).commitAfterRecovery();
        assertFalse(first.exists(file));
    }

    @Test
    void a_commit_after_a_restart_cuts_off_what_came_behind_it() throws IOException {
        Path file = new Path(directory, "f");
        RecoverableFsDataOutputStream out = first.createRecoverableWriter().open(file);
        write(out, "text");
        CommitRecoverable checkpoint = copy(out.persist());
        write(out, "behind the checkpoint");
        out.sync();
        second.createRecoverableWriter().recoverForCommit(checkpoint).commitAfterRecovery();
        assertEquals("text", read(file));
    }

    @Test
    void a_commit_replaces_nothing() throws IOException {
        Path file = new Path(directory, "f");
        RecoverableFsDataOutputStream out = first.createRecoverableWriter().open(file);
        write(out, "late");
        RecoverableFsDataOutputStream.Committer commit = out.closeForCommit();
        try (FSDataOutputStream other = first.create(file, WriteMode.NO_OVERWRITE)) {
            write(other, "early");
        }
        IOException refused = assertThrows(IOException.class, commit::commit);
        assertTrue(refused.toString().contains("which is there"), refused::toString);
        assertThrows(IOException.class, commit::commitAfterRecovery);
        assertEquals("early", read(file));
        assertEquals(2, names().size()); // what was to be committed is kept
    }

    @Test
    void a_file_that_has_other_bytes_than_the_checkpoint_says_is_not_committed() throws IOException {
        RecoverableWriter writer = first.createRecoverableWriter();
        RecoverableFsDataOutputStream out = writer.open(new Path(directory, "f"));
        write(out, "text");
        CommitRecoverable checkpoint = copy(out.persist());
        RecoverableFsDataOutputStream.Committer atCheckpoint = writer.recoverForCommit(checkpoint);
        write(out, ", and more");
        out.close();
        assertThrows(IOException.class, atCheckpoint::commit);

        org.apache.hadoop.fs.FileSystem files =
                assertInstanceOf(FlinkFileSystem.class, first).getHadoopFileSystem();
        files.truncate(new org.apache.hadoop.fs.Path(directory + "/" + names().get(0)), 1);
        IOException refused = assertThrows(IOException.class, atCheckpoint::commitAfterRecovery);
        assertTrue(refused.toString().contains("has 1 bytes"), refused::toString);
        assertThrows(IOException.class, atCheckpoint::commit);
        assertThrows(IOException.class, () -> writer.recover((ResumeRecoverable) checkpoint));
    }

    @Test
    void flink_finds_it_by_its_scheme() throws IOException {
        FileSystem.initialize(new Configuration(), null);
        FileSystem found = FileSystem.getUnguardedFileSystem(new Path(server).toUri());
        assertInstanceOf(FlinkFileSystem.class, found);
        assertTrue(found.isDistributedFS());
        assertTrue(found.createRecoverableWriter().supportsResume());
    }

    @Test
    void settings_come_from_flink() throws IOException {
        Configuration settings = new Configuration();
        settings.setString("fs.hmfs.limit.output", "4"); // Flink's own: HMFS would refuse it
        settings.setString("flink.hadoop.fs.defaultFS", server); // how Flink hands settings to Hadoop
        assertEquals(server, open(settings, "hmfs:///").getUri().toString());

        settings.setString("fs.hmfs.connect.timout", "1s");
        IOException refused = assertThrows(IOException.class, () -> open(settings, server));
        assertTrue(refused.toString().contains("fs.hmfs.connect.timout"), refused::toString);
    }

    @Test
    void an_address_without_a_server_is_refused() {
        IOException refused = assertThrows(IOException.class, () -> open(new Configuration(), "hmfs:///"));
        assertTrue(refused.toString().contains("names no server"), refused::toString);
    }

    @Test
    void files_are_written_once() throws IOException {
        Path file = new Path(directory, "f");
        try (FSDataOutputStream out = first.create(file, WriteMode.NO_OVERWRITE)) {
            write(out, "text");
        }
        assertThrows(FileAlreadyExistsException.class, () -> first.create(file, WriteMode.NO_OVERWRITE));
        assertEquals("text", read(file));
    }

    private static void write(FSDataOutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private String read(Path file) throws IOException {
        try (FSDataInputStream in = second.open(file)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private List<String> names() throws IOException {
        return List.of(second.listStatus(directory)).stream()
                .map(each -> each.getPath().getName())
                .toList();
    }

    private ResumeRecoverable copy(ResumeRecoverable one) throws IOException {
        return copy(first.createRecoverableWriter().getResumeRecoverableSerializer(), one);
    }

    private CommitRecoverable copy(CommitRecoverable one) throws IOException {
        return copy(first.createRecoverableWriter().getCommitRecoverableSerializer(), one);
    }

    private static <T> T copy(SimpleVersionedSerializer<T> serializer, T one) throws IOException {
        return serializer.deserialize(serializer.getVersion(), serializer.serialize(one));
    }
}
