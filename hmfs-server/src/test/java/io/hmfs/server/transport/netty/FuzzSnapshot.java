package io.hmfs.server.transport.netty;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.AclRules;
import io.hmfs.server.data.BlockStore;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A namespace as lines, the same for two that cannot be told apart but by their clocks. */
final class FuzzSnapshot {
    /** What lines about data begin with. */
    static final String DATA = "data of ";

    private static final int READ_BYTES = 512;
    private static final int READ_BLOCKS = 2;

    /** Only the clock asks for times of these years. */
    private static final long CLOCK_FROM = TimeUnit.DAYS.toNanos(365L * 54);

    private static final long CLOCK_TO = TimeUnit.DAYS.toNanos(365L * 130);

    private final Namespace namespace;
    private final Bytes target = new Bytes();
    private final @Nullable BlockStore store;
    private final List<String> lines = new ArrayList<>();

    FuzzSnapshot(Namespace namespace, @Nullable BlockStore store) throws IOException {
        this.namespace = namespace;
        this.store = store;
        Attributes root = new Attributes();
        namespace.stat(Namespace.ROOT_PARENT_ID, new Name(), root);
        add("/", root);
        addXattrs("/", Namespace.ROOT_PARENT_ID, new Name());
        addAcl("/", Namespace.ROOT_PARENT_ID, new Name());
        walk("/", Namespace.ROOT_ID);
        Collections.sort(lines);
        for (int id = 0; !namespace.principalName(id).equals(Integer.toString(id)); id++) {
            lines.add("principal " + namespace.principalName(id));
        }
    }

    List<String> lines() {
        return lines;
    }

    private void walk(String path, long directory) throws IOException {
        List<String> below = new ArrayList<>();
        List<Long> ids = new ArrayList<>();
        List<Long> files = new ArrayList<>();
        Status listed = namespace.list(directory, new ListCursor(), (name, attributes) -> {
            String child = path + step(name);
            add(child, attributes);
            addXattrs(child, directory, name);
            addAcl(child, directory, name);
            if (attributes.isSymlink()) {
                namespace.readlink(directory, name, target);
                lines.add(child + " leads to " + HexFormat.of().formatHex(target.value));
            }
            if (attributes.isDirectory()) {
                below.add(child);
                ids.add(attributes.id);
            } else {
                files.add(attributes.id);
            }
            return true;
        });
        if (listed != Status.OK) {
            throw new IllegalStateException(path + " cannot be listed: " + listed);
        }
        for (long file : files) {
            addData(file);
        }
        for (int i = 0; i < ids.size(); i++) {
            walk(below.get(i) + "/", ids.get(i));
        }
    }

    /** What the lines about the data of a file begin with. */
    static String data(long inode) {
        return DATA + inode + "-";
    }

    private static String step(Name name) {
        return HexFormat.of().formatHex(name.toBytes()) + "(" + name + ")";
    }

    /** A name as it stands in the paths of lines. */
    static String step(String name) {
        return step(Name.of(name));
    }

    private void add(String path, Attributes object) {
        lines.add(path + " id " + object.id + " mode " + Integer.toOctalString(object.mode) + " of "
                + namespace.principalName(object.uid) + ":" + namespace.principalName(object.gid) + " size "
                + object.size
                + " names " + object.nlink + " mtime " + time(object.mtimeNanos) + " atime " + time(object.atimeNanos));
    }

    private void addXattrs(String path, long directory, Name name) {
        Status read = namespace.readXattrs(
                directory,
                name,
                (attribute, value) -> lines.add(
                        path + " has " + attribute + " = " + HexFormat.of().formatHex(value)));
        if (read != Status.OK) {
            throw new IllegalStateException(path + " does not show its attributes: " + read);
        }
    }

    private void addAcl(String path, long directory, Name name) {
        Attributes object = Attributes.withAcl();
        Status read = namespace.stat(directory, name, object);
        if (read != Status.OK) {
            throw new IllegalStateException(path + " does not show its ACL: " + read);
        }
        for (long entry : object.acl) {
            lines.add(path + " lets " + AclRules.item(entry, namespace::principalName));
        }
    }

    private static String time(long nanos) {
        return nanos > CLOCK_FROM && nanos < CLOCK_TO ? "now" : Long.toString(nanos);
    }

    private void addData(long inode) throws IOException {
        BlockStore asked = store;
        if (asked == null) {
            return;
        }
        for (int block = 0; block < READ_BLOCKS; block++) {
            ByteBuf read = Unpooled.buffer(READ_BYTES);
            int count = asked.read(inode, block, 0, read, 0, READ_BYTES);
            lines.add(data(inode) + block + " " + count + " " + ByteBufUtil.hexDump(read, 0, Math.max(count, 0)));
        }
    }
}
