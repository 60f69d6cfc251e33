package io.hmfs.hadoop.namespace;

import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsException;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.stream.FileStreams;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.PathIOException;
import org.jspecify.annotations.Nullable;

/** Both renames of Hadoop, with the answers that HDFS gives. Paths are absolute and normal. */
public final class Rename {
    private final ServerLink link;
    private final FileStreams streams;

    /** {@code streams} are told of each rename. */
    public Rename(ServerLink link, FileStreams streams) {
        this.link = link;
        this.streams = streams;
    }

    /**
     * The shell's rename: into {@code target} if that is a directory, never over a file. One request: the server
     * decides.
     *
     * @return false for every refusal that HDFS answers with false: no source, target taken, no parent, below itself,
     * the root
     */
    public boolean into(String source, String target) throws IOException {
        String now;
        try {
            now = link.client().renameInto(source, target);
        } catch (HmfsException e) {
            return switch (e.code()) {
                case NOT_FOUND, EXISTS, NO_SUCH_DIRECTORY, NOT_DIRECTORY, LOOP, IS_ROOT -> false;
                default -> throw HadoopErrors.translate(target, e);
            };
        }
        if (!now.equals(source)) {
            streams.renamed(source, now);
        }
        return true;
    }

    /**
     * The exact rename of FileContext: to that name and no other; each refusal is an exception.
     *
     * @param overwrite whether a file, or an empty directory, at {@code target} gives way; a file does so atomically
     */
    public void exactly(String source, String target, boolean overwrite) throws IOException {
        FileInfo from = statOrNull(source);
        if (from == null) {
            throw new FileNotFoundException("rename source " + source + " not found.");
        }
        if (source.equals(target)) {
            throw new FileAlreadyExistsException(
                    "The source " + source + " and destination " + target + " are the same");
        }
        if (from.target().equals(target)) {
            throw new FileAlreadyExistsException("Cannot rename symlink " + source + " to its target " + target);
        }
        FileInfo there = overwrite ? statOrNull(target) : null;
        if (there != null && there.directory() != from.directory()) {
            throw new PathIOException(
                    target,
                    "rename destination is a " + kind(there) + " and the source " + source + " is a " + kind(from));
        }
        try {
            if (there != null && there.directory()) {
                if (isBelow(target, source)) {
                    throw new PathIOException(target, "rename destination is below the source " + source);
                }
                link.client().rmdir(target);
            }
            rename(source, target, overwrite);
        } catch (HmfsException e) {
            String about = switch (e.code()) {
                case IS_ROOT -> source;
                default -> target;
            };
            throw HadoopErrors.translate(about, e);
        }
    }

    private static boolean isBelow(String path, String directory) {
        return path.startsWith(directory.equals("/") ? "/" : directory + "/");
    }

    private static String kind(FileInfo entry) {
        return entry.directory() ? "directory" : "file";
    }

    private void rename(String source, String target, boolean replace) throws IOException {
        link.client().rename(source, target, replace);
        streams.renamed(source, target);
    }

    private @Nullable FileInfo statOrNull(String path) throws IOException {
        try {
            return link.repeatable(client -> client.stat(path));
        } catch (HmfsException e) {
            return switch (e.code()) {
                case NOT_FOUND, NO_SUCH_DIRECTORY, NOT_DIRECTORY -> null;
                default -> throw HadoopErrors.translate(path, e);
            };
        }
    }
}
