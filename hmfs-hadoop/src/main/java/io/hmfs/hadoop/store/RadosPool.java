package io.hmfs.hadoop.store;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A connection to one pool. Calls wait for the cluster. Each holds a lock that {@link #close} waits for: librados
 * must not be called with what it was told to forget. Thread-safe.
 */
final class RadosPool implements Closeable {
    private static final int NO_ENTRY = -2;
    private static final int VALUE_MAX = 64;
    private static final int PIECE = 1 << 20;

    /** Native memory for one call, kept: a thread copies through it piece by piece. */
    private static final ThreadLocal<ByteBuffer> PIECES =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(PIECE));

    private final Librados rados;
    private final String name;
    private final Pointer cluster;
    private final Pointer io;
    private final ReadWriteLock use = new ReentrantReadWriteLock();
    private boolean closed; // guarded by use

    /** Hears of objects. */
    interface Names {
        void object(String name) throws IOException;
    }

    /** Length, and when it was written last, in milliseconds since 1970; length −1: it is not there. */
    record Stat(long bytes, long modifiedMillis) {}

    private RadosPool(Librados rados, RadosAddress address, RadosSettings settings) throws IOException {
        this.rados = rados;
        String user = "client." + (address.user().isEmpty() ? settings.user() : address.user());
        name = "pool " + address.pool() + " of the cluster " + address.cluster();
        PointerByReference made = new PointerByReference();
        check(rados.rados_create2(made, address.cluster(), user, 0), "be a client of", "");
        cluster = made.getValue();
        boolean connected = false;
        try {
            boolean isDefault = settings.conf().equals(RadosSettings.DEFAULT_CONF);
            int read = rados.rados_conf_read_file(cluster, isDefault ? null : settings.conf());
            if (read < 0) {
                throw new IOException("cannot read " + (isDefault ? "the configuration file" : settings.conf())
                        + " of the cluster "
                        + address.cluster() + ": " + reason(read)
                        + "; fs.hmfs.rados.conf says where it is, /etc/ceph/" + address.cluster() + ".conf unless set");
            }
            set("client_mount_timeout", settings.connectTimeout());
            set("rados_mon_op_timeout", settings.connectTimeout());
            set("rados_osd_op_timeout", settings.requestTimeout());
            int reached = rados.rados_connect(cluster);
            if (reached < 0) {
                throw new IOException(
                        "no monitor of the cluster " + address.cluster() + " lets " + user + " in, within "
                                + settings.connectTimeout().toSeconds() + " s: " + reason(reached)
                                + "; look at mon host in its configuration file, and at the user's keyring");
            }
            PointerByReference opened = new PointerByReference();
            int found = rados.rados_ioctx_create(cluster, address.pool(), opened);
            if (found == NO_ENTRY) {
                throw new IOException("there is no " + name + "; make it with: ceph osd pool create " + address.pool());
            }
            check(found, "open", "");
            io = opened.getValue();
            if (!address.namespace().isEmpty()) {
                rados.rados_ioctx_set_namespace(io, address.namespace());
            }
            connected = true;
        } finally {
            if (!connected) {
                rados.rados_shutdown(cluster);
            }
        }
    }

    /** Connects. Says what is missing or wrong in one sentence. */
    static RadosPool open(RadosAddress address, RadosSettings settings) throws IOException {
        try {
            return new RadosPool(Librados.load(), address, settings);
        } catch (UnsatisfiedLinkError e) {
            throw new IOException(
                    "librados.so.2 is not there or cannot be loaded: install the package librados2 (librados-devel has the name without the 2)",
                    e);
        }
    }

    private void set(String option, Duration time) throws IOException {
        check(
                rados.rados_conf_set(cluster, option, Long.toString(Math.max(1, time.toSeconds()))),
                "set " + option + " of",
                "");
    }

    /** The value of an option of the cluster's configuration file, or its default; −1: it is none that is known. */
    long option(String option) {
        byte[] value = new byte[VALUE_MAX];
        if (rados.rados_conf_get(cluster, option, value, value.length) < 0) {
            return -1;
        }
        return Long.parseLong(Native.toString(value, StandardCharsets.US_ASCII));
    }

    /**
     * Writes bytes at an offset; what lies before it and was never written is zero. On every replica's disk when it
     * returns.
     */
    void write(String object, long offset, byte[] source, int at, int length) throws IOException {
        for (int done = 0; done < length; ) {
            int count = Math.min(PIECE, length - done);
            ByteBuffer piece =
                    PIECES.get().clear().put(source, at + done, count).flip();
            Lock used = begin();
            try {
                check(rados.rados_write(io, object, piece, count, offset + done), "write", object);
            } finally {
                used.unlock();
            }
            done += count;
        }
    }

    /** Reads bytes. Returns how many, fewer only at the object's end; −1: there is no such object. */
    int read(String object, long offset, byte[] target, int at, int length) throws IOException {
        int done = 0;
        while (done < length) {
            ByteBuffer piece = PIECES.get().clear();
            int count;
            Lock used = begin();
            try {
                count = rados.rados_read(io, object, piece, Math.min(PIECE, length - done), offset + done);
            } finally {
                used.unlock();
            }
            if (count == NO_ENTRY) {
                return -1;
            }
            check(count, "read", object);
            if (count == 0) {
                break;
            }
            piece.get(target, at + done, count);
            done += count;
        }
        return done;
    }

    /** Removes an object; false if it is not there. */
    boolean remove(String object) throws IOException {
        Lock used = begin();
        try {
            int removed = rados.rados_remove(io, object);
            return removed != NO_ENTRY && check(removed, "remove", object) == 0;
        } finally {
            used.unlock();
        }
    }

    Stat stat(String object) throws IOException {
        LongByReference size = new LongByReference();
        LongByReference seconds = new LongByReference();
        Lock used = begin();
        try {
            int found = rados.rados_stat(io, object, size, seconds);
            if (found == NO_ENTRY) {
                return new Stat(-1, 0);
            }
            check(found, "look at", object);
            return new Stat(size.getValue(), seconds.getValue() * 1_000);
        } finally {
            used.unlock();
        }
    }

    /** Names all objects; throws unless these were all. */
    void list(Names names) throws IOException {
        PointerByReference opened = new PointerByReference();
        Lock used = begin();
        try {
            check(rados.rados_nobjects_list_open(io, opened), "list", "");
            Pointer list = opened.getValue();
            try {
                PointerByReference object = new PointerByReference();
                int next = rados.rados_nobjects_list_next(list, object, null, null);
                while (next == 0) {
                    names.object(object.getValue().getString(0, StandardCharsets.UTF_8.name()));
                    next = rados.rados_nobjects_list_next(list, object, null, null);
                }
                if (next != NO_ENTRY) { // which is the end
                    check(next, "list", "");
                }
            } finally {
                rados.rados_nobjects_list_close(list);
            }
        } finally {
            used.unlock();
        }
    }

    private Lock begin() throws IOException {
        Lock used = use.readLock();
        used.lock();
        if (closed) {
            used.unlock();
            throw new IOException("Filesystem closed");
        }
        return used;
    }

    private int check(int result, String what, String object) throws IOException {
        if (result < 0) {
            throw new IOException("cannot " + what + (object.isEmpty() ? " " : " object " + object + " in ") + name
                    + ": " + reason(result));
        }
        return result;
    }

    private static String reason(int result) {
        return switch (-result) {
            case 1, 13 -> "permission denied";
            case 2 -> "there is none";
            case 22 -> "an argument is not valid";
            case 27 -> "it is larger than the cluster allows (osd_max_object_size)";
            case 28, 122 -> "no space left";
            case 95 -> "not supported";
            case 108 -> "the cluster has shut this client out";
            case 110 -> "timed out";
            case 111 -> "connection refused";
            default -> "error " + -result;
        };
    }

    @Override
    public void close() {
        Lock all = use.writeLock();
        all.lock();
        try {
            if (!closed) {
                closed = true;
                rados.rados_ioctx_destroy(io);
                rados.rados_shutdown(cluster);
            }
        } finally {
            all.unlock();
        }
    }
}
