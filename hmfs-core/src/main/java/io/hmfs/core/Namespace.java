package io.hmfs.core;

import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.ListVisitor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;

/**
 * A hierarchical namespace on (directory id, name), after the HMFS paper, SoCC '25. All methods are thread-safe; each is atomic
 * and, when it returns {@link Status#OK}, survives what the pool's persistence mode says. Expected failures are statuses; an
 * exception means a broken caller or a broken pool. {@code out} arguments are filled on OK only, unless a method says otherwise.
 * Symbolic links are never followed: a name is one component, and the resolver of a path bounds how many links it follows.
 */
public interface Namespace extends ExtendedAttributes, AutoCloseable {
    /** The id of the root directory. */
    long ROOT_ID = 1;

    /** The parent id under which the root itself stands, with the empty name; valid for stat, chmod, chown and setTimes. */
    long ROOT_PARENT_ID = 0;

    /** "Leave as it is", for uid, gid and times. */
    int KEEP = -1;

    /** Attributes of a name. */
    Status stat(long directory, Name name, Attributes out);

    /** Attributes of a directory by its id. */
    Status statDirectory(long directory, Attributes out);

    /**
     * Creates an empty file. Mode 0–07777. EXISTS if the name is taken, and then {@code out} says by what: a create that need not
     * be exclusive goes on with that.
     */
    Status create(long directory, Name name, int mode, int uid, int gid, Attributes out);

    /** Creates an empty directory. Mode 0–07777. EXISTS if the name is taken, and then {@code out} says by what. */
    Status mkdir(long directory, Name name, int mode, int uid, int gid, Attributes out);

    /** The same with an access control list, which is there as soon as the file is; INVALID_ARGUMENT if it is no list. */
    Status create(long directory, Name name, int mode, int uid, int gid, long[] acl, Attributes out);

    /** The same for a directory. */
    Status mkdir(long directory, Name name, int mode, int uid, int gid, long[] acl, Attributes out);

    /**
     * Gives a file one more name, {@code targetName} in {@code targetDirectory}; EXISTS if that is taken. All names are equal: the
     * attributes, the size and the id that one shows are those of all. IS_DIRECTORY for a directory; TOO_MANY_LINKS for the
     * 65,536th name.
     */
    Status link(long directory, Name name, long targetDirectory, Name targetName, Attributes out);

    /**
     * Removes a name of a file and tells what it was. {@code removed.nlink} is the number of names that are left: with 0 the
     * file is gone, and the caller can drop its blocks.
     */
    Status delete(long directory, Name name, Attributes removed);

    /** Removes an empty directory. */
    Status rmdir(long directory, Name name);

    /**
     * Moves a file, a symbolic link or a directory. What stands in the target's place is replaced atomically if {@code replace} is
     * set, and described in {@code replaced} (whose id is 0 if there was none, and whose nlink is the number of names it has left);
     * else it is EXISTS. As POSIX has it, a directory replaces an empty directory only (else NOT_EMPTY, NOT_DIRECTORY), another
     * object no directory (IS_DIRECTORY), and a directory cannot move below itself (LOOP). Between two names of one file nothing is
     * done, and the answer is OK.
     */
    Status rename(
            long sourceDirectory,
            Name sourceName,
            long targetDirectory,
            Name targetName,
            boolean replace,
            Attributes replaced);

    /** Creates a symbolic link; EXISTS if the name is taken. A target of 1 to 4,095 bytes, none of them NUL, is kept as it is. */
    Status symlink(long directory, Name name, byte[] target, int uid, int gid, Attributes out);

    /** The target of a symbolic link; INVALID_ARGUMENT if the object is none. */
    Status readlink(long directory, Name name, Bytes out);

    /** Sets permission bits, 0–07777. */
    Status chmod(long directory, Name name, int mode);

    /** Sets owner and group; {@link #KEEP} leaves one as it is. */
    Status chown(long directory, Name name, int uid, int gid);

    /**
     * Sets modification and access time in nanoseconds since 1970; {@link #KEEP} leaves one as it is. A crash before the answer
     * may leave the access time alone set.
     */
    Status setTimes(long directory, Name name, long mtimeNanos, long atimeNanos);

    /** Commits a file's size after data was written: grows to {@code size}, never shrinks. STALE if the id differs. */
    Status append(long directory, Name name, long id, long size);

    /** Sets a file's size, up or down. */
    Status truncate(long directory, Name name, long size);

    /**
     * Looks up all names of a batch and answers each in it, as {@link #stat} would; there is no order between them, and no one moment
     * that all answers are of. In a large pool a batch of eight or more takes a third of the time of its names one by one, because
     * what they need of the memory is fetched together.
     */
    void statAll(StatBatch batch);

    /**
     * Executes all creates of a batch and answers each in it. They share the fences, and those in one directory its
     * compare-and-swap, so a batch costs much less than its creates one by one. Each is atomic and answered as {@link #create} or
     * {@link #mkdir} would answer it; there is no order between them, and no atomicity of the whole.
     */
    void createAll(CreateBatch batch);

    /**
     * Executes all deletes of a batch and answers each in it, as {@link #delete} would. They share a fence; each is atomic, and there is no
     * order between them, and no atomicity of the whole.
     */
    void deleteAll(DeleteBatch batch);

    /** Executes all appends of a batch and answers each in it, as {@link #append} would; otherwise as {@link #deleteAll}. */
    void appendAll(AppendBatch batch);

    /**
     * Lists a directory from a cursor, newest entry first, until the visitor says stop or the end. No snapshot: entries that
     * come or go meanwhile may or may not show, all others show exactly once. A name comes again if its file was shown and then
     * deleted, and one that was not shown yet was renamed to it.
     */
    Status list(long directory, ListCursor cursor, ListVisitor visitor);

    /**
     * Appends the absolute path of a directory, in time that grows with its depth. While directories above it are renamed, it is
     * the path before or after each rename. NO_SUCH_DIRECTORY if the id is no directory's; NAME_TOO_LONG if it stands below 4,096 others.
     */
    Status path(long directory, StringBuilder out);

    /** The user's or group's id for a name, made on first use and kept in the pool; root is 0. -1: no room for more. */
    int principalId(String name);

    /** How many more names of users and groups have room, however long they are. */
    int principalRoom();

    /** The id of a name that has one already; -1: it has none, so nothing of that user or group is stored. */
    int knownPrincipalId(String name);

    /** The name of a principal; its number in decimal if the pool does not know it. */
    String principalName(int id);

    /** Figures about this pool, for status pages. */
    PoolStatus poolStatus();

    /** Waits for operations and background work to end, marks the pool clean and lets go of it. Operations afterwards are errors. */
    @Override
    void close();
}
