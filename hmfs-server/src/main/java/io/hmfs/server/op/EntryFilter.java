package io.hmfs.server.op;

import io.hmfs.core.type.Name;
import io.hmfs.wire.ListDecoder;
import java.util.Arrays;

/** Which names a listing tells: those that begin and end as the client has asked for; all until it is {@link #read}. Not thread-safe. */
final class EntryFilter {
    /** What is wrong with a request whose texts no name can have. */
    static final String TOO_LONG = "names begin or end with 255 bytes at most";

    private final byte[] prefix = new byte[Name.LENGTH_MAX];
    private final byte[] suffix = new byte[Name.LENGTH_MAX];
    private int prefixLength;
    private int suffixLength;

    /** Takes over what stands behind the path of a request, whose texts are read in their order. False if one is longer than any name. */
    boolean read(ListDecoder list) {
        prefixLength = list.prefixLength();
        list.getPrefix(prefix, 0, prefix.length);
        suffixLength = list.suffixLength();
        list.getSuffix(suffix, 0, suffix.length);
        return prefixLength <= prefix.length && suffixLength <= suffix.length;
    }

    /** Whether all names pass. */
    boolean isOpen() {
        return prefixLength + suffixLength == 0;
    }

    boolean passes(Name name) {
        int length = name.length();
        byte[] bytes = name.buffer();
        return length >= prefixLength
                && length >= suffixLength
                && Arrays.equals(bytes, 0, prefixLength, prefix, 0, prefixLength)
                && Arrays.equals(bytes, length - suffixLength, length, suffix, 0, suffixLength);
    }
}
