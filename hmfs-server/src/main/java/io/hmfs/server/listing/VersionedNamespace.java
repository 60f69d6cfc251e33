package io.hmfs.server.listing;

import io.hmfs.core.NumberedChanges;
import io.hmfs.core.PoolFigures;
import io.hmfs.core.PoolStatus;
import io.hmfs.core.Records;
import io.hmfs.core.RemovedFiles;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.AclEdit;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.ListVisitor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.NameBatch;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.TreeCount;
import io.hmfs.core.type.XattrMode;
import io.hmfs.core.type.XattrVisitor;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A namespace whose changes show in the versions of the directories that they are in, so that pages of their listings can be kept, and take
 * back what clients read of them. All of a server goes through it: a change that does not would leave a stale page, or record.
 */
public final class VersionedNamespace implements ServerNamespace {
    private final ServerNamespace namespace;
    private final DirectoryVersions versions;
    private final Exports exports;

    public VersionedNamespace(ServerNamespace namespace, DirectoryVersions versions, Exports exports) {
        this.namespace = namespace;
        this.versions = versions;
        this.exports = exports;
    }

    /** What stands under a name is about to change. */
    private void begin(long directory, Name name) {
        versions.begin(directory);
        exports.takeBack(directory, name);
    }

    /** So is, perhaps, which directory has the name, or who may pass it. */
    private void beginPassage(long parent, Name name) {
        begin(parent, name);
        exports.withdrawBelow(parent, name);
    }

    private void begin(NameBatch batch) {
        versions.begin(batch);
        exports.takeBack(batch);
    }

    // ---- Changes

    @Override
    public Status create(
            long directory, Name name, int mode, int uid, int gid, long[] acl, Change change, Attributes out) {
        begin(directory, name);
        Status outcome = namespace.create(directory, name, mode, uid, gid, acl, change, out);
        versions.end(directory);
        return outcome;
    }

    @Override
    public Status mkdir(
            long directory, Name name, int mode, int uid, int gid, long[] acl, Change change, Attributes out) {
        begin(directory, name);
        Status outcome = namespace.mkdir(directory, name, mode, uid, gid, acl, change, out);
        versions.end(directory);
        return outcome;
    }

    @Override
    public Status symlink(long directory, Name name, byte[] target, int uid, int gid, Change change, Attributes out) {
        begin(directory, name);
        Status outcome = namespace.symlink(directory, name, target, uid, gid, change, out);
        versions.end(directory);
        return outcome;
    }

    /** Changes both directories: what has several names is shown otherwise in each. */
    @Override
    public Status link(long directory, Name name, long targetDirectory, Name targetName, Attributes out) {
        begin(directory, name);
        begin(targetDirectory, targetName);
        Status outcome = namespace.link(directory, name, targetDirectory, targetName, out);
        versions.end(targetDirectory);
        versions.end(directory);
        return outcome;
    }

    @Override
    public Status delete(long directory, Name name, Change change, Attributes removed) {
        begin(directory, name);
        Status outcome = namespace.delete(directory, name, change, removed);
        versions.end(directory);
        return outcome;
    }

    @Override
    public Status rmdir(long directory, Name name, Change change) {
        beginPassage(directory, name);
        Status outcome = namespace.rmdir(directory, name, change);
        versions.end(directory);
        return outcome;
    }

    @Override
    public Status rename(
            long source,
            Name sourceName,
            long target,
            Name targetName,
            boolean replace,
            Change change,
            Attributes replaced) {
        beginPassage(source, sourceName);
        beginPassage(target, targetName);
        Status outcome = namespace.rename(source, sourceName, target, targetName, replace, change, replaced);
        versions.end(target);
        versions.end(source);
        return outcome;
    }

    @Override
    public Status append(long directory, Name name, long id, long size, Change change) {
        begin(directory, name);
        Status outcome = namespace.append(directory, name, id, size, change);
        versions.end(directory);
        return outcome;
    }

    @Override
    public Status truncate(long directory, Name name, long size, Change change) {
        begin(directory, name);
        Status outcome = namespace.truncate(directory, name, size, change);
        versions.end(directory);
        return outcome;
    }

    @Override
    public Status chmod(long directory, Name name, int mode, Change change) {
        beginPassage(directory, name);
        Status outcome = namespace.chmod(directory, name, mode, change);
        versions.end(directory);
        return outcome;
    }

    @Override
    public Status chown(long directory, Name name, int uid, int gid, Change change) {
        beginPassage(directory, name);
        Status outcome = namespace.chown(directory, name, uid, gid, change);
        versions.end(directory);
        return outcome;
    }

    @Override
    public Status setTimes(long directory, Name name, long mtimeNanos, long atimeNanos, Change change) {
        begin(directory, name);
        Status outcome = namespace.setTimes(directory, name, mtimeNanos, atimeNanos, change);
        versions.end(directory);
        return outcome;
    }

    @Override
    public Status setXattr(long directory, Name name, Name attribute, byte[] value, XattrMode mode, Change change) {
        begin(directory, name);
        Status outcome = namespace.setXattr(directory, name, attribute, value, mode, change);
        versions.end(directory);
        return outcome;
    }

    @Override
    public Status removeXattr(long directory, Name name, Name attribute, Change change) {
        begin(directory, name);
        Status outcome = namespace.removeXattr(directory, name, attribute, change);
        versions.end(directory);
        return outcome;
    }

    @Override
    public Status changeAcl(long directory, Name name, AclEdit edit, Change change) {
        beginPassage(directory, name);
        Status outcome = namespace.changeAcl(directory, name, edit, change);
        versions.end(directory);
        return outcome;
    }

    @Override
    public void createAll(CreateBatch batch) {
        begin(batch);
        namespace.createAll(batch);
        versions.end(batch);
    }

    @Override
    public void deleteAll(DeleteBatch batch) {
        begin(batch);
        namespace.deleteAll(batch);
        versions.end(batch);
    }

    @Override
    public void appendAll(AppendBatch batch) {
        begin(batch);
        namespace.appendAll(batch);
        versions.end(batch);
    }

    // ---- The rest changes nothing that a listing or a stat shows.

    @Override
    public Status stat(long directory, Name name, Attributes out) {
        return namespace.stat(directory, name, out);
    }

    @Override
    public Status statDirectory(long directory, Attributes out) {
        return namespace.statDirectory(directory, out);
    }

    @Override
    public void statAll(StatBatch batch) {
        namespace.statAll(batch);
    }

    @Override
    public Status readlink(long directory, Name name, Bytes out) {
        return namespace.readlink(directory, name, out);
    }

    @Override
    public Status list(long directory, ListCursor cursor, ListVisitor visitor) {
        return namespace.list(directory, cursor, visitor);
    }

    @Override
    public Status getXattr(long directory, Name name, Name attribute, Bytes out) {
        return namespace.getXattr(directory, name, attribute, out);
    }

    @Override
    public Status listXattrs(long directory, Name name, List<Name> out) {
        return namespace.listXattrs(directory, name, out);
    }

    @Override
    public Status readXattrs(long directory, Name name, XattrVisitor visitor) {
        return namespace.readXattrs(directory, name, visitor);
    }

    @Override
    public Status count(TreeCount tree, long entriesMax) {
        return namespace.count(tree, entriesMax);
    }

    @Override
    public long[] above(long directory) {
        return namespace.above(directory);
    }

    @Override
    public Status path(long directory, StringBuilder out) {
        return namespace.path(directory, out);
    }

    @Override
    public Status path(long directory, long id, StringBuilder out) {
        return namespace.path(directory, id, out);
    }

    @Override
    public Status findPath(long id, StringBuilder out) {
        return namespace.findPath(id, out);
    }

    @Override
    public int principalId(String name) {
        return namespace.principalId(name);
    }

    @Override
    public int principalRoom() {
        return namespace.principalRoom();
    }

    @Override
    public int knownPrincipalId(String name) {
        return namespace.knownPrincipalId(name);
    }

    @Override
    public String principalName(int id) {
        return namespace.principalName(id);
    }

    /** The directory that this may make is shown by no listing. */
    @Override
    public Status orphans(boolean make, Attributes out) {
        return namespace.orphans(make, out);
    }

    @Override
    public void whenFull(BooleanSupplier helper) {
        namespace.whenFull(helper);
    }

    @Override
    public RemovedFiles removedFiles() {
        return namespace.removedFiles();
    }

    @Override
    public NumberedChanges numbered() {
        return namespace.numbered();
    }

    @Override
    public Records records() {
        return namespace.records();
    }

    @Override
    public long logPosition() {
        return namespace.logPosition();
    }

    @Override
    public void whenDurable(long position, Runnable action, Consumer<Throwable> onFailure) {
        namespace.whenDurable(position, action, onFailure);
    }

    @Override
    public void whenDurableAnyway(long position, Runnable action, Consumer<Throwable> onFailure) {
        namespace.whenDurableAnyway(position, action, onFailure);
    }

    @Override
    public PoolStatus poolStatus() {
        return namespace.poolStatus();
    }

    @Override
    public PoolFigures poolFigures() {
        return namespace.poolFigures();
    }

    @Override
    public void close() {
        namespace.close();
    }
}
