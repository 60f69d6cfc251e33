package io.hmfs.hadoop.stream;

import io.hmfs.client.ClientLeases;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.FileVersion;
import io.hmfs.client.HmfsException;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.LinkOnPathException;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.statistics.OpCounts;
import io.hmfs.hadoop.store.DataStore;
import io.hmfs.hadoop.store.ObjectRemoval;
import io.hmfs.hadoop.store.StoredChecksums;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.PathIOException;
import org.jspecify.annotations.Nullable;

/**
 * Opens, creates, appends to and truncates files at absolute paths. Closing it closes the streams that are open for
 * writing. Thread-safe.
 */
public final class FileStreams implements Closeable {
    private static final int WRITE = 2;

    private final ServerLink link;
    private final DataStore store;
    private final StreamSettings settings;
    private final OpCounts counts;
    private final @Nullable ObjectRemoval objectRemoval;
    private final OpenFiles openFiles;

    /** {@code objectRemoval}: null where the server removes objects itself. */
    public FileStreams(
            ServerLink link,
            DataStore store,
            StreamSettings settings,
            @Nullable ObjectRemoval objectRemoval,
            OpCounts counts) {
        this.link = link;
        this.store = store;
        this.settings = settings;
        this.objectRemoval = objectRemoval;
        this.counts = counts;
        this.openFiles = new OpenFiles(link);
    }

    /** Opens a file for reading. */
    public HmfsInputStream open(String path) throws IOException {
        return open(path, ReadAhead.adaptive(settings.readAheadChunks()));
    }

    /**
     * Opens a file for reading; {@code options} may tell the read policy and the end of a split, as {@code openFile}
     * names them.
     */
    public HmfsInputStream open(String path, Configuration options) throws IOException {
        return open(path, ReadAhead.of(options, settings.readAheadChunks()));
    }

    private HmfsInputStream open(String path, ReadAhead readAhead) throws IOException {
        OpenedFile opened = link.ask(path, client -> client.open(path, true, false));
        return stream(blocks(path, opened), opened, readAhead);
    }

    private HmfsInputStream stream(FileBlocks blocks, OpenedFile opened, ReadAhead readAhead) {
        return HmfsInputStream.of(
                blocks, FileVersion.of(opened.info()), settings.chunkSize(), readAhead, new ReadCounts(counts));
    }

    /**
     * The checksum of the first {@code length} bytes of a file, or of all if it has fewer: by the CRCs of the data store, if it has those
     * that are asked for, else by the data.
     */
    public FileChecksum checksum(String path, Checksums checksums, long length) throws IOException {
        OpenedFile opened = link.ask(path, client -> client.open(path, true, false));
        FileBlocks blocks = blocks(path, opened);
        StoredChecksums stored = checksums.areStored() ? blocks.storedChecksums() : null;
        if (stored != null) {
            try (blocks) {
                return checksums.of(
                        blocks, stored, Math.min(length, opened.info().size()));
            }
        }
        try (HmfsInputStream file = stream(blocks, opened, ReadAhead.adaptive(settings.readAheadChunks()))) {
            return checksums.of(file, length);
        }
    }

    private FileBlocks blocks(String path, OpenedFile opened) {
        long inode = opened.info().id();
        HeldGrant grant = new HeldGrant(link, () -> path, inode, false, opened.grant());
        return new FileBlocks(link, path, inode, store.reader(inode, grant), settings);
    }

    /** Opens the file of a handle, with the options of {@link #open(String, Configuration)}. */
    public HmfsInputStream open(HmfsPathHandle handle, Configuration options) throws IOException {
        HmfsInputStream in;
        try {
            in = open(handle.path(), options);
        } catch (FileNotFoundException e) {
            throw new InvalidPathHandleException(handle.path() + ": the file is not there any more", e);
        }
        try {
            handle.check(in.version());
        } catch (IOException e) {
            in.close();
            throw e;
        }
        return in;
    }

    /** Creates a file, or replaces the one that is there, as {@code how} says. */
    public HmfsOutputStream create(String path, CreateOptions how) throws IOException {
        try {
            ClientLeases leases = link.client().leases();
            OpenedFile created = link.client().createAndOpen(path, how.leased(leases.next()));
            leases.begun();
            return writer(path, created, false);
        } catch (HmfsException e) {
            if (e.code() == ResultCode.IS_DIRECTORY) {
                throw new FileAlreadyExistsException(path + " already exists as a directory");
            }
            FileVersion expected = how.expected();
            if (e.code() == ResultCode.STALE && expected != null) {
                throw new PathIOException(
                        path,
                        "has another version than " + expected.etag() + ": another client has replaced or changed it");
            }
            throw HadoopErrors.translate(path, e);
        }
    }

    /** Opens a file for writing behind its end. */
    public HmfsOutputStream append(String path) throws IOException {
        ClientLeases leases = link.client().leases();
        long lease = leases.next();
        try {
            OpenedFile opened = link.repeatable(client -> client.open(path, false, true, lease));
            leases.begun();
            return writer(path, opened, true);
        } catch (HmfsException e) {
            if (e.code() == ResultCode.IS_DIRECTORY) {
                throw new FileAlreadyExistsException(
                        "Cannot append to directory " + path + "; already exists as a directory.");
            }
            throw HadoopErrors.translateLookup(path, e);
        }
    }

    private HmfsOutputStream writer(String path, OpenedFile opened, boolean appends) {
        OpenFile file = new OpenFile(link, path, opened);
        long position = appends ? opened.info().size() : 0;
        HmfsOutputStream stream = new HmfsOutputStream(file, position, appends, store, openFiles, settings, counts);
        openFiles.add(stream, file);
        return stream;
    }

    /**
     * Makes a file {@code size} bytes long, which must not be more than it has, and removes the objects behind its
     * new end.
     */
    public void truncate(String path, long size) throws IOException {
        if (size < 0) {
            throw new HadoopIllegalArgumentException("Cannot truncate to a negative file size: " + size + ".");
        }
        FileInfo info = link.ask(path, client -> client.stat(path));
        if (info.symlink()) {
            throw new LinkOnPathException(path, info.target());
        }
        if (info.directory() || size > info.size()) {
            // As in HDFS, a user that may not write is told that and not what is wrong.
            link.change(path, client -> client.acls().access(path, WRITE));
        }
        if (info.directory()) {
            throw new FileNotFoundException("Path is not a file: " + path);
        }
        if (size > info.size()) {
            throw new HadoopIllegalArgumentException("Cannot truncate to a larger file size. Current size: "
                    + info.size() + ", truncate size: " + size + ".");
        }
        link.change(path, client -> client.truncate(path, size));
        if (objectRemoval != null) {
            objectRemoval.truncated(info.id(), size, info.size());
        }
    }

    /**
     * Tells the streams that what stood at {@code source} was renamed to {@code target}, so that they still find
     * their file.
     */
    public void renamed(String source, String target) throws IOException {
        openFiles.renamed(source, target);
    }

    /** Takes a file from its writer; what the writer has committed stays. */
    public void recoverLease(String path) throws IOException {
        try {
            link.repeat(client -> client.leases().recover(path));
        } catch (HmfsException e) {
            throw ofFile(path, e);
        }
    }

    /** Whether no client has a file open for writing. */
    public boolean isFileClosed(String path) throws IOException {
        try {
            return link.repeatable(client -> client.leases().isClosed(path));
        } catch (HmfsException e) {
            throw ofFile(path, e);
        }
    }

    private static IOException ofFile(String path, HmfsException e) {
        return e.code() == ResultCode.IS_DIRECTORY
                ? new FileNotFoundException("Path is not a file: " + path)
                : HadoopErrors.translateLookup(path, e);
    }

    @Override
    public void close() {
        openFiles.closeAll();
    }
}
