package io.hmfs.client.gc;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** What a data store has, for the search for what it should not have. For one thread. */
public interface ObjectStore extends Closeable {
    /** Hears of each object. */
    interface Visitor {
        /** Whether more is to be told of this one, which may cost the store a request. */
        boolean wants(long inode, long block, boolean unfinished) throws IOException;

        /** What it wanted, if it was still there. */
        void object(StoredObject object) throws IOException;

        /** Something with a name that no object has. */
        void unknown(String name) throws IOException;
    }

    /** Lists all that there is; throws unless that was all. */
    void list(Visitor visitor) throws IOException;

    /**
     * Removes objects.
     *
     * @return those that were there
     * @throws IOException one of them could not be removed; others may have been
     */
    List<StoredObject> remove(List<StoredObject> objects) throws IOException;
}
