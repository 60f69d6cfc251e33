package io.hmfs.server.data;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A part of what the store has, in the order of its directories and in each of inode and block. What stands there under another name than
 * an object's is told apart. For one thread.
 */
public final class ObjectList {
    /** Directories of a store; the number after the last one. */
    public static final int DIRECTORIES = 1 << 16;

    private static final int INNER = 256;
    private static final int DIRECTORIES_MAX = 4_096; // that are looked at for one part
    private static final int UNKNOWN_BYTES = 16 << 10;
    private static final int OBJECT_BYTES = 4 * Long.BYTES;
    private static final int HEX = 16;
    private static final Pattern OBJECT = Pattern.compile("([1-9a-f][0-9a-f]{0,15})-(0|[1-9]\\d{0,17})(\\.v1)?");
    private static final Pattern MARK = Pattern.compile("([1-9a-f][0-9a-f]{0,15})-" + BlockStore.SPARSE);
    private static final Pattern DIRECTORY = Pattern.compile("[0-9a-f]{2}");

    private final BlockStore store;
    private final List<Found> objects = new ArrayList<>();
    private final StringBuilder unknown = new StringBuilder();
    private LongPredicate leftOut = _ -> false;
    private int directory;
    private Key after = Key.START;

    private record Key(long inode, long block) implements Comparable<Key> {
        static final Key START = new Key(0, 0);

        @Override
        public int compareTo(Key other) {
            int order = Long.compareUnsigned(inode, other.inode);
            return order == 0 ? Long.compare(block, other.block) : order;
        }
    }

    private record Found(Key key, long bytes, long modifiedMillis) {}

    public ObjectList(BlockStore store) {
        this.store = store;
    }

    /** Tells nothing of these inodes. */
    public void leaveOut(LongPredicate inodes) {
        leftOut = inodes;
    }

    /** Reads on in a directory, 0 to {@link #DIRECTORIES}, behind an object there; inode 0: from its start. */
    public void read(int from, long afterInode, long afterBlock, int max) throws IOException {
        directory = from;
        after = new Key(afterInode, afterBlock);
        if (from == 0 && afterInode == 0) {
            topUnknown();
        }
        int end = Math.min(DIRECTORIES, from + DIRECTORIES_MAX);
        int outer = -1;
        BitSet inner = new BitSet();
        while (directory < end && objects.size() < max) {
            if (directory / INNER != outer) {
                outer = directory / INNER;
                inner = inner(outer);
            }
            int there = inner.nextSetBit(directory % INNER);
            if (there < 0) {
                next((outer + 1) * INNER);
            } else if (there > directory % INNER) {
                next(outer * INNER + there);
            } else {
                readOne(max - objects.size());
            }
        }
    }

    /** Those that there are. What else is there is told by the call that begins with the first one. */
    private BitSet inner(int outer) throws IOException {
        BitSet there = new BitSet(INNER);
        boolean begins = directory % INNER == 0 && after.inode == 0;
        Path path = store.directory(outer);
        list(path, name -> {
            if (isDirectory(path, name)) {
                there.set(Integer.parseInt(name, HEX));
            } else if (begins) {
                unknown(path.resolve(name));
            }
        });
        return there;
    }

    private static boolean isDirectory(Path parent, String name) {
        return DIRECTORY.matcher(name).matches() && Files.isDirectory(parent.resolve(name), NOFOLLOW_LINKS);
    }

    private void next(int number) {
        directory = number;
        after = Key.START;
    }

    private void readOne(int room) throws IOException {
        Set<Key> there = new TreeSet<>(); // one of an older form may stand beside its newer one
        Path inner = store.directory(directory / INNER, directory % INNER);
        list(inner, name -> {
            Key key = key(name);
            if (key == null || !inner.equals(store.path(key.inode, key.block).getParent())) {
                if (!isMark(inner.resolve(name), name)) {
                    unknown(inner.resolve(name));
                }
            } else if (key.compareTo(after) > 0 && !leftOut.test(key.inode)) {
                there.add(key);
            }
        });
        List<Key> keys = List.copyOf(there);
        for (Key key : keys.subList(0, Math.min(room, keys.size()))) {
            add(key);
        }
        if (keys.size() > room) {
            after = keys.get(room - 1);
        } else {
            next(directory + 1);
        }
    }

    /** False: it is gone, or something else with its name. */
    private boolean add(Key key) throws IOException {
        return add(key, store.path(key.inode, key.block), true)
                || add(key, store.olderPath(key.inode, key.block), false);
    }

    private boolean add(Key key, Path path, boolean isChecked) throws IOException {
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class, NOFOLLOW_LINKS);
            if (!attributes.isRegularFile()) {
                unknown(path);
                return false;
            }
            long bytes = isChecked ? store.bytes(attributes.size()) : attributes.size();
            objects.add(new Found(key, bytes, attributes.lastModifiedTime().toMillis()));
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Removes an object; if it was there it is one of this list. */
    public void remove(long inode, long block) throws IOException {
        if (add(new Key(inode, block)) && !store.removeObject(inode, block)) {
            objects.removeLast();
        }
    }

    private boolean isMark(Path path, String name) {
        Matcher matcher = MARK.matcher(name);
        return matcher.matches() && path.equals(store.sparseMark(Long.parseUnsignedLong(matcher.group(1), HEX)));
    }

    private static @org.jspecify.annotations.Nullable Key key(String name) {
        Matcher matcher = OBJECT.matcher(name);
        return matcher.matches()
                ? new Key(Long.parseUnsignedLong(matcher.group(1), HEX), Long.parseLong(matcher.group(2)))
                : null;
    }

    private void topUnknown() throws IOException {
        list(store.directory(), name -> {
            if (!isDirectory(store.directory(), name) && !name.equals(DirectoryMark.NAME)) {
                unknown(store.directory().resolve(name));
            }
        });
    }

    private void unknown(Path path) {
        String name = store.directory().relativize(path).toString();
        if (unknown.length() + name.length() < UNKNOWN_BYTES) {
            unknown.append(name).append('\0');
        }
    }

    @FunctionalInterface
    private interface Names {
        void name(String name) throws IOException;
    }

    private static void list(Path path, Names names) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(path)) {
            for (Path each : all) {
                names.name(String.valueOf(each.getFileName()));
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            // nothing was ever written there; or it is something else, which has been told
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    /** The directory in which the list goes on; {@link #DIRECTORIES}: that was all. */
    public int directory() {
        return directory;
    }

    /** The object behind which it goes on; 0: at the directory's start. */
    public long afterInode() {
        return after.inode;
    }

    /** The same object's block. */
    public long afterBlock() {
        return after.block;
    }

    /** Inode, block, bytes and milliseconds of the last change of each object, little-endian. */
    public byte[] objects() {
        ByteBuffer out = ByteBuffer.allocate(objects.size() * OBJECT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (Found each : objects) {
            out.putLong(each.key.inode)
                    .putLong(each.key.block)
                    .putLong(each.bytes)
                    .putLong(each.modifiedMillis);
        }
        return out.array();
    }

    /** Names that are no object's, relative to the store's directory, a NUL behind each; if they are very many, not all. */
    public byte[] unknown() {
        return unknown.toString().getBytes(StandardCharsets.UTF_8);
    }
}
