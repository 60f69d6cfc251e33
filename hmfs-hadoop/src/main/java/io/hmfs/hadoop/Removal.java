package io.hmfs.hadoop;

import io.hmfs.client.HmfsException;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import java.io.IOException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;

/** Deletes files and directories: whole trees by the server in one step where it keeps the data, else entry by entry. Thread-safe. */
final class Removal {
    private final ServerLink link;
    private final HmfsOptions options;
    private final boolean wholeTrees;

    Removal(ServerLink link, HmfsOptions options, boolean wholeTrees) {
        this.link = link;
        this.options = options;
        this.wholeTrees = wholeTrees;
    }

    /** Deletes a file or a directory. @return false if there is nothing at {@code path} */
    boolean run(String path, boolean recursive) throws IOException {
        try {
            link.client().delete(path);
            return true;
        } catch (HmfsException e) {
            switch (e.code()) {
                case NOT_FOUND, NO_SUCH_DIRECTORY, NOT_DIRECTORY -> {
                    return false;
                }
                case IS_DIRECTORY -> {} // below
                default -> throw HadoopErrors.translate(path, e);
            }
        }
        return deleteDirectory(path, recursive);
    }

    private boolean deleteDirectory(String path, boolean recursive) throws IOException {
        try {
            link.client().rmdir(path);
            return true;
        } catch (HmfsException e) {
            switch (e.code()) {
                case NOT_FOUND, NO_SUCH_DIRECTORY -> {
                    return false;
                }
                case NOT_EMPTY -> {
                    if (!recursive) {
                        throw new PathIsNotEmptyDirectoryException(path);
                    }
                }
                default -> throw HadoopErrors.translate(path, e);
            }
        }
        try {
            if (!wholeTrees || !removeTree(path)) {
                link.repeat(client ->
                        new TreeDelete(client, options.deletesInFlight(), options.listPageEntries()).run(path));
            }
            return true;
        } catch (HmfsException e) {
            throw HadoopErrors.translate(path, e);
        }
    }

    /** By the server, in one step. False: its pool is so full that it has no room for the step. */
    private boolean removeTree(String path) throws IOException {
        try {
            link.client().trees().remove(path); // not repeated: the next one may have made it anew
            return true;
        } catch (HmfsException e) {
            switch (e.code()) {
                case NOT_FOUND, NO_SUCH_DIRECTORY -> { // gone, by us or by somebody faster
                    return true;
                }
                case NO_SPACE -> {
                    return false;
                }
                default -> throw e;
            }
        }
    }
}
