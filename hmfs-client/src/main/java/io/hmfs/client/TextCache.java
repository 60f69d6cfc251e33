package io.hmfs.client;

import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Owners and groups are few: keeps their strings, so that replies do not make them anew. Not thread-safe. */
final class TextCache {
    private static final int SLOTS = 64; // a power of two

    private final byte[] @Nullable [] bytes = new byte[SLOTS][];
    private final @Nullable String[] strings = new String[SLOTS];

    /** The text in these bytes of UTF-8. */
    String text(WireBuffer in, int index, int length) {
        in.check(index, length);
        ByteBuf buffer = in.buffer();
        int start = in.start() + index;
        int hash = length;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + buffer.getByte(start + i);
        }
        int slot = (hash ^ hash >>> 15) & SLOTS - 1;
        byte[] kept = bytes[slot];
        String known = strings[slot];
        if (kept != null && known != null && same(kept, buffer, start, length)) {
            return known;
        }
        byte[] copy = new byte[length];
        buffer.getBytes(start, copy);
        String text = new String(copy, StandardCharsets.UTF_8);
        bytes[slot] = copy;
        strings[slot] = text;
        return text;
    }

    private static boolean same(byte[] kept, ByteBuf buffer, int start, int length) {
        if (kept.length != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (kept[i] != buffer.getByte(start + i)) {
                return false;
            }
        }
        return true;
    }
}
