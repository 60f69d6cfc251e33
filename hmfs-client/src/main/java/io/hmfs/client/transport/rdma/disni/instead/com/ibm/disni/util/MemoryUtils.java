package io.hmfs.client.transport.rdma.disni.instead.com.ibm.disni.util;

import java.nio.ByteBuffer;

/** DiSNI's own casts to {@code sun.nio.ch.DirectBuffer}, which a JVM from 17 on allows only with a flag. */
public final class MemoryUtils {
    private MemoryUtils() {}

    /** The address of a direct buffer's first byte. */
    public static native long getAddress(ByteBuffer buffer);
}
