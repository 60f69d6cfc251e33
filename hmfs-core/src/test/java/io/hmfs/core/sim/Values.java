package io.hmfs.core.sim;

import java.util.Random;
import java.util.zip.CRC32;

/** Values of extended attributes for tests: of a given size, none like another, and short as text. */
public final class Values {
    private Values() {}

    /** Bytes that only this seed gives. */
    public static byte[] of(int size, long seed) {
        byte[] value = new byte[size];
        new Random(seed).nextBytes(value);
        return value;
    }

    /** The target of a symbolic link. */
    public static byte[] target(int size, long seed) {
        byte[] target = of(size, seed);
        for (int i = 0; i < size; i++) {
            target[i] = (byte) ('a' + (target[i] & 15));
        }
        return target;
    }

    /** Length and checksum. */
    public static String text(byte[] value) {
        CRC32 crc = new CRC32();
        crc.update(value);
        return value.length + "#" + Long.toHexString(crc.getValue());
    }
}
