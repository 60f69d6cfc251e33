package io.hmfs.server.metrics;

import io.hmfs.client.ResultCode;
import io.hmfs.server.protocol.RequestKind;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.IntFunction;

/**
 * Lines of an audit log in HDFS's format, made of records of {@link AuditRing}s. What a peer chose (users, paths) can neither end a
 * line nor a field: control characters and backslashes are escaped. Reused, not thread-safe.
 */
final class AuditLine {
    /** Instead of the directory where a path begins: it is no path of the namespace but a text. */
    static final long AS_IT_IS = -1;

    private static final ResultCode[] OUTCOMES = ResultCode.values();
    private static final byte[][] COMMANDS = commands();
    private static final byte[][] STATUSES = Arrays.stream(OUTCOMES)
            .map(outcome -> ascii("\tproto=hmfs\tstatus=" + outcome.name() + "\n"))
            .toArray(byte[][]::new);
    private static final byte[] ALLOWED = ascii(" INFO FSNamesystem.audit: allowed=true");
    private static final byte[] DENIED = ascii(" INFO FSNamesystem.audit: allowed=false");
    private static final byte[] OPTIONS = ascii(" (options=[OVERWRITE])");
    private static final byte[] SOURCE = ascii("\tsrc=");
    private static final byte[] TARGET = ascii("\tdst=");
    private static final byte[] PERMISSION = ascii("\tperm=");
    private static final byte[] NULL = ascii("null");
    private static final byte[] INODES = ascii("/.reserved/.inodes/");
    private static final byte[] BRACKET = ascii("\\x28");
    private static final byte[] HEX = ascii("0123456789abcdef");
    private static final DateTimeFormatter SECOND =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss,", Locale.ROOT).withZone(ZoneId.systemDefault());

    private final IntFunction<byte[]> principals;
    private byte[] out = new byte[64 << 10];
    private int length;
    private long second = Long.MIN_VALUE;
    private byte[] secondText = {};

    /** {@code principals} names users and groups. */
    AuditLine(IntFunction<byte[]> principals) {
        this.principals = principals;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[][] commands() {
        byte[][] commands = new byte[RequestKind.count()][];
        for (int i = 0; i < commands.length; i++) {
            commands[i] = ascii(String.valueOf(RequestKind.of(i).command()));
        }
        return commands;
    }

    /** What the lines of a connection have in common. {@code realUser} acts for the user; empty: the user acts alone. */
    static byte[] prefix(String user, String realUser, String peer) {
        int port = peer.lastIndexOf(':');
        String ip = port < 0 ? peer : peer.substring(0, port);
        AuditLine line = new AuditLine(id -> NULL);
        line.append(ascii("\tugi="));
        line.name(user);
        if (!realUser.isEmpty()) {
            line.append(ascii(" (auth:PROXY) via "));
            line.name(realUser);
        }
        line.append(ascii(" (auth:SIMPLE)\tip="));
        line.escape(ip.getBytes(StandardCharsets.UTF_8));
        line.append(ascii("\tcmd="));
        return Arrays.copyOf(line.out, line.length);
    }

    byte[] bytes() {
        return out;
    }

    int length() {
        return length;
    }

    void clear() {
        length = 0;
    }

    /** Appends the line of a record. */
    void add(AuditRing ring, int at, long wallMillis) {
        byte[] record = ring.contents();
        int operation = record[at + 4];
        int outcome = record[at + 5];
        int flags = record[at + 6];
        int prefix = ring.intAt(at + 44);
        int source = ring.intAt(at + 48);
        int target = ring.intAt(at + 52);
        time(wallMillis);
        // By its name, so that a server without permissions needs none of that name.
        append(OUTCOMES[outcome].name().equals("ACCESS_DENIED") ? DENIED : ALLOWED);
        int next = at + AuditRing.FIXED;
        append(record, next, prefix);
        next += prefix;
        append(COMMANDS[operation]);
        if ((flags & AuditRing.REPLACES) != 0) {
            append(OPTIONS);
        }
        append(SOURCE);
        path(ring.longAt(at + 16), record, next, source);
        next += source;
        append(TARGET);
        if ((flags & AuditRing.HAS_TARGET) != 0) {
            path(ring.longAt(at + 24), record, next, target);
        } else {
            append(NULL);
        }
        append(PERMISSION);
        if ((flags & AuditRing.HAS_ATTRIBUTES) != 0) {
            permission(
                    ring.intAt(at + 32), ring.intAt(at + 36), ring.intAt(at + 40), (flags & AuditRing.DIRECTORY) != 0);
        } else {
            append(NULL);
        }
        append(STATUSES[outcome]);
    }

    /** Appends a line that tells of others that are missing. */
    void lost(long lines, long wallMillis) {
        time(wallMillis);
        append(ascii(" WARN FSNamesystem.audit: " + lines + " lines were dropped before this one\n"));
    }

    private void time(long wallMillis) {
        long now = Math.floorDiv(wallMillis, 1000L);
        if (now != second) {
            second = now;
            secondText = ascii(SECOND.format(Instant.ofEpochSecond(now)));
        }
        append(secondText);
        int millis = (int) Math.floorMod(wallMillis, 1000L);
        room(3);
        out[length++] = (byte) ('0' + millis / 100);
        out[length++] = (byte) ('0' + millis / 10 % 10);
        out[length++] = (byte) ('0' + millis % 10);
    }

    /** A path that begins at the root as it is, another one as HDFS writes paths by inode. */
    private void path(long base, byte[] from, int at, int count) {
        if (base == AS_IT_IS) {
            escape(from, at, count);
            return;
        }
        if (base != io.hmfs.wire.Wire.ROOT_ID) {
            append(INODES);
            append(ascii(Long.toString(base)));
        }
        boolean slash = count > 0 && from[at] == '/';
        if (!slash && (count > 0 || base == io.hmfs.wire.Wire.ROOT_ID)) {
            room(1);
            out[length++] = '/';
        }
        escape(from, at, count);
    }

    private void permission(int uid, int gid, int mode, boolean directory) {
        escape(principals.apply(uid));
        room(2 + 10);
        out[length++] = ':';
        escape(principals.apply(gid));
        room(2 + 10);
        out[length++] = ':';
        out[length++] = (byte) (directory ? 'd' : '-');
        for (int bit = 8; bit >= 0; bit--) {
            out[length++] = (byte) ((mode >> bit & 1) == 0 ? '-' : "xwr".charAt(bit % 3));
        }
        if ((mode & 01000) != 0) {
            out[length - 1] = (byte) ((mode & 1) == 0 ? 'T' : 't');
        }
    }

    /** A user's; without a bracket, so that the name cannot look like that of a proxy with its user. */
    private void name(String user) {
        for (String part : user.splitWithDelimiters("\\(", 0)) {
            if (part.equals("(")) {
                append(BRACKET);
            } else {
                escape(part.getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private void escape(byte[] from) {
        escape(from, 0, from.length);
    }

    private void escape(byte[] from, int at, int count) {
        room(4 * count);
        byte[] to = out;
        int end = length;
        for (int i = at; i < at + count; i++) {
            byte each = from[i];
            if (each == '\\') {
                to[end++] = '\\';
                to[end++] = '\\';
            } else if ((each >= 0 && each < ' ') || each == 0x7f) {
                to[end++] = '\\';
                to[end++] = 'x';
                to[end++] = HEX[each >> 4];
                to[end++] = HEX[each & 15];
            } else {
                to[end++] = each;
            }
        }
        length = end;
    }

    private void append(byte[] from) {
        append(from, 0, from.length);
    }

    private void append(byte[] from, int at, int count) {
        room(count);
        System.arraycopy(from, at, out, length, count);
        length += count;
    }

    private void room(int count) {
        if (out.length - length < count) {
            out = Arrays.copyOf(out, 2 * (length + count));
        }
    }
}
