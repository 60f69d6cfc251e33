package io.hmfs.hadoop.stream;

import io.hmfs.client.FileVersion;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.CreateFileOptionKeys;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The builder that {@code createFile} returns: Hadoop's own options, and those that make a file only where there is
 * none, or only in place of one version.
 */
public final class FileBuilder extends FSDataOutputStreamBuilder<FSDataOutputStream, FileBuilder> {
    private static final String IF_NONE = CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE;
    private static final String IF_VERSION = CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE_ETAG;
    private static final Set<String> KNOWN = Set.of(IF_NONE, IF_VERSION);

    private final Replacing replacing;

    /** Puts an empty file in the place of one version of a file. */
    @FunctionalInterface
    public interface Replacing {
        FSDataOutputStream replace(Path path, FsPermission permission, FileVersion version, boolean parents)
                throws IOException;
    }

    public FileBuilder(FileSystem files, Path path, Replacing replacing) {
        super(files, path);
        this.replacing = replacing;
    }

    @Override
    public FileBuilder getThisBuilder() {
        return this;
    }

    @Override
    @SuppressWarnings("deprecation") // of createNonRecursive
    public FSDataOutputStream build() throws IOException {
        rejectUnknownMandatoryKeys(KNOWN, " for " + getPath());
        EnumSet<CreateFlag> flags = getFlags();
        if (flags.contains(CreateFlag.APPEND)) {
            return getFS().append(getPath(), getBufferSize(), getProgress());
        }
        if (!flags.contains(CreateFlag.CREATE) && !flags.contains(CreateFlag.OVERWRITE)) {
            throw new PathIOException(getPath().toString(), "Must specify either create, overwrite or append");
        }
        String etag = getOptions().get(IF_VERSION, "");
        boolean none = getOptions().getBoolean(IF_NONE, false);
        if (!etag.isEmpty()) {
            return replace(etag, none);
        }
        if (none) {
            flags = EnumSet.of(CreateFlag.CREATE); // the server decides, in one step
        }
        return isRecursive()
                ? getFS().create(
                                getPath(),
                                getPermission(),
                                flags,
                                getBufferSize(),
                                getReplication(),
                                getBlockSize(),
                                getProgress(),
                                getChecksumOpt())
                : getFS().createNonRecursive(
                                getPath(),
                                getPermission(),
                                flags,
                                getBufferSize(),
                                getReplication(),
                                getBlockSize(),
                                getProgress());
    }

    private FSDataOutputStream replace(String etag, boolean none) throws IOException {
        FileVersion version = FileVersion.ofEtag(etag);
        if (none || version == null) {
            throw new IllegalArgumentException(getPath() + ": "
                    + (none
                            ? IF_NONE + " and " + IF_VERSION + " exclude each other"
                            : IF_VERSION + " is '" + etag + "', which is no etag of HMFS"));
        }
        return replacing.replace(getPath(), getPermission(), version, isRecursive());
    }
}
