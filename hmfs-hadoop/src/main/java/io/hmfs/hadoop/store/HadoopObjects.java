package io.hmfs.hadoop.store;

import io.hmfs.client.gc.ObjectStore;
import io.hmfs.client.gc.StoredObject;
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

/** Lists and removes what there is in the directory of a {@link HadoopDataStore}. */
public final class HadoopObjects implements ObjectStore {
    static final int HEX = 16;
    static final Pattern OBJECT = Pattern.compile("([1-9a-f][0-9a-f]{0,15})-(0|[1-9]\\d{0,17})");

    private static final Pattern WHOLE = Pattern.compile("[0-9a-f]{2}/[0-9a-f]{2}/" + OBJECT);
    private static final Pattern STAGED = Pattern.compile(BlockFiles.STAGING + OBJECT + "\\.[0-9a-f-]{36}");

    private final FileSystem files;
    private final Path root;

    public HadoopObjects(URI root, Configuration conf) throws IOException {
        this.files = BlockFiles.filesystem(root, conf);
        this.root = files.makeQualified(new Path(root));
    }

    @Override
    public void list(Visitor visitor) throws IOException {
        if (!files.exists(root)) {
            return; // nothing was ever written
        }
        if (BlockFiles.isObjectStore(files)) { // where a directory is nothing but a part of a name
            RemoteIterator<? extends FileStatus> all = files.listFiles(root, true);
            while (all.hasNext()) {
                tell(all.next(), visitor);
            }
        } else {
            list(root, visitor);
        }
    }

    private void list(Path directory, Visitor visitor) throws IOException {
        RemoteIterator<FileStatus> all = files.listStatusIterator(directory);
        while (all.hasNext()) {
            FileStatus each = all.next();
            if (each.isDirectory()) {
                list(each.getPath(), visitor);
            } else {
                tell(each, visitor);
            }
        }
    }

    private void tell(FileStatus file, Visitor visitor) throws IOException {
        String name = root.toUri().relativize(file.getPath().toUri()).getPath();
        Matcher staged = STAGED.matcher(name);
        Matcher whole = WHOLE.matcher(name);
        boolean isStaged = staged.matches();
        if (!isStaged && !whole.matches()) {
            visitor.unknown(name);
            return;
        }
        Matcher found = isStaged ? staged : whole;
        long inode = Long.parseUnsignedLong(found.group(1), HEX);
        long block = Long.parseLong(found.group(2));
        if (!isStaged && !name.equals(BlockFiles.nameIn(inode, block))) {
            visitor.unknown(name);
        } else if (visitor.wants(inode, block, isStaged)) {
            visitor.object(new StoredObject(name, isStaged, inode, block, file.getLen(), file.getModificationTime()));
        }
    }

    @Override
    public List<StoredObject> remove(List<StoredObject> objects) throws IOException {
        List<StoredObject> removed = new ArrayList<>();
        for (StoredObject each : objects) {
            if (BlockFiles.remove(files, new Path(root, each.name()))) {
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
