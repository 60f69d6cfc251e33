package io.hmfs.hadoop.store;

import io.hmfs.client.gc.ObjectStore;
import io.hmfs.client.gc.StoredObject;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/** What there is in the directory of a {@link HadoopDataStore}. */
final class HadoopObjects implements ObjectStore {
    private static final int HEX = 16;
    private static final String OBJECT = "([1-9a-f][0-9a-f]{0,15})-(0|[1-9]\\d{0,17})";
    private static final Pattern WHOLE = Pattern.compile("[0-9a-f]{2}/[0-9a-f]{2}/" + OBJECT);
    private static final Pattern DRAFT = Pattern.compile(HadoopDataStore.DRAFTS + OBJECT + "\\.[0-9a-f-]{36}");

    private final FileSystem files;
    private final Path root;

    HadoopObjects(URI root, Configuration conf) throws IOException {
        this.files = HadoopDataStore.filesystem(root, conf);
        this.root = files.makeQualified(new Path(root));
    }

    @Override
    public void list(Visitor visitor) throws IOException {
        RemoteIterator<? extends FileStatus> all;
        try {
            all = files.listFiles(root, true);
        } catch (FileNotFoundException e) {
            if (files.exists(root)) {
                throw e;
            }
            return; // nothing was ever written
        }
        while (all.hasNext()) {
            FileStatus file = all.next();
            String name = root.toUri().relativize(file.getPath().toUri()).getPath();
            Matcher draft = DRAFT.matcher(name);
            Matcher whole = WHOLE.matcher(name);
            boolean isDraft = draft.matches();
            Matcher found = isDraft ? draft : whole;
            if (!isDraft && !whole.matches()) {
                visitor.unknown(name);
                continue;
            }
            long inode = Long.parseUnsignedLong(found.group(1), HEX);
            long block = Long.parseLong(found.group(2));
            if (!isDraft && !name.equals(HadoopDataStore.nameIn(inode, block))) {
                visitor.unknown(name);
            } else if (visitor.wants(inode, block, isDraft)) {
                visitor.object(
                        new StoredObject(name, isDraft, inode, block, file.getLen(), file.getModificationTime()));
            }
        }
    }

    @Override
    public List<StoredObject> remove(List<StoredObject> objects) throws IOException {
        List<StoredObject> removed = new ArrayList<>();
        for (StoredObject each : objects) {
            if (files.delete(new Path(root, each.name()), false)) {
                removed.add(each);
            }
        }
        return removed;
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
