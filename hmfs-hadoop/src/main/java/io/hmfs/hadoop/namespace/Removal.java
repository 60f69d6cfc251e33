package io.hmfs.hadoop.namespace;

import io.hmfs.client.HmfsException;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.listing.Listings;
import java.io.IOException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;

/**
 * Deletes files and directories: whole trees by the server in one step where it keeps the data, else entry by entry.
 * Thread-safe.
 */
public final class Removal {
    private final ServerLink link;
    private final Listings listings;
    private final Settings settings;

    /**
     * How trees are deleted.
     *
     * @param atOnce by the server in one step, where it keeps the data
     * @param inFlight requests under way at once, at most, where a tree is deleted entry by entry
     * @param pageEntries entries asked for in one request, at most
     */
    public record Settings(boolean atOnce, int inFlight, int pageEntries) {}

    public Removal(ServerLink link, Listings listings, Settings settings) {
        this.link = link;
        this.listings = listings;
        this.settings = settings;
    }

    /** Deletes a file or a directory. @return false if there is nothing at {@code path} */
    public boolean run(String path, boolean recursive) throws IOException {
        if (path.equals("/")) {
            if (!recursive && !listings.isEmpty(path)) {
                throw new PathIsNotEmptyDirectoryException(path);
            }
            return false; // as in HDFS: the root stays, and so does what is in it
        }
        try {
            link.client().remove(path);
            return true;
        } catch (HmfsException e) {
            switch (e.code()) {
                case NOT_FOUND, NO_SUCH_DIRECTORY, NOT_DIRECTORY, NAME_TOO_LONG -> {
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
            if (!settings.atOnce || !removeTree(path)) {
                link.repeat(client -> new TreeDelete(client, settings.inFlight, settings.pageEntries).run(path));
            }
            return true;
        } catch (HmfsException e) {
            throw HadoopErrors.translate(path, e);
        }
    }

    /** Lets the server remove a tree in one step. @return false if its pool has no room for the step */
    private boolean removeTree(String path) throws IOException {
        try {
            link.client().trees().remove(path); // not repeated: the path may have been made anew
            return true;
        } catch (HmfsException e) {
            switch (e.code()) {
                case NOT_FOUND, NO_SUCH_DIRECTORY -> {
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
