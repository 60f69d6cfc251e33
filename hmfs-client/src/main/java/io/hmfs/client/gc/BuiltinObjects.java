package io.hmfs.client.gc;

import io.hmfs.client.Census;
import java.io.IOException;
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
            for (Census.Item each : part.found()) {
                if (visitor.wants(each.inode(), each.block(), false)) {
                    visitor.object(told(each));
                }
            }
            for (String name : part.unknown()) {
                visitor.unknown(name);
            }
        }
    }

    private static StoredObject told(Census.Item item) {
        String name = Long.toHexString(item.inode()) + "-" + item.block();
        return new StoredObject(name, false, item.inode(), item.block(), item.bytes(), item.modifiedMillis());
    }

    @Override
    public List<StoredObject> remove(List<StoredObject> objects) throws IOException {
        long[] ids = new long[2 * objects.size()];
        for (int i = 0; i < objects.size(); i++) {
            ids[2 * i] = objects.get(i).inode();
            ids[2 * i + 1] = objects.get(i).block();
        }
        return census.remove(ids).stream().map(BuiltinObjects::told).toList();
    }

    @Override
    public void close() {
        // the connection belongs to the caller
    }
}
