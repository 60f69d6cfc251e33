package io.hmfs.hadoop.store;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The functions of librados, version 2 of its interface, that a data store needs; see librados.h. They return 0 or
 * more, or a negative errno.
 */
@SuppressWarnings("MethodName") // as C calls them
interface Librados extends Library {
    /** Loads the library; {@link LinkageError} if it is not there. */
    static Librados load() {
        return Native.load("rados", Librados.class);
    }

    int rados_create2(PointerByReference cluster, String clusterName, String user, long flags);

    int rados_conf_read_file(Pointer cluster, @Nullable String path);

    int rados_conf_set(Pointer cluster, String option, String value);

    int rados_conf_get(Pointer cluster, String option, byte[] value, long length);

    int rados_connect(Pointer cluster);

    void rados_shutdown(Pointer cluster);

    int rados_ioctx_create(Pointer cluster, String pool, PointerByReference io);

    void rados_ioctx_destroy(Pointer io);

    void rados_ioctx_set_namespace(Pointer io, String namespace);

    int rados_write(Pointer io, String object, ByteBuffer source, long length, long offset);

    int rados_read(Pointer io, String object, ByteBuffer target, long length, long offset);

    int rados_remove(Pointer io, String object);

    int rados_stat(Pointer io, String object, LongByReference size, LongByReference seconds);

    int rados_nobjects_list_open(Pointer io, PointerByReference list);

    int rados_nobjects_list_next(
            Pointer list,
            PointerByReference object,
            @Nullable PointerByReference key,
            @Nullable PointerByReference namespace);

    void rados_nobjects_list_close(Pointer list);
}
