import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.RecoverableFsDataOutputStream;
import org.apache.flink.core.fs.RecoverableWriter;
import org.apache.flink.core.fs.RecoverableWriter.CommitRecoverable;
import org.apache.flink.core.fs.RecoverableWriter.ResumeRecoverable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.plugin.PluginUtils;

/**
 * What Flink's exactly-once sink does with its files, in processes of their own: {@code write FILE STATE} writes and closes a file for a commit, and
 * leaves what a checkpoint keeps of it in the local file STATE; {@code commit FILE STATE} commits it, as after a restart; {@code begin FILE STATE}
 * writes a file and leaves it open at a checkpoint, {@code resume FILE STATE} goes on with it. Prints {@code RESULT done}, or {@code RESULT } and the
 * class of the exception with which Flink refuses.
 */
public final class FlinkWriter {
    private FlinkWriter() {}

    public static void main(String[] args) throws Exception {
        Path file = new Path(args[1]);
        java.nio.file.Path state = java.nio.file.Path.of(args[2]);
        Configuration none = new Configuration();
        FileSystem.initialize(none, PluginUtils.createPluginManagerFromRootFolder(none)); // plugins: those below the working directory
        String seen = "done";
        try {
            run(args[0], file, state);
        } catch (UnsupportedOperationException | IllegalStateException e) {
            seen = e.getClass().getSimpleName();
        }
        System.out.println("RESULT " + seen);
    }

    private static void run(String what, Path file, java.nio.file.Path state) throws IOException {
        RecoverableWriter writer = file.getFileSystem().createRecoverableWriter();
        switch (what) {
            case "write" -> {
                RecoverableFsDataOutputStream out = writer.open(file);
                out.write("committed\n".getBytes(StandardCharsets.US_ASCII));
                save(writer.getCommitRecoverableSerializer(), out.closeForCommit().getRecoverable(), state);
            }
            case "commit" -> {
                CommitRecoverable saved = load(writer.getCommitRecoverableSerializer(), state);
                writer.recoverForCommit(saved).commitAfterRecovery();
                writer.recoverForCommit(saved).commitAfterRecovery(); // a restart may come again
            }
            case "begin" -> {
                RecoverableFsDataOutputStream out = writer.open(file);
                out.write("kept\n".getBytes(StandardCharsets.US_ASCII));
                save(writer.getResumeRecoverableSerializer(), out.persist(), state);
                out.write("behind the checkpoint\n".getBytes(StandardCharsets.US_ASCII));
                out.sync();
                Runtime.getRuntime().halt(0); // the file stays open
            }
            case "resume" -> {
                ResumeRecoverable saved = load(writer.getResumeRecoverableSerializer(), state);
                RecoverableFsDataOutputStream out = writer.recover(saved);
                out.write("more\n".getBytes(StandardCharsets.US_ASCII));
                out.closeForCommit().commit();
            }
            default -> throw new IllegalArgumentException("unknown: " + what);
        }
    }

    private static <T> void save(SimpleVersionedSerializer<T> serializer, T recoverable, java.nio.file.Path state)
            throws IOException {
        java.nio.file.Files.write(state, serializer.serialize(recoverable));
    }

    private static <T> T load(SimpleVersionedSerializer<T> serializer, java.nio.file.Path state) throws IOException {
        return serializer.deserialize(serializer.getVersion(), java.nio.file.Files.readAllBytes(state));
    }
}
