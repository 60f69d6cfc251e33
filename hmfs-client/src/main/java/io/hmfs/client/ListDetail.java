package io.hmfs.client;

import io.hmfs.wire.PageDecoder;
import org.jspecify.annotations.Nullable;

/** What a listing tells of each entry. */
public enum ListDetail {
    /** All that {@link FileInfo} has. */
    ALL(0, PageDecoder.EntriesDecoder.sbeBlockLength()),

    /** Name, type and the target of a symbolic link. */
    NAMES(1, PageDecoder.EntriesDecoder.sizeEncodingOffset()),

    /** Size and times in addition to {@link #NAMES}. */
    TIMES(2, PageDecoder.EntriesDecoder.inodeEncodingOffset());

    private final int code;
    private final int blockLength;

    ListDetail(int code, int blockLength) {
        this.code = code;
        this.blockLength = blockLength;
    }

    /** The number of it in a request. */
    public short code() {
        return (short) code;
    }

    /** What a request asks for; null for a code that means nothing. */
    public static @Nullable ListDetail of(int code) {
        return switch (code) {
            case 0 -> ALL;
            case 1 -> NAMES;
            case 2 -> TIMES;
            default -> null;
        };
    }

    /** Bytes of an entry before its name. */
    public int blockLength() {
        return blockLength;
    }
}
