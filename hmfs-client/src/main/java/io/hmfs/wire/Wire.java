package io.hmfs.wire;

/** Numbers that both ends of a connection share; docs/wire.md. */
public final class Wire {
    /** Version of the protocol, told in the handshake: peers of different versions do not talk. */
    public static final int PROTOCOL_VERSION = 1;

    /** First field of the first frame: "\n\rSFMH\n\1" backwards, so that text protocols and byte-swapped peers show. */
    public static final long MAGIC = 0x0A0D_5346_4D48_0A01L;

    /** Bytes of the length word before each frame; the length counts what follows it. */
    public static final int LENGTH_SIZE = 4;

    /** Bytes of the SBE message header. */
    public static final int HEADER_SIZE = MessageHeaderEncoder.ENCODED_LENGTH;

    /** The shortest frame, without its length word: header and correlation id. */
    public static final int FRAME_MIN = HEADER_SIZE + Long.BYTES;

    /** Longest path, in bytes of UTF-8. */
    public static final int PATH_MAX = 8192;

    /** Paths in one ListMany, at most. */
    public static final int LIST_MANY_MAX = 1024;

    /** Longest name, in bytes of UTF-8. */
    public static final int NAME_MAX = 255;

    /** Longest frame of metadata that either side sends, without its length word: two paths and their company. */
    public static final int METADATA_FRAME_MAX = 2 * PATH_MAX + 1024;

    /** Bytes that a data frame needs beside the data. */
    public static final int DATA_OVERHEAD = 96;

    /** An id's partition stands in its top 16 bits. */
    public static final int PARTITION_SHIFT = 48;

    /** The directory that whole paths start from. */
    public static final long ROOT_ID = 1;

    /** The authentication that believes the user's name: the only one yet. */
    public static final short AUTH_SIMPLE = 1;

    /** Longest token of a method of authentication: more than the longest ticket of Kerberos. */
    public static final int TOKEN_MAX = 65_534;

    /** How long a grant of Open or Create is good for. */
    public static final long GRANT_SECONDS = 36_000;

    private Wire() {}

    /** The partition of an id. */
    public static int partition(long id) {
        return (int) (id >>> PARTITION_SHIFT);
    }
}
