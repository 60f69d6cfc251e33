package io.hmfs.hadoop.attributes;

import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.client.XattrSetMode;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.jspecify.annotations.Nullable;

/** Extended attributes of absolute paths, with the names, flags and exceptions of Hadoop. Thread-safe. */
public final class XAttrs {
    private static final Set<String> NAMESPACES = Set.of("user", "trusted", "security", "system", "raw");
    private static final byte[] NO_VALUE = {};

    private final ServerLink link;

    public XAttrs(ServerLink link) {
        this.link = link;
    }

    /** A name as the server knows it, its namespace in lower case: for Hadoop namespaces have no case. */
    static String canonical(@Nullable String name) {
        int dot = Objects.requireNonNull(name, "XAttr name cannot be null.").indexOf('.');
        if (dot < 0 || !NAMESPACES.contains(name.substring(0, dot).toLowerCase(Locale.ROOT))) {
            throw new HadoopIllegalArgumentException(
                    "An XAttr name must be prefixed with user/trusted/security/system/raw, followed by a '.'");
        }
        if (dot == name.length() - 1) {
            throw new HadoopIllegalArgumentException("XAttr name cannot be empty.");
        }
        if (name.indexOf('\0') >= 0) {
            throw new HadoopIllegalArgumentException("XAttr name cannot have a NUL in it.");
        }
        return name.substring(0, dot).toLowerCase(Locale.ROOT) + name.substring(dot);
    }

    public void set(String path, String name, byte @Nullable [] value, EnumSet<XAttrSetFlag> flags) throws IOException {
        String attribute = canonical(name);
        if (flags == null || flags.isEmpty()) {
            throw new HadoopIllegalArgumentException("A flag must be specified.");
        }
        byte[] bytes = value == null ? NO_VALUE : value;
        boolean create = flags.contains(XAttrSetFlag.CREATE);
        XattrSetMode mode = !create
                ? XattrSetMode.REPLACE
                : flags.contains(XAttrSetFlag.REPLACE) ? XattrSetMode.CREATE_OR_REPLACE : XattrSetMode.CREATE;
        try {
            if (mode == XattrSetMode.CREATE) {
                link.client().xattrs().set(path, attribute, bytes, mode);
            } else {
                link.repeat(client -> client.xattrs().set(path, attribute, bytes, mode));
            }
        } catch (HmfsException e) {
            if (e.code() == ResultCode.EXISTS || e.code() == ResultCode.NO_ATTRIBUTE) {
                XAttrSetFlag.validate(attribute, e.code() == ResultCode.EXISTS, flags); // throws, as in HDFS
            }
            throw HadoopErrors.translateLookup(path, e);
        }
    }

    public byte[] get(String path, String name) throws IOException {
        String attribute = canonical(name);
        return reading(path, attribute, () -> link.client().xattrs().get(path, attribute));
    }

    public Map<String, byte[]> all(String path) throws IOException {
        return reading(path, "", () -> link.client().xattrs().all(path));
    }

    public Map<String, byte[]> get(String path, @Nullable List<String> names) throws IOException {
        if (names == null || names.isEmpty()) {
            throw new HadoopIllegalArgumentException("XAttr names can not be null or empty.");
        }
        List<String> attributes = new ArrayList<>(names.size());
        for (String name : names) {
            attributes.add(canonical(name));
        }
        return reading(
                path,
                String.join(", ", attributes),
                () -> link.client().xattrs().get(path, attributes));
    }

    public List<String> list(String path) throws IOException {
        return reading(path, "", () -> link.client().xattrs().list(path));
    }

    public void remove(String path, String name) throws IOException {
        String attribute = canonical(name);
        try {
            link.client().xattrs().remove(path, attribute);
        } catch (HmfsException e) {
            throw HadoopErrors.translateLookup(path, e);
        }
    }

    private interface Reading<T> {
        T get() throws IOException;
    }

    private static <T> T reading(String path, String asked, Reading<T> reading) throws IOException {
        try {
            return reading.get();
        } catch (HmfsException e) {
            if (e.code() == ResultCode.NO_ATTRIBUTE) {
                throw new PathIOException(path, "At least one of the attributes provided was not found: " + asked, e);
            }
            throw HadoopErrors.translateLookup(path, e);
        }
    }
}
