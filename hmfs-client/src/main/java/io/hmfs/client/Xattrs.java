package io.hmfs.client;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * The extended attributes of files and directories, of the client that they were asked of ({@link HmfsClient#xattrs}).
 * A name is up to 255 bytes of UTF-8 and begins with its namespace: {@code user.}, or {@code trusted.} for the
 * superuser. A value is up to 64 KiB, all that one object has up to 256 KiB. Thread-safe.
 */
public final class Xattrs {
    private final Calls calls;
    private final XattrCalls rows;

    Xattrs(Calls calls) {
        this.calls = calls;
        rows = calls.table.xattrs;
    }

    /**
     * Sets one attribute. EXISTS, NO_ATTRIBUTE (see {@link XattrSetMode}), VALUE_TOO_LARGE, INVALID_ARGUMENT (no such
     * namespace).
     */
    public void set(String path, String attribute, byte[] value, XattrSetMode mode) throws IOException {
        calls.call(rows.set, path, XattrCalls.Setting.of(path, attribute, value, mode));
    }

    /** The value of one attribute. NO_ATTRIBUTE. */
    public byte[] get(String path, String attribute) throws IOException {
        return get(path, List.of(attribute)).values().iterator().next();
    }

    /** The values of these attributes, as they were at one moment. NO_ATTRIBUTE if one of them is not there. */
    public Map<String, byte[]> get(String path, List<String> attributes) throws IOException {
        return attributes.isEmpty() ? Map.of() : calls.call(rows.get, path, XattrCalls.Names.of(path, attributes));
    }

    /** All attributes that the user may see, as they were at one moment, the one that was set last at the end. */
    public Map<String, byte[]> all(String path) throws IOException {
        return calls.call(rows.get, path, XattrCalls.Names.of(path, List.of()));
    }

    /** The names of all attributes that the user may see. */
    public List<String> list(String path) throws IOException {
        return List.copyOf(calls.call(rows.list, path).keySet());
    }

    /** Removes one attribute. NO_ATTRIBUTE. */
    public void remove(String path, String attribute) throws IOException {
        calls.call(rows.remove, path, XattrCalls.Names.one(rows.remove.name, path, attribute));
    }
}
