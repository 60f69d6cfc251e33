package io.hmfs.hadoop.stream;

import io.hmfs.client.FileVersion;
import io.hmfs.hadoop.attributes.HmfsFileStatus;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.Options.HandleOpt;
import org.apache.hadoop.fs.PathHandle;

/**
 * A file at its path: one inode, and perhaps one version of it. The server finds files by their names only, so a
 * handle does not follow a file that is moved.
 */
public final class HmfsPathHandle implements PathHandle {
    private static final long serialVersionUID = 1L;
    private static final int MAGIC = 0x484D4801; // the last byte is the version of the format

    private final String path;
    private final FileVersion version;
    private final boolean mayChange;

    private HmfsPathHandle(String path, FileVersion version, boolean mayChange) {
        this.path = path;
        this.version = version;
        this.mayChange = mayChange;
    }

    /**
     * Makes the handle of a file.
     *
     * @param path as the server knows it
     * @throws UnsupportedOperationException the file may be moved
     */
    public static HmfsPathHandle of(String path, FileStatus status, HandleOpt... options) {
        FileVersion version = HmfsFileStatus.versionOf(status);
        if (version == null) {
            throw new IllegalArgumentException("The status of " + status.getPath() + " is not from this filesystem");
        }
        if (!status.isFile()) {
            throw new IllegalArgumentException("A path handle is for a file, not for " + status.getPath());
        }
        if (HandleOpt.getOpt(HandleOpt.Location.class, options)
                .orElse(HandleOpt.moved(false))
                .allowChange()) {
            throw new UnsupportedOperationException(
                    "HMFS finds files by name: a handle that follows a file when it is moved cannot be made, only"
                            + " HandleOpt.exact() and HandleOpt.path()");
        }
        boolean mayChange = HandleOpt.getOpt(HandleOpt.Data.class, options)
                .orElse(HandleOpt.changed(false))
                .allowChange();
        return new HmfsPathHandle(path, version, mayChange);
    }

    /** Reads what {@link #bytes} wrote, perhaps in another process. */
    public static HmfsPathHandle of(PathHandle handle) throws IOException {
        if (handle instanceof HmfsPathHandle own) {
            return own;
        }
        ByteBuffer in = handle.bytes().duplicate();
        try {
            if (in.getInt() != MAGIC) {
                throw new InvalidPathHandleException("This is no path handle of HMFS");
            }
            boolean mayChange = in.get() != 0;
            FileVersion version = new FileVersion(in.getLong(), in.getLong(), in.getLong());
            return new HmfsPathHandle(StandardCharsets.UTF_8.decode(in).toString(), version, mayChange);
        } catch (BufferUnderflowException e) {
            throw new InvalidPathHandleException("This path handle of HMFS ends early", e);
        }
    }

    String path() {
        return path;
    }

    /** Fails unless what was opened at the path is what the handle is of. */
    void check(FileVersion opened) throws InvalidPathHandleException {
        if (opened.inode() != version.inode()) {
            throw new InvalidPathHandleException(
                    path + ": another file stands there now than when the handle was made");
        }
        if (!mayChange && !opened.equals(version)) {
            throw new InvalidPathHandleException(path + ": the file has changed since the handle was made");
        }
    }

    @Override
    public ByteBuffer bytes() {
        byte[] name = path.getBytes(StandardCharsets.UTF_8);
        ByteBuffer out = ByteBuffer.allocate(Integer.BYTES + 1 + 3 * Long.BYTES + name.length);
        out.putInt(MAGIC).put((byte) (mayChange ? 1 : 0));
        out.putLong(version.inode()).putLong(version.mtimeNanos()).putLong(version.size());
        return out.put(name).flip().asReadOnlyBuffer();
    }

    /** Handles are equal if their bytes are. */
    @Override
    public boolean equals(Object other) {
        return other instanceof PathHandle handle && bytes().equals(handle.bytes());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(toByteArray());
    }

    @Override
    public String toString() {
        return "HmfsPathHandle{" + path + ", " + version.etag() + (mayChange ? "" : ", unchanged") + "}";
    }
}
