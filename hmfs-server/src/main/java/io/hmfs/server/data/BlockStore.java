package io.hmfs.server.data;

import io.hmfs.core.pmem.OwnFiles;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

/**
 * Objects ⟨inode, block⟩ as files {@code xx/yy/<inode in hex>-<block>.v1}, xx and yy two bytes of a hash of the inode. Thread-safe;
 * blocks on the disk. An object may be shorter than its block: what lies behind its end reads as absent. What is read was verified
 * ({@link CheckedObject}). An object of an older HMFS, without the ending, has no checksums and gets them when it is first opened.
 */
public final class BlockStore implements AutoCloseable {
    private static final int REMEMBERED_MAX = 16_384;

    /**
     * So many blocks are asked for one by one. Of more, the directory is asked which there are: a size is whatever a user has said
     * it is, and says nothing of what was ever written.
     */
    private static final long ASKED_MAX = 1_024;

    private static final Pattern BLOCK = Pattern.compile("\\d{1,18}");

    private static final Set<OpenOption> MADE = Set.of(
            StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> MARK =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

    /** In place of a block's number: the objects of the inode do not stand one behind the other, as a writer has left out some. */
    static final String SPARSE = "sparse";

    /** Behind the name of an object that has checksums. */
    static final String CHECKED = ".v1";

    private static final System.Logger LOG = System.getLogger(BlockStore.class.getName());
    private static final int TOLD_MAX = 1_024;
    private static final int COPIED = 1 << 20;

    private final Path directory;
    private final long blockSize;
    private final boolean durable;
    private ObjectFormat format; // not changed once an object is open
    private final HandleCache handles;
    private final SyncedSizes synced = new SyncedSizes();
    private final Scratch.Pool scratches = new Scratch.Pool();
    private final long stamp = new SecureRandom().nextLong(1, Long.MAX_VALUE); // of this start
    private volatile long verifier = MachineStart.verifier();
    private final Map<Path, DirectoryNames> names = new ConcurrentHashMap<>(); // of the directories with objects
    final Object converting = new Object(); // package-private for the test of a removal that has to wait for it
    private final LongAdder corrupt = new LongAdder();
    private final Set<String> told = ConcurrentHashMap.newKeySet(); // damaged chunks that are in the log

    // A writer may not know yet that its file was deleted: what it writes then would stay for ever.
    private final Map<Long, Boolean> removed = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };

    /**
     * Opens the store, making its directory if need be.
     *
     * @param durable whether {@link #sync} must also make an object's existence survive power failure
     */
    public BlockStore(Path directory, long blockSize, int handlesMax, boolean durable) throws IOException {
        this.directory = directory;
        this.blockSize = blockSize;
        this.durable = durable;
        this.format = ObjectFormat.aligned(blockSize);
        makeDirectories(directory.toAbsolutePath());
        OwnFiles.closeDirectory(directory);
        handles = new HandleCache(handlesMax, new HandleCache.Files() {
            @Override
            public Path path(HandleCache.Key key) {
                return BlockStore.this.path(key.inode(), key.block());
            }

            @Override
            public CheckedObject object(HandleCache.Key key, FileChannel channel) {
                return checked(key, channel);
            }

            @Override
            public boolean hasOlder(HandleCache.Key key) {
                return BlockStore.this.hasOlder(key);
            }

            @Override
            public FileChannel create(HandleCache.Key key, Path path) throws IOException {
                makeParents(path);
                markSparse(key, path);
                return naming(path, () -> FileChannel.open(path, MADE, OwnFiles.file()));
            }

            @Override
            public boolean delete(Path path) throws IOException {
                return isDeleted(path);
            }
        });
    }

    /**
     * Requires that the directory is this cluster's, or takes it for it ({@link DirectoryMark#claim}); to be called before all else.
     *
     * @throws IOException also if it is another cluster's
     */
    void claim(UUID cluster, boolean mayBeOlder) throws IOException {
        format = DirectoryMark.claim(directory, cluster, mayBeOlder, blockSize);
    }

    private CheckedObject checked(HandleCache.Key key, FileChannel channel) {
        return new CheckedObject(new ObjectFile.OfChannel(channel), key.inode(), key.block(), format, durable, stamp);
    }

    /** Where an object lies. */
    Path path(long inode, long block) {
        Path older = olderPath(inode, block);
        return older.resolveSibling(older.getFileName() + CHECKED);
    }

    /** Where it lies if it is of an HMFS without checksums. */
    Path olderPath(long inode, long block) {
        long hash = inode * 0x9E3779B97F4A7C15L;
        return directory((int) (hash >>> 56), (int) (hash >>> 48) & 0xFF)
                .resolve(Long.toHexString(inode) + "-" + block);
    }

    private boolean hasOlder(HandleCache.Key key) {
        return Files.exists(olderPath(key.inode(), key.block()), LinkOption.NOFOLLOW_LINKS);
    }

    /** Bytes of an object whose file is of this size. */
    long bytes(long fileSize) {
        return Math.max(0, fileSize - format.dataAt);
    }

    private HandleCache.Handle acquire(HandleCache.Key key, boolean create) throws IOException {
        try {
            return handles.acquire(key, create);
        } catch (NoSuchFileException e) {
            if (!hasOlder(key)) {
                throw e;
            }
        }
        synchronized (converting) {
            if (Files.notExists(path(key.inode(), key.block()), LinkOption.NOFOLLOW_LINKS)) {
                convert(key);
            }
        }
        return handles.acquire(key, create);
    }

    /** Gives an object its checksums: under another name first, and the older form goes when the new one is durable. */
    private void convert(HandleCache.Key key) throws IOException {
        Path older = olderPath(key.inode(), key.block());
        Path path = path(key.inode(), key.block());
        Path made = beingMade(path);
        Files.deleteIfExists(made);
        try (FileChannel from = FileChannel.open(older, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
                FileChannel to = FileChannel.open(
                        made,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                        OwnFiles.file())) {
            CheckedObject object = checked(key, to);
            Scratch scratch = scratches.take();
            ByteBuffer bytes = ByteBuffer.allocateDirect((int) Math.min(COPIED, blockSize));
            for (long at = 0; from.read(bytes.clear(), at) > 0; at += bytes.limit()) {
                object.write(at, 0, bytes.flip(), scratch);
            }
            object.sync(scratch);
            scratches.give(scratch);
        } catch (NoSuchFileException e) {
            return; // it was removed meanwhile
        }
        naming(path, () -> Files.move(made, path, StandardCopyOption.ATOMIC_MOVE));
        forceDirectory(parent(path));
        Files.deleteIfExists(older); // a remover may have been here
    }

    /** Parts of objects that were asked for, or were to be changed, and were found damaged. */
    public long corrupt() {
        return corrupt.sum();
    }

    /** Counts a damaged chunk, says it once, and names it by its place in the file. What a client says was lost is only named. */
    private CorruptObjectException damaged(HandleCache.Key key, CorruptObjectException e) {
        long position = key.block() * blockSize + e.position();
        if (e instanceof LostBytesException) {
            return new CorruptObjectException(position, String.valueOf(e.getMessage()));
        }
        corrupt.increment();
        String what = "the data of inode " + Long.toHexString(key.inode()) + " is damaged from byte " + position
                + " of the file on, and is not served: " + path(key.inode(), key.block()) + ": " + e.getMessage();
        if (told.size() < TOLD_MAX && told.add(what)) {
            LOG.log(Level.ERROR, what);
        }
        return new CorruptObjectException(position, String.valueOf(e.getMessage()));
    }

    Path directory() {
        return directory;
    }

    Path directory(int outer) {
        return directory.resolve(hex(outer));
    }

    Path directory(int outer, int inner) {
        return directory(outer).resolve(hex(inner));
    }

    private static String hex(int value) {
        return value < 16 ? "0" + Integer.toHexString(value) : Integer.toHexString(value);
    }

    /** A directory that a power cut takes away takes all that was committed in there. */
    private void makeDirectories(Path path) throws IOException {
        Path above = path.getParent();
        if (above == null || Files.exists(path.resolve(DirectoryMark.NAME))) {
            return; // a start has been here
        }
        boolean isMade = !Files.isDirectory(path);
        if (isMade) {
            makeDirectories(above);
            Files.createDirectories(path);
        }
        if (durable && (isMade || path.equals(directory.toAbsolutePath()))) {
            try {
                forceDirectory(above);
            } catch (AccessDeniedException e) {
                if (isMade) {
                    throw e;
                } // an administrator has made it, where this user may only pass
            }
        }
    }

    private void makeParents(Path path) throws IOException {
        Path inner = parent(path);
        Path outer = parent(inner);
        makeDirectory(outer);
        makeDirectory(inner);
    }

    private void makeDirectory(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            try {
                naming(path, () -> Files.createDirectory(path, OwnFiles.directory()));
            } catch (FileAlreadyExistsException e) {
                // another thread was faster
            }
        }
    }

    /**
     * Blocks of an inode are known by its size, and behind that as far as they stand one behind the other. Before one is made that does not,
     * the inode is marked †durably, so that the directory is asked which there are when they go.
     */
    private void markSparse(HandleCache.Key key, Path path) throws IOException {
        if (key.block() == 0 || isThere(key.inode(), key.block() - 1)) {
            return;
        }
        Path mark = sparseMark(key.inode());
        synchronized (names(parent(path))) { // who finds the mark finds it durable
            if (Files.notExists(mark, LinkOption.NOFOLLOW_LINKS)) {
                FileChannel.open(mark, MARK, OwnFiles.file()).close();
                forceParent(path);
            }
        }
    }

    /** Where an inode is marked whose objects do not stand one behind the other. */
    Path sparseMark(long inode) {
        return olderPath(inode, 0).resolveSibling(Long.toHexString(inode) + "-" + SPARSE);
    }

    private boolean isSparse(long inode) {
        return Files.exists(sparseMark(inode), LinkOption.NOFOLLOW_LINKS);
    }

    private boolean isThere(long inode, long block) {
        return Files.exists(path(inode, block), LinkOption.NOFOLLOW_LINKS)
                || hasOlder(new HandleCache.Key(inode, block));
    }

    /** Gives something a name. From before it is seen there, a commit knows that the name is not on the disk. */
    private <T> T naming(Path path, Naming<T> deed) throws IOException {
        DirectoryNames known = names(parent(path));
        known.begin();
        try {
            return deed.run();
        } finally {
            known.end();
        }
    }

    private interface Naming<T> {
        T run() throws IOException;
    }

    private DirectoryNames names(Path directory) {
        return names.computeIfAbsent(directory, _ -> new DirectoryNames());
    }

    /** After a name has come or gone. */
    private void forceParent(Path path) throws IOException {
        if (durable) {
            DirectoryNames known = names(parent(path));
            long seen = known.seen();
            try {
                forceDirectory(parent(path));
            } catch (IOException e) {
                known.failed(); // it is tried again before anything in there is committed
                throw e;
            }
            known.forced(seen);
        }
    }

    /** The name of an object is made durable with its bytes, at a commit, and not when it is made: a disk is waited for once. */
    private void forceNames(Path path) throws IOException {
        for (Path each = path; durable && !each.equals(directory); each = parent(each)) {
            if (!names(parent(each)).areForced()) {
                forceParent(each);
            }
        }
    }

    private static void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static Path parent(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent == null) {
            throw new IOException(path + " has no parent directory");
        }
        return parent;
    }

    /**
     * Reads into a buffer from {@code index} on. Returns the bytes read, fewer at the object's end; -1 if there is none.
     *
     * @throws CorruptObjectException if the disk gives something else than was written; it names the place in the file
     */
    public int read(long inode, long block, long position, ByteBuf target, int index, int length) throws IOException {
        HandleCache.Key key = new HandleCache.Key(inode, block);
        HandleCache.Handle handle;
        try {
            handle = acquire(key, false);
        } catch (NoSuchFileException e) {
            return -1;
        }
        Scratch scratch = scratches.take();
        try {
            return handle.object.read(position, target.nioBuffer(index, length), scratch);
        } catch (CorruptObjectException e) {
            throw damaged(key, e);
        } finally {
            scratches.give(scratch);
            handles.release(handle);
        }
    }

    /** Hears of the verification of an object. */
    public interface VerifyListener {
        /** So many bytes were read. Called between two reads; false: the verification is to end. */
        boolean read(long bytes);

        /** Bytes of the file, from one place to another, that the object does not have, as it ends before. */
        void missing(long from, long to);

        /** Bytes of the file that readers are refused, or that cannot be read, from one place to another; in their order. */
        void damaged(long from, long to, String why);
    }

    /**
     * The blocks of a file that may have objects, up to this size; of a file with very many blocks, those that have. In their order.
     */
    public LongStream mayHave(long inode, long size) throws IOException {
        long end = blocks(size);
        return end > ASKED_MAX
                ? written(inode).stream()
                        .mapToLong(block -> block)
                        .filter(block -> block < end)
                        .sorted()
                : LongStream.range(0, end);
    }

    /**
     * Reads all of an object that lies below a size of its file, and tells what is damaged of it. Other objects stay open. An object that
     * has no checksums yet is left alone.
     *
     * @param room for what is read at once; a multiple of 512
     * @return false: there is no such object, or it has no checksums
     * @throws IOException if it cannot be opened
     */
    public boolean verify(long inode, long block, long size, ByteBuffer room, VerifyListener listener)
            throws IOException {
        HandleCache.Handle handle;
        try {
            handle = handles.acquirePassing(new HandleCache.Key(inode, block));
        } catch (NoSuchFileException e) {
            return false;
        }
        Scratch scratch = scratches.take();
        try {
            long begin = block * blockSize;
            verify(handle.object, begin, Math.min(blockSize, size - begin), room, scratch, listener);
            return true;
        } finally {
            scratches.give(scratch);
            handles.release(handle);
        }
    }

    /** Whether an object is there without checksums. */
    public boolean isUnchecked(long inode, long block) {
        return hasOlder(new HandleCache.Key(inode, block));
    }

    private static void verify(
            CheckedObject object, long begin, long length, ByteBuffer room, Scratch scratch, VerifyListener listener) {
        boolean goesOn = true;
        for (long at = 0; at < length && goesOn; at += room.capacity()) {
            int count = (int) Math.min(room.capacity(), length - at);
            long end = begin + length;
            int found = 0;
            try {
                found = object.verify(
                        at,
                        room.clear().limit(count),
                        scratch,
                        chunk -> listener.damaged(
                                begin + chunk,
                                Math.min(end, begin + chunk + ObjectFormat.CHUNK),
                                "the bytes are not those that were written"));
            } catch (CorruptObjectException e) {
                listener.damaged(begin, end, String.valueOf(e.getMessage()));
                goesOn = false;
            } catch (IOException e) {
                listener.damaged(begin + at, begin + at + count, "the disk gives none: " + e.getMessage());
            }
            goesOn &= listener.read(found);
            if (found >= 0 && found < count) {
                listener.missing(begin + at + found, end);
                goesOn = false;
            }
        }
    }

    /** Bytes that the CRCs of so many bytes of an object have. */
    public static long checksumBytes(long length) {
        return length / ObjectFormat.CHUNK * Integer.BYTES + (length % ObjectFormat.CHUNK > 0 ? Integer.BYTES : 0);
    }

    /** Whether the bytes that one CRC is of begin at this place of an object. */
    public static boolean isChunkStart(long position) {
        return position % ObjectFormat.CHUNK == 0;
    }

    /**
     * Puts the CRC32C of each 512 bytes of a part of an object into a buffer, little-endian; the last one is of the bytes that are left.
     * They are those of the object's table: data is read only of the chunk in which the part ends. Bytes that the object does not have
     * count as zeros.
     *
     * @param position at the start of a chunk
     * @return whether the object has all these bytes
     * @throws CorruptObjectException as for reads, of what is seen without reading the data
     */
    public boolean readChecksums(long inode, long block, long position, long length, ByteBuf target, int index)
            throws IOException {
        ByteBuffer out = target.nioBuffer(index, (int) checksumBytes(length)).order(ByteOrder.LITTLE_ENDIAN);
        HandleCache.Key key = new HandleCache.Key(inode, block);
        HandleCache.Handle handle;
        Scratch scratch = scratches.take();
        try {
            handle = acquire(key, false);
        } catch (NoSuchFileException e) {
            CheckedObject.putChecksumsOfNothing(length, out, scratch);
            scratches.give(scratch);
            return length == 0;
        }
        try {
            return handle.object.readChecksums(position, length, out, scratch);
        } catch (CorruptObjectException e) {
            throw damaged(key, e);
        } finally {
            scratches.give(scratch);
            handles.release(handle);
        }
    }

    /**
     * Writes bytes of a buffer. False: the inode was removed, nothing is kept.
     *
     * @param there bytes of the object that its writer knows to be there
     * @throws CorruptObjectException as for reads, if a part of what is damaged would be kept beside the new bytes, or the object has fewer
     *     bytes than are there: then nothing is written
     */
    public boolean write(long inode, long block, long position, long there, ByteBuf source, int index, int length)
            throws IOException {
        if (wasRemoved(inode)) {
            return false;
        }
        HandleCache.Key key = new HandleCache.Key(inode, block);
        HandleCache.Handle handle = acquire(key, true);
        Scratch scratch = scratches.take();
        try {
            // A view of its own: getBytes with a channel goes through the one view that all users of the buffer share.
            // The connection's thread may be appending the next frame through it, and other bytes would be written.
            handle.object.write(position, there, source.nioBuffer(index, length), scratch);
        } catch (CorruptObjectException e) {
            throw damaged(key, e);
        } finally {
            scratches.give(scratch);
            handles.release(handle);
        }
        synced.written(inode, block * blockSize);
        if (handle.isRemoved()) {
            return false; // the file was removed during the write
        }
        if (wasRemoved(inode)) { // between the first look and the write: the object was made behind the remover's back
            removeObject(inode, block);
            return false;
        }
        return true;
    }

    /** Makes what was written to an object durable; fine if there is none. */
    public void sync(long inode, long block) throws IOException {
        long stamp = synced.beginSync(inode);
        force(inode, block);
        synced.synced(inode, block * blockSize, (block + 1) * blockSize, stamp, false);
    }

    private void force(long inode, long block) throws IOException {
        HandleCache.Key key = new HandleCache.Key(inode, block);
        HandleCache.Handle handle;
        try {
            handle = acquire(key, false);
        } catch (NoSuchFileException e) {
            return;
        }
        Scratch scratch = scratches.take();
        try {
            handle.object.sync(scratch);
            forceNames(path(inode, block));
        } catch (CorruptObjectException e) {
            throw damaged(key, e);
        } catch (IOException e) {
            // The system forgets what it could not write, and the next sync would succeed without it: nothing that was
            // answered until now is committed any more, and its writers write it again.
            verifier = MachineStart.another();
            throw e;
        } finally {
            scratches.give(scratch);
            handles.release(handle);
        }
    }

    /** Whether all bytes of a file below this size whose writing was answered are known to be durable. Does not wait for the disk. */
    public boolean isSynced(long inode, long size) {
        return size == 0 || synced.covers(inode, size);
    }

    /** Makes the bytes of a file from one size to another durable; those before are. */
    public void syncRange(long inode, long fromSize, long toSize) throws IOException {
        long stamp = synced.beginSync(inode);
        long first = fromSize / blockSize;
        long end = blocks(toSize);
        if (end - first > ASKED_MAX) {
            for (long block : written(inode)) {
                if (block >= first && block < end) {
                    force(inode, block);
                }
            }
        } else {
            for (long block = first; block < end; block++) {
                force(inode, block);
            }
        }
        synced.synced(inode, first * blockSize, end * blockSize, stamp, true);
    }

    /** Cuts off what lies behind this size, for good if the store is durable; {@code before} is what was committed so far. */
    public void truncate(long inode, long size, long before) throws IOException {
        long block = size / blockSize;
        long rest = size % blockSize;
        if (rest > 0) {
            truncateObject(new HandleCache.Key(inode, block), rest);
            block++;
        }
        removeFrom(inode, block, blocks(before));
        if (Files.isDirectory(parent(path(inode, 0)))) { // else nothing was ever written
            forceParent(path(inode, 0));
        }
    }

    private void truncateObject(HandleCache.Key key, long size) throws IOException {
        HandleCache.Handle handle;
        try {
            handle = acquire(key, false);
        } catch (NoSuchFileException e) {
            return; // nothing was ever written there
        }
        Scratch scratch = scratches.take();
        try {
            handle.object.truncate(size, scratch);
        } catch (CorruptObjectException e) {
            throw damaged(key, e);
        } finally {
            scratches.give(scratch);
            handles.release(handle);
        }
    }

    /** Removes all objects of an inode, for good: later writes to it are refused. {@code size} is what was committed. */
    public void remove(long inode, long size) throws IOException {
        synchronized (removed) {
            removed.put(inode, Boolean.TRUE);
        }
        removeFrom(inode, 0, blocks(size));
        Files.deleteIfExists(sparseMark(inode)); // last: until then another start asks the directory again
    }

    /**
     * Identifies the machine's boot, and not the server's start: the system keeps bytes that were not synced until the machine is lost. A sync that
     * fails makes it another one. What a write is answered with was asked for before it.
     */
    public long verifier() {
        return verifier;
    }

    /** Bytes of a block. */
    public long blockSize() {
        return blockSize;
    }

    /** Blocks that a file of this size has. */
    public long blocks(long size) {
        return size / blockSize + (size % blockSize > 0 ? 1 : 0); // a size near 2^63 must not overflow
    }

    /**
     * Removes the objects from {@code first} to before {@code certain}, and those behind: the last one first, so that a crash leaves those that are
     * found again.
     */
    private void removeFrom(long inode, long first, long certain) throws IOException {
        if (certain - first > ASKED_MAX || isSparse(inode)) {
            for (long block : written(inode)) {
                if (block >= first) {
                    removeObject(new HandleCache.Key(inode, block));
                }
            }
            return;
        }
        long end = Math.max(first, certain);
        while (isThere(inode, end)) {
            end++;
        }
        for (long block = end - 1; block >= first; block--) {
            removeObject(new HandleCache.Key(inode, block));
        }
    }

    /** The blocks of an inode that have an object. */
    private List<Long> written(long inode) throws IOException {
        List<Long> blocks = new ArrayList<>();
        String prefix = Long.toHexString(inode) + "-";
        try (DirectoryStream<Path> objects = Files.newDirectoryStream(parent(path(inode, 0)), prefix + "*")) {
            for (Path object : objects) {
                String block = number(String.valueOf(object.getFileName()).substring(prefix.length()));
                if (BLOCK.matcher(block).matches()) { // else it is another program's
                    blocks.add(Long.parseLong(block));
                }
            }
        } catch (NoSuchFileException e) {
            // nothing was ever written there
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return blocks;
    }

    private static String number(String name) {
        return name.endsWith(CHECKED) ? name.substring(0, name.length() - CHECKED.length()) : name;
    }

    /**
     * Both forms, if a crash has left both; the older one first, which would be the object once more. If it was there, a conversion of it may
     * be under way, and would put the object back: its end is waited for.
     */
    private boolean removeObject(HandleCache.Key key) throws IOException {
        if (!isDeleted(olderPath(key.inode(), key.block()))) {
            return handles.remove(key);
        }
        synchronized (converting) {
            Files.deleteIfExists(beingMade(path(key.inode(), key.block()))); // by a conversion that a crash has ended
            handles.remove(key);
        }
        return true;
    }

    private static Path beingMade(Path path) {
        return path.resolveSibling(path.getFileName() + ".new");
    }

    private static boolean isDeleted(Path path) throws IOException {
        try {
            Files.delete(path);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Removes one object that no file has; false if it is not there. */
    boolean removeObject(long inode, long block) throws IOException {
        boolean wasThere = removeObject(new HandleCache.Key(inode, block));
        if (isSparse(inode) && written(inode).isEmpty()) {
            Files.deleteIfExists(sparseMark(inode));
        }
        return wasThere;
    }

    private boolean wasRemoved(long inode) {
        synchronized (removed) {
            return removed.containsKey(inode);
        }
    }

    @Override
    public void close() throws IOException {
        handles.close();
    }
}
