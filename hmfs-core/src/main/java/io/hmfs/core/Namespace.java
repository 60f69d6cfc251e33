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
import io.hmfs.core.type.TreeCount;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A hierarchical namespace on (directory id, name), after the HMFS paper, SoCC '25. All methods are thread-safe; each is atomic
 * and, when it returns {@link Status#OK}, survives what the pool's persistence mode says. Expected failures are statuses; an
 * exception means a broken caller or a broken pool. {@code out} arguments are filled on OK only, unless a method says otherwise.
 * Symbolic links are never followed: a name is one component, and whoever resolves a path bounds how many links it follows.
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

    /**
     * Looks up all names of a batch and answers each in it, as {@link #stat} would; there is no order between them, and no one moment
     * that all answers are of. In a large pool a batch of eight or more takes a third of the time of its names one by one, because
     * what they need of the memory is fetched together.
     */
    void statAll(StatBatch batch);

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
     * Executes all creates of a batch and answers each in it. They share the fences, and those in one directory its
     * compare-and-swap, so a batch costs much less than its creates one by one. Each is atomic and answered as {@link #create} or
     * {@link #mkdir} would answer it; there is no order between them, and no atomicity of the whole.
     */
    void createAll(CreateBatch batch);

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

    /**
     * Executes all deletes of a batch and answers each in it, as {@link #delete} would. They share a fence; each is atomic, and there is no
     * order between them, and no atomicity of the whole.
     */
    void deleteAll(DeleteBatch batch);

    /** Removes an empty directory. */
    Status rmdir(long directory, Name name);

    /**
     * The directory that no path leads to: no listing shows it and no name reaches it, but its id does. What is renamed into it has left
     * the tree in one step, with all that is below, and is there for whoever put it there to be removed bit by bit, also after a crash.
     * Made on first use if {@code make} is set; else NOT_FOUND before that. NO_SPACE.
     */
    Status limbo(boolean make, Attributes out);

    /**
     * What to ask when the pool is full, before an operation is refused for it: whether somebody who is removing things has removed more
     * meanwhile. May wait for a moment; called on the thread of the operation.
     */
    void whenFull(BooleanSupplier helper);

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

    /** Executes all appends of a batch and answers each in it, as {@link #append} would; otherwise as {@link #deleteAll}. */
    void appendAll(AppendBatch batch);

    /** Sets a file's size, up or down. */
    Status truncate(long directory, Name name, long size);

    /**
     * Lists a directory from a cursor, newest entry first, until the visitor says stop or the end. No snapshot: entries that
     * come or go meanwhile may or may not show, all others show exactly once.
     */
    Status list(long directory, ListCursor cursor, ListVisitor visitor);

    /**
     * Counts on in a tree, about so many entries, or until {@link TreeCount#isAtEnd} or what {@link TreeCount} refuses; OK, or that
     * refusal. A directory that has gone meanwhile is left out, and what was left of it.
     */
    Status count(TreeCount tree, long entriesMax);

    /**
     * Appends the absolute path of a directory, in time that grows with its depth. While directories above it are renamed, it is
     * the path before or after each rename. NO_SUCH_DIRECTORY if the id is no directory's.
     */
    Status path(long directory, StringBuilder out);

    /**
     * The ids of a directory and of those above it, itself first and the root last, as they stood at one moment; none if the id is no
     * directory's.
     */
    long[] above(long directory);

    /**
     * Appends the absolute path of a file with this id in this directory, in time that grows with the number of its children.
     * With several names there, one of them. NOT_FOUND if it is not there, or was renamed meanwhile.
     */
    Status path(long directory, long id, StringBuilder out);

    /**
     * Appends an absolute path of a directory or file of which nothing but the id is known. For a file it looks at every entry of
     * the pool: for administrators. NOT_FOUND if the id is nobody's; also for a file that was renamed during the search.
     */
    Status findPath(long id, StringBuilder out);

    /** The user's or group's id for a name, made on first use and kept in the pool; root is 0. -1: no room for more. */
    int principalId(String name);

    /** The id of a name that has one already; -1: it has none, so nothing of that user or group is stored. */
    int knownPrincipalId(String name);

    /** The name of a principal; its number in decimal if the pool does not know it. */
    String principalName(int id);

    /** Records of changes by number: whether one was executed can be asked after a crash too. */
    NumberedChanges numbered();

    /**
     * All that this thread's calls have changed or shown stands at or before this position. It is safe already unless the pool is
     * open in mode {@code LOGGED} with {@link OpenOptions#withoutWaiting}.
     */
    default long logPosition() {
        return 0;
    }

    /**
     * Runs {@code action} when all up to a position is safe: at once, or later on a thread that must not be held up. If the log
     * fails before, {@code onFailure} is called instead.
     */
    default void whenDurable(long position, Runnable action, Consumer<Throwable> onFailure) {
        action.run();
    }

    /** Figures about this pool, for status pages. */
    PoolStatus poolStatus();

    /** Figures for metrics. Unlike {@link #poolStatus} they are told after a failure too. */
    default PoolFigures poolFigures() {
        return PoolFigures.NONE;
    }

    /** Waits for operations and background work to end, marks the pool clean and lets go of it. Operations afterwards are errors. */
    @Override
    void close();
}
