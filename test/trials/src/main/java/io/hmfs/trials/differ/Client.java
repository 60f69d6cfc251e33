package io.hmfs.trials.differ;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;

/** Hadoop's API for one user of one side. The operations say paths from the root of the session. */
final class Client implements AutoCloseable {
    static final int BUFFER = 4096;
    static final short REPLICATION = 1;
    /** So small that few bytes are several blocks. */
    static final long BLOCK = 1024;

    /** Far more than a call takes on a busy machine. */
    private static final TimeLimit LIMIT = new TimeLimit(TimeUnit.SECONDS.toMillis(60));

    private static final int FACTOR = 31;
    /** Times that a session sets are below this, times of the clock are above. */
    private static final String CLOCK = "now";

    private static final long CLOCK_MILLIS = 100_000_000_000L;

    private final UserGroupInformation user;
    private final String uri;
    private final FileSystem fs;
    private final FileContext fc;
    private String root = "/differ-0/root";

    Client(String name, String uri, Configuration conf) throws IOException, InterruptedException {
        this.uri = uri;
        user = UserGroupInformation.createRemoteUser(name);
        PrivilegedExceptionAction<FileSystem> files = () -> FileSystem.newInstance(URI.create(uri), conf);
        PrivilegedExceptionAction<FileContext> context = () -> FileContext.getFileContext(URI.create(uri), conf);
        fs = user.doAs(files);
        fc = user.doAs(context);
    }

    void root(String path) {
        root = path;
    }

    FileSystem fs() {
        return fs;
    }

    FileContext fc() {
        return fc;
    }

    /** The path on this side; {@code ^/} leads to the root of the filesystem and not of the session. */
    Path path(String path) {
        return path.startsWith("^") ? new Path(path.substring(1)) : new Path(root + path);
    }

    /** The target of a symbolic link: a relative one stays as it is. */
    Path target(String path) {
        return path.startsWith("/") ? path(path) : new Path(path);
    }

    /** Makes a call as this user. Of a call that does not end the outcome is a TimeoutException. */
    CallOutcome run(PrivilegedExceptionAction<String> call) {
        try {
            return CallOutcome.of(told(LIMIT.call(() -> user.doAs(call))));
        } catch (Exception e) {
            CallOutcome thrown = CallOutcome.of(e);
            return new CallOutcome(told(thrown.text()), told(thrown.remark()));
        }
    }

    /** Without what only this side and this session have. */
    String told(String text) {
        return text.replace(uri, "").replace(root + "/", "/").replace(root, "/");
    }

    String status(FileStatus status) throws IOException {
        StringBuilder text = new StringBuilder(status.getPath().toString());
        describe(status)
                .forEach((field, value) ->
                        text.append(' ').append(field).append('=').append(value));
        return text.toString();
    }

    String statuses(FileStatus[] all) throws IOException {
        List<String> lines = new ArrayList<>();
        for (FileStatus status : all) {
            lines.add(status(status));
        }
        return String.join("\n      ", lines);
    }

    /** In the order of paths, for the two sides need not give them in the same. */
    String sorted(RemoteIterator<? extends FileStatus> all) throws IOException {
        List<String> lines = new ArrayList<>();
        while (all.hasNext()) {
            lines.add(status(all.next()));
        }
        lines.sort(null);
        return String.join("\n      ", lines);
    }

    /** Fields of a status that both sides must have alike. */
    Map<String, String> describe(FileStatus status) throws IOException {
        Map<String, String> fields = new TreeMap<>();
        fields.put("type", status.isSymlink() ? "link" : status.isDirectory() ? "directory" : "file");
        if (status.isFile()) {
            fields.put("length", "" + status.getLen());
        }
        if (status.isSymlink()) {
            fields.put("target", told(status.getSymlink().toString()));
        }
        fields.put(
                "permission",
                String.format(Locale.ROOT, "%04o", status.getPermission().toShort()) + (status.hasAcl() ? "+" : ""));
        fields.put("owner", status.getOwner());
        fields.put("group", status.getGroup());
        fields.put("mtime", time(status.getModificationTime()));
        String atime = time(status.getAccessTime());
        // HDFS gives a new directory none, and we the time when it was made.
        fields.put("atime", status.isDirectory() && (atime.equals("0") || atime.equals(CLOCK)) ? "unset" : atime);
        return fields;
    }

    private static String time(long millis) {
        return millis > CLOCK_MILLIS ? CLOCK : "" + millis;
    }

    static String acl(AclStatus acl) {
        return acl.getOwner() + ":" + acl.getGroup() + (acl.isStickyBit() ? " sticky " : " ") + acl.getPermission()
                + " " + acl.getEntries();
    }

    static String xattrs(Map<String, byte[]> attributes) {
        StringBuilder text = new StringBuilder();
        new TreeMap<>(attributes)
                .forEach((name, value) ->
                        text.append(name).append('=').append(value(value)).append(' '));
        return text.toString().strip();
    }

    static String value(byte @Nullable [] value) {
        return value == null ? "null" : new String(value, StandardCharsets.ISO_8859_1);
    }

    static byte[] raw(String value) {
        return value.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Length and checksum of all that can be read. */
    static String content(FSDataInputStream opened) throws IOException {
        try (FSDataInputStream in = opened) {
            CRC32C sum = new CRC32C();
            byte[] buffer = new byte[BUFFER];
            long length = 0;
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                sum.update(buffer, 0, read);
                length += read;
            }
            return length + " bytes, crc32c " + Long.toHexString(sum.getValue());
        }
    }

    /** The same bytes on both sides. */
    static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * FACTOR + length);
        }
        return bytes;
    }

    @Override
    public void close() throws IOException {
        fs.close();
    }
}
