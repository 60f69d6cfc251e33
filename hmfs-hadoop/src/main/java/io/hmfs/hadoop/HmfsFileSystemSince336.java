package io.hmfs.hadoop;

import java.io.IOException;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.SafeMode;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.fs.impl.PathCapabilitiesSupport;

/** {@link HmfsFileSystem} with the interfaces that Hadoop has from 3.3.6 on. */
public class HmfsFileSystemSince336 extends HmfsFileSystem implements SafeMode, LeaseRecoverable {
    /** Called by Hadoop, which calls {@link #initialize} next. */
    public HmfsFileSystemSince336() {}

    /** Typed so that a caller can be loaded where this class cannot. */
    static HmfsFileSystem make() {
        return new HmfsFileSystemSince336();
    }

    /**
     * Asks for the safe mode of the whole server, or changes it, for superusers; {@code checked} is for standbys
     * only.
     */
    @Override
    public boolean setSafeMode(SafeModeAction action, boolean checked) throws IOException {
        return switch (action) {
            case GET -> mount().server().isInSafeMode();
            case ENTER -> {
                mount().server().setSafeMode(true);
                yield true;
            }
            case LEAVE, FORCE_EXIT -> {
                mount().server().setSafeMode(false);
                yield false;
            }
        };
    }

    @Override
    boolean recoverLeaseOf(FileSystem files, Path path) throws IOException {
        return files instanceof LeaseRecoverable other ? other.recoverLease(path) : super.recoverLeaseOf(files, path);
    }

    @Override
    boolean isFileClosedOf(FileSystem files, Path path) throws IOException {
        return files instanceof LeaseRecoverable other ? other.isFileClosed(path) : super.isFileClosedOf(files, path);
    }

    @Override
    public boolean hasPathCapability(Path path, String capability) throws IOException {
        return PathCapabilitiesSupport.validatePathCapabilityArgs(makeQualified(path), capability)
                        .equals(CommonPathCapabilities.LEASE_RECOVERABLE)
                || super.hasPathCapability(path, capability);
    }
}
