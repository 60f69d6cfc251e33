package io.hmfs.hadoop.shell;

import io.hmfs.hadoop.HmfsFileSystem;
import java.io.IOException;
import org.apache.hadoop.fs.FsShellPermissions;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.shell.CommandFactory;
import org.apache.hadoop.fs.shell.PathData;
import org.jspecify.annotations.Nullable;

/**
 * {@code -chmod}, {@code -chown} and {@code -chgrp}, Hadoop's own but for this: changes of files are sent without awaiting the replies. A
 * directory is changed before anything below it is asked for, for its rights decide on that. A change that the server refuses is made once more by
 * Hadoop's command, which says why in its words. All changes before a symbolic link are awaited, for it may lead to one of their files.
 */
final class PermissionCommands {
    static final int CHANGES_MAX = 1000; // under way

    private PermissionCommands() {}

    static void register(CommandFactory factory) {
        factory.addClass(Chmod.class, "-" + Chmod.NAME);
        factory.addClass(Chown.class, "-" + Chown.NAME);
        factory.addClass(Chgrp.class, "-" + Chgrp.NAME);
    }

    /** Permissions. */
    public static final class Chmod extends FsShellPermissions.Chmod {
        public static final String NAME = FsShellPermissions.Chmod.NAME;
        public static final String USAGE = FsShellPermissions.Chmod.USAGE;
        public static final String DESCRIPTION = FsShellPermissions.Chmod.DESCRIPTION;

        private final UnderWay changes = new UnderWay(CHANGES_MAX, super::displayError);

        @Override
        protected void processPath(PathData item) throws IOException {
            HmfsFileSystem files = pipelined(item, changes);
            if (files != null) {
                short mode = pp.applyNewPermission(item.stat);
                if (mode != item.stat.getPermission().toShort()) {
                    changes.add(
                            files.setPermissionAsync(item.path, new FsPermission(mode)),
                            cause -> super.processPath(item));
                }
            } else {
                super.processPath(item);
            }
        }

        @Override
        protected void processPathArgument(PathData item) throws IOException {
            super.processPathArgument(item);
            changes.await();
        }

        /** In the order of the items that they are about. */
        @Override
        public void displayError(Exception e) {
            changes.await();
            super.displayError(e);
        }
    }

    /** Owners and groups. */
    public static final class Chown extends FsShellPermissions.Chown {
        public static final String NAME = FsShellPermissions.Chown.NAME;
        public static final String USAGE = FsShellPermissions.Chown.USAGE;
        public static final String DESCRIPTION = FsShellPermissions.Chown.DESCRIPTION;

        private final UnderWay changes = new UnderWay(CHANGES_MAX, super::displayError);

        @Override
        protected void processPath(PathData item) throws IOException {
            change(item, owner, group, changes, () -> super.processPath(item));
        }

        @Override
        protected void processPathArgument(PathData item) throws IOException {
            super.processPathArgument(item);
            changes.await();
        }

        /** In the order of the items that they are about. */
        @Override
        public void displayError(Exception e) {
            changes.await();
            super.displayError(e);
        }
    }

    /** Groups. */
    public static final class Chgrp extends FsShellPermissions.Chgrp {
        public static final String NAME = FsShellPermissions.Chgrp.NAME;
        public static final String USAGE = FsShellPermissions.Chgrp.USAGE;
        public static final String DESCRIPTION = FsShellPermissions.Chgrp.DESCRIPTION;

        private final UnderWay changes = new UnderWay(CHANGES_MAX, super::displayError);

        @Override
        protected void processPath(PathData item) throws IOException {
            change(item, owner, group, changes, () -> super.processPath(item));
        }

        @Override
        protected void processPathArgument(PathData item) throws IOException {
            super.processPathArgument(item);
            changes.await();
        }

        /** In the order of the items that they are about. */
        @Override
        public void displayError(Exception e) {
            changes.await();
            super.displayError(e);
        }
    }

    /** What Hadoop's command does with an item. */
    @FunctionalInterface
    private interface OneByOne {
        void process() throws IOException;
    }

    private static void change(
            PathData item, @Nullable String owner, @Nullable String group, UnderWay changes, OneByOne otherwise)
            throws IOException {
        HmfsFileSystem files = pipelined(item, changes);
        if (files == null) {
            otherwise.process();
            return;
        }
        String newOwner = item.stat.getOwner().equals(owner) ? null : owner;
        String newGroup = item.stat.getGroup().equals(group) ? null : group;
        if (newOwner != null || newGroup != null) {
            changes.add(files.setOwnerAsync(item.path, newOwner, newGroup), cause -> otherwise.process());
        }
    }

    /** The filesystem of a file whose change need not be awaited; null: the item is for Hadoop's command. */
    private static @Nullable HmfsFileSystem pipelined(PathData item, UnderWay changes) {
        if (item.stat.isSymlink()) {
            changes.await();
        }
        return item.stat.isFile() && item.fs instanceof HmfsFileSystem files ? files : null;
    }
}
