package io.hmfs.hadoop;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;

/** The part of {@link HmfsFileSystem} that is about access control lists, and about what they allow. */
abstract class ListedFileSystem extends AttributedFileSystem {
    @Override
    public void modifyAclEntries(Path path, List<AclEntry> entries) throws IOException {
        changeAcl(
                Op.MODIFY_ACL_ENTRIES,
                path,
                at -> session().acls().modify(at, entries),
                (files, at) -> files.modifyAclEntries(at, entries));
    }

    @Override
    public void removeAclEntries(Path path, List<AclEntry> entries) throws IOException {
        changeAcl(
                Op.REMOVE_ACL_ENTRIES,
                path,
                at -> session().acls().removeEntries(at, entries),
                (files, at) -> files.removeAclEntries(at, entries));
    }

    @Override
    public void removeDefaultAcl(Path path) throws IOException {
        changeAcl(Op.REMOVE_DEFAULT_ACL, path, at -> session().acls().removeDefault(at), FileSystem::removeDefaultAcl);
    }

    @Override
    public void removeAcl(Path path) throws IOException {
        changeAcl(Op.REMOVE_ACL, path, at -> session().acls().remove(at), FileSystem::removeAcl);
    }

    @Override
    public void setAcl(Path path, List<AclEntry> entries) throws IOException {
        changeAcl(Op.SET_ACL, path, at -> session().acls().set(at, entries), (files, at) -> files.setAcl(at, entries));
    }

    private void changeAcl(Op op, Path path, Action here, ActionThere there) throws IOException {
        changes(op);
        followAnd(path, here, there);
    }

    @Override
    public AclStatus getAclStatus(Path path) throws IOException {
        looks(Op.GET_ACL_STATUS);
        return follow(path, (at, p) -> session().acls().get(at), FileSystem::getAclStatus);
    }

    @Override
    public void access(Path path, FsAction wanted) throws IOException {
        looks(Op.ACCESS);
        followAnd(path, at -> session().acls().access(at, wanted), (files, at) -> files.access(at, wanted));
    }
}
