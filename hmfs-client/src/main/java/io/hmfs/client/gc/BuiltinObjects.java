package io.hmfs.client.gc;

import io.hmfs.client.Census;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What the server itself keeps. What it is about to remove anyway it does not tell. */
public final class BuiltinObjects implements ObjectStore {
    private final Census census;

    /** {@code census}: the one before whose end nothing is removed. */
    public BuiltinObjects(Census census) {
        this.census = census;
    }

    @Override
    public void list(Visitor visitor) throws IOException {
        Census.Objects part = Census.Objects.START;
        while (!part.isLast()) {
            part = census.objects(part);
            for (StoredObject each : told(part)) {
                if (visitor.wants(each.inode(), each.block(), false)) {
                    visitor.object(each);
                }
            }
            for (String name : part.unknown()) {
                visitor.unknown(name);
            }
        }
    }

    private static List<StoredObject> told(Census.Objects part) {
        long[] found = part.found();
        List<StoredObject> told = new ArrayList<>(found.length / Census.Objects.FIELDS);
        for (int at = 0; at < found.length; at += Census.Objects.FIELDS) {
            String name = Long.toHexString(found[at]) + "-" + found[at + 1];
            told.add(new StoredObject(name, false, found[at], found[at + 1], found[at + 2], found[at + 3]));
        }
        return told;
    }

    @Override
    public List<StoredObject> remove(List<StoredObject> objects) throws IOException {
        long[] ids = new long[2 * objects.size()];
        for (int i = 0; i < objects.size(); i++) {
            ids[2 * i] = objects.get(i).inode();
            ids[2 * i + 1] = objects.get(i).block();
        }
        List<StoredObject> removed = new ArrayList<>();
        for (Census.Objects part : census.remove(ids)) {
            removed.addAll(told(part));
        }
        return removed;
    }

    @Override
    public void close() {
        // the connection is somebody else's
    }
}
