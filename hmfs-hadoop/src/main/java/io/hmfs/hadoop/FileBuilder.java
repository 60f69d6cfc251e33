package io.hmfs.hadoop;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.Options.CreateFileOptionKeys;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;

/** What {@code createFile} answers: Hadoop's own options, and the one that makes a file only where there is none. */
final class FileBuilder extends FSDataOutputStreamBuilder<FSDataOutputStream, FileBuilder> {
    private static final Set<String> KNOWN = Set.of(CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE);

    FileBuilder(HmfsFileSystem files, Path path) {
        super(files, path);
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
        if (getOptions().getBoolean(CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE, false)) {
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
}
