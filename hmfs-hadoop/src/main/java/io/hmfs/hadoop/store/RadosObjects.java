package io.hmfs.hadoop.store;

import io.hmfs.client.gc.ObjectStore;
import io.hmfs.client.gc.StoredObject;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;

/** Lists and removes what there is in the pool of a {@link RadosDataStore}. */
public final class RadosObjects implements ObjectStore {
    private final RadosPool pool;

    public RadosObjects(URI address, RadosSettings settings) throws IOException {
        pool = RadosDataStore.pool(address, settings);
    }

    @Override
    public void list(Visitor visitor) throws IOException {
        pool.list(name -> {
            Matcher found = HadoopObjects.OBJECT.matcher(name);
            if (!found.matches()) {
                visitor.unknown(name);
                return;
            }
            long inode = Long.parseUnsignedLong(found.group(1), HadoopObjects.HEX);
            long block = Long.parseLong(found.group(2));
            if (visitor.wants(inode, block, false)) {
                RadosPool.Stat stat = pool.stat(name);
                if (stat.bytes() >= 0) {
                    visitor.object(new StoredObject(name, false, inode, block, stat.bytes(), stat.modifiedMillis()));
                }
            }
        });
    }

    @Override
    public List<StoredObject> remove(List<StoredObject> objects) throws IOException {
        List<StoredObject> removed = new ArrayList<>();
        for (StoredObject each : objects) {
            if (pool.remove(each.name())) {
                removed.add(each);
            }
        }
        return removed;
    }

    @Override
    public void close() {
        pool.close();
    }
}
