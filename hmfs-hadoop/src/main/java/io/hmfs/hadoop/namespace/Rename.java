package io.hmfs.hadoop.namespace;

import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
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
    private static final int WRITE = 2; // as Acls.access takes it

    private final ServerLink link;
    private final FileStreams streams;

    /** {@code streams} are told of each rename. */
    public Rename(ServerLink link, FileStreams streams) {
        this.link = link;
        this.streams = streams;
    }

    /** Judges the path of something new. */
    @FunctionalInterface
    public interface NewPath {
        /**
         * Does nothing for a path that may be made.
         *
         * @throws IOException why it may not; also an IllegalArgumentException
         */
        void check(String path) throws IOException;
    }

    /**
     * The shell's rename: into {@code target} if that is a directory, never over a file. One request: the server
     * decides.
     *
     * @param judge judges {@code target}, and in a directory there the path that comes out of it
     * @return false for every refusal that HDFS answers with false: no source, target taken, no parent, below itself,
     * the root
     */
    public boolean into(String source, String target, NewPath judge) throws IOException {
        judge.check(target);
        boolean enters = mayEnter(source, target, judge);
        String now = target;
        try {
            if (enters) {
                now = link.client().renameInto(source, target);
            } else {
                link.client().rename(source, target, false);
            }
        } catch (HmfsException e) {
            return switch (e.code()) {
                case NOT_FOUND, EXISTS, NO_SUCH_DIRECTORY, LOOP, IS_ROOT -> false;
                default -> throw HadoopErrors.translate(target, e);
            };
        }
        if (!now.equals(source)) {
            streams.renamed(source, now);
        }
        return true;
    }

    /**
     * Whether a directory at {@code target} is to be entered: not by a name that nothing new may have, which the client
     * library has made.
     *
     * @throws IOException there is a directory, and this is the reason; also an IllegalArgumentException
     */
    private boolean mayEnter(String source, String target, NewPath judge) throws IOException {
        try {
            judge.check((target.equals("/") ? "" : target) + source.substring(source.lastIndexOf('/')));
            return true;
        } catch (IOException | IllegalArgumentException e) {
            FileInfo there = statOrNull(target);
            if (there != null && there.directory()) {
                throw e;
            }
            return false;
        }
    }

    /**
     * The exact rename of FileContext: to that name and no other; each refusal is an exception. One request renames, and
     * replaces what gives way; the look before it is for symbolic links alone, which only the client knows.
     *
     * @param overwrite whether a file, or an empty directory, at {@code target} gives way
     */
    public void exactly(String source, String target, boolean overwrite) throws IOException {
        FileInfo from = statOrNull(source);
        if (from != null && from.target().equals(target)) {
            // As HDFS: another link on the way to the target is followed first, and who may not rename is told that.
            statOrNull(target);
            mayChange(parent(source));
            mayChange(parent(target));
            throw new FileAlreadyExistsException("Cannot rename symlink " + source + " to its target " + target);
        }
        try {
            link.client().rename(source, target, overwrite);
        } catch (HmfsException e) {
            throw refusal(source, target, from, e);
        }
        if (source.equals(target)) {
            throw new FileAlreadyExistsException(
                    "The source " + source + " and destination " + target + " are the same");
        }
        streams.renamed(source, target);
    }

    /** {@code directory}: no links are on it, or it would be taken for the path that they replace. */
    private void mayChange(String directory) throws IOException {
        try {
            link.change(directory, client -> client.acls().access(directory, WRITE));
        } catch (FileNotFoundException e) {
            // No right is missing.
        }
    }

    private static String parent(String path) {
        return path.substring(0, Math.max(1, path.lastIndexOf('/')));
    }

    private IOException refusal(String source, String target, @Nullable FileInfo from, HmfsException e)
            throws IOException {
        switch (e.code()) {
            case NOT_FOUND, NO_SUCH_DIRECTORY -> {
                if (from == null) {
                    return caused(new FileNotFoundException("rename source " + source + " not found."), e);
                }
                if (target.startsWith(source.equals("/") ? "/" : source + "/")) {
                    return caused(new PathIOException(target, "rename destination is below the source " + source), e);
                }
            }
            case EXISTS, IS_DIRECTORY, NOT_DIRECTORY -> {
                FileInfo there = statOrNull(target);
                if (from != null && there != null && there.directory() != from.directory()) {
                    return caused(
                            new PathIOException(
                                    target,
                                    "rename destination is a " + kind(there) + " and the source " + source + " is a "
                                            + kind(from)),
                            e);
                }
            }
            case NOT_EMPTY -> {
                return caused(new PathIOException(target, "rename destination directory is not empty"), e);
            }
            default -> {}
        }
        return HadoopErrors.translate(e.code() == ResultCode.IS_ROOT ? source : target, e);
    }

    private static IOException caused(IOException exception, HmfsException cause) {
        exception.initCause(cause);
        return exception;
    }

    private static String kind(FileInfo entry) {
        return entry.directory() ? "directory" : "file";
    }

    private @Nullable FileInfo statOrNull(String path) throws IOException {
        try {
            return link.repeatable(client -> client.stat(path));
        } catch (HmfsException e) {
            return switch (e.code()) {
                case NOT_FOUND, NO_SUCH_DIRECTORY, NOT_DIRECTORY, NAME_TOO_LONG -> null;
                default -> throw HadoopErrors.translate(path, e);
            };
        }
    }
}
