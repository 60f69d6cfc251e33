package io.hmfs.trials.differ;

import static io.hmfs.trials.differ.Argument.ACL;
import static io.hmfs.trials.differ.Argument.ACTION;
import static io.hmfs.trials.differ.Argument.ATTRIBUTE;
import static io.hmfs.trials.differ.Argument.BOOLEAN;
import static io.hmfs.trials.differ.Argument.CREATE_FLAGS;
import static io.hmfs.trials.differ.Argument.GLOB;
import static io.hmfs.trials.differ.Argument.GROUP;
import static io.hmfs.trials.differ.Argument.OWNER;
import static io.hmfs.trials.differ.Argument.PATH;
import static io.hmfs.trials.differ.Argument.PERMISSION;
import static io.hmfs.trials.differ.Argument.QUOTA;
import static io.hmfs.trials.differ.Argument.REPLICATION;
import static io.hmfs.trials.differ.Argument.SET_FLAGS;
import static io.hmfs.trials.differ.Argument.SIZE;
import static io.hmfs.trials.differ.Argument.TARGET;
import static io.hmfs.trials.differ.Argument.TIME;
import static io.hmfs.trials.differ.Argument.VALUE;
import static io.hmfs.trials.differ.Argument.WHOLE_ACL;

import java.io.OutputStream;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.jspecify.annotations.Nullable;

/** The kinds of operations: how often each is drawn, what it takes, and the call that it is. */
enum ApiCall {
    FS_MKDIRS("fs.mkdirs", 20, (c, a) -> "" + c.fs().mkdirs(c.path(a.get(0)), mode(a.get(1))), PATH, PERMISSION),
    FS_CREATE(
            "fs.create",
            20,
            (c, a) -> written(
                    c.fs().create(
                                    c.path(a.get(0)),
                                    mode(a.get(1)),
                                    is(a.get(2)),
                                    Client.BUFFER,
                                    Client.REPLICATION,
                                    Client.BLOCK,
                                    null),
                    a.get(3)),
            PATH,
            PERMISSION,
            BOOLEAN,
            SIZE),
    FS_CREATE_NON_RECURSIVE(
            "fs.createNonRecursive",
            4,
            (c, a) -> written(
                    c.fs().createNonRecursive(
                                    c.path(a.get(0)),
                                    mode(a.get(1)),
                                    is(a.get(2)),
                                    Client.BUFFER,
                                    Client.REPLICATION,
                                    Client.BLOCK,
                                    null),
                    a.get(3)),
            PATH,
            PERMISSION,
            BOOLEAN,
            SIZE),
    FS_APPEND("fs.append", 5, (c, a) -> written(c.fs().append(c.path(a.get(0))), a.get(1)), PATH, SIZE),
    FS_TRUNCATE("fs.truncate", 2, (c, a) -> "" + c.fs().truncate(c.path(a.get(0)), number(a.get(1))), PATH, SIZE),
    FS_CONCAT(
            "fs.concat",
            3,
            (c, a) -> done(() -> c.fs().concat(c.path(a.get(0)), new Path[] {c.path(a.get(1)), c.path(a.get(2))})),
            PATH,
            PATH,
            PATH),
    FS_DELETE("fs.delete", 12, (c, a) -> "" + c.fs().delete(c.path(a.get(0)), is(a.get(1))), PATH, BOOLEAN),
    FS_RENAME("fs.rename", 20, (c, a) -> "" + c.fs().rename(c.path(a.get(0)), c.path(a.get(1))), PATH, PATH),
    FS_LIST("fs.listStatus", 6, (c, a) -> c.statuses(c.fs().listStatus(c.path(a.get(0)))), PATH),
    FS_ITERATE("fs.listStatusIterator", 3, (c, a) -> c.sorted(c.fs().listStatusIterator(c.path(a.get(0)))), PATH),
    FS_LOCATED("fs.listLocatedStatus", 3, (c, a) -> c.sorted(c.fs().listLocatedStatus(c.path(a.get(0)))), PATH),
    FS_FILES("fs.listFiles", 3, (c, a) -> c.sorted(c.fs().listFiles(c.path(a.get(0)), is(a.get(1)))), PATH, BOOLEAN),
    FS_GLOB("fs.globStatus", 4, (c, a) -> found(c, c.fs().globStatus(c.path(a.get(0)))), GLOB),
    FS_STATUS("fs.getFileStatus", 5, (c, a) -> c.status(c.fs().getFileStatus(c.path(a.get(0)))), PATH),
    FS_LINK_STATUS("fs.getFileLinkStatus", 3, (c, a) -> c.status(c.fs().getFileLinkStatus(c.path(a.get(0)))), PATH),
    FS_LINK_TARGET("fs.getLinkTarget", 2, (c, a) -> "" + c.fs().getLinkTarget(c.path(a.get(0))), PATH),
    FS_RESOLVE("fs.resolvePath", 2, (c, a) -> "" + c.fs().resolvePath(c.path(a.get(0))), PATH),
    FS_EXISTS("fs.exists", 3, (c, a) -> "" + c.fs().exists(c.path(a.get(0))), PATH),
    FS_SYMLINK(
            "fs.createSymlink",
            4,
            (c, a) -> done(() -> c.fs().createSymlink(c.target(a.get(0)), c.path(a.get(1)), is(a.get(2)))),
            TARGET,
            PATH,
            BOOLEAN),
    FS_SET_PERMISSION(
            "fs.setPermission",
            10,
            (c, a) -> done(() -> c.fs().setPermission(c.path(a.get(0)), mode(a.get(1)))),
            PATH,
            PERMISSION),
    FS_SET_OWNER(
            "fs.setOwner",
            8,
            (c, a) -> done(() -> c.fs().setOwner(c.path(a.get(0)), orNull(a.get(1)), orNull(a.get(2)))),
            PATH,
            OWNER,
            GROUP),
    FS_SET_TIMES(
            "fs.setTimes",
            8,
            (c, a) -> done(() -> c.fs().setTimes(c.path(a.get(0)), number(a.get(1)), number(a.get(2)))),
            PATH,
            TIME,
            TIME),
    FS_SET_REPLICATION(
            "fs.setReplication",
            3,
            (c, a) -> "" + c.fs().setReplication(c.path(a.get(0)), Short.parseShort(a.get(1))),
            PATH,
            REPLICATION),
    FS_ACCESS(
            "fs.access",
            4,
            (c, a) -> done(() -> c.fs().access(c.path(a.get(0)), FsAction.getFsAction(a.get(1)))),
            PATH,
            ACTION),
    FS_SUMMARY("fs.getContentSummary", 4, (c, a) -> summary(c.fs().getContentSummary(c.path(a.get(0)))), PATH),
    FS_READ("fs.open", 4, (c, a) -> Client.content(c.fs().open(c.path(a.get(0)))), PATH),
    FS_CHECKSUM("fs.getFileChecksum", 3, (c, a) -> sum(c.fs().getFileChecksum(c.path(a.get(0)))), PATH),
    FS_GET_ACL("fs.getAclStatus", 3, (c, a) -> Client.acl(c.fs().getAclStatus(c.path(a.get(0)))), PATH),
    FS_SET_ACL(
            "fs.setAcl",
            6,
            (c, a) -> done(() -> c.fs().setAcl(c.path(a.get(0)), AclEntry.parseAclSpec(a.get(1), true))),
            PATH,
            WHOLE_ACL),
    FS_MODIFY_ACL(
            "fs.modifyAclEntries",
            6,
            (c, a) -> done(() -> c.fs().modifyAclEntries(c.path(a.get(0)), AclEntry.parseAclSpec(a.get(1), true))),
            PATH,
            ACL),
    FS_REMOVE_ACL_ENTRIES(
            "fs.removeAclEntries",
            3,
            (c, a) -> done(() -> c.fs().removeAclEntries(c.path(a.get(0)), AclEntry.parseAclSpec(a.get(1), true))),
            PATH,
            ACL),
    FS_REMOVE_DEFAULT_ACL(
            "fs.removeDefaultAcl", 2, (c, a) -> done(() -> c.fs().removeDefaultAcl(c.path(a.get(0)))), PATH),
    FS_REMOVE_ACL("fs.removeAcl", 2, (c, a) -> done(() -> c.fs().removeAcl(c.path(a.get(0)))), PATH),
    FS_SET_XATTR(
            "fs.setXAttr",
            6,
            (c, a) -> done(() -> c.fs().setXAttr(
                            c.path(a.get(0)), a.get(1), Client.raw(a.get(2)), flags(XAttrSetFlag.class, a.get(3)))),
            PATH,
            ATTRIBUTE,
            VALUE,
            SET_FLAGS),
    FS_GET_XATTR(
            "fs.getXAttr", 3, (c, a) -> Client.value(c.fs().getXAttr(c.path(a.get(0)), a.get(1))), PATH, ATTRIBUTE),
    FS_GET_XATTRS("fs.getXAttrs", 2, (c, a) -> Client.xattrs(c.fs().getXAttrs(c.path(a.get(0)))), PATH),
    FS_LIST_XATTRS("fs.listXAttrs", 2, (c, a) -> "" + new TreeSet<>(c.fs().listXAttrs(c.path(a.get(0)))), PATH),
    FS_REMOVE_XATTR(
            "fs.removeXAttr", 3, (c, a) -> done(() -> c.fs().removeXAttr(c.path(a.get(0)), a.get(1))), PATH, ATTRIBUTE),
    FS_SET_QUOTA(
            "fs.setQuota",
            3,
            (c, a) -> done(() -> c.fs().setQuota(c.path(a.get(0)), number(a.get(1)), -1)),
            PATH,
            QUOTA),
    FS_QUOTA(
            "fs.getQuotaUsage",
            2,
            (c, a) -> {
                var usage = c.fs().getQuotaUsage(c.path(a.get(0)));
                return usage.getFileAndDirectoryCount() + " of " + usage.getQuota();
            },
            PATH),
    FC_MKDIR(
            "fc.mkdir",
            6,
            (c, a) -> done(() -> c.fc().mkdir(c.path(a.get(0)), mode(a.get(1)), is(a.get(2)))),
            PATH,
            PERMISSION,
            BOOLEAN),
    FC_CREATE(
            "fc.create",
            6,
            (c, a) -> written(
                    c.fc().create(
                                    c.path(a.get(0)),
                                    flags(CreateFlag.class, a.get(1)),
                                    Options.CreateOpts.perms(mode(a.get(2))),
                                    is(a.get(3))
                                            ? Options.CreateOpts.createParent()
                                            : Options.CreateOpts.donotCreateParent(),
                                    Options.CreateOpts.blockSize(Client.BLOCK)),
                    a.get(4)),
            PATH,
            CREATE_FLAGS,
            PERMISSION,
            BOOLEAN,
            SIZE),
    FC_DELETE("fc.delete", 4, (c, a) -> "" + c.fc().delete(c.path(a.get(0)), is(a.get(1))), PATH, BOOLEAN),
    FC_RENAME(
            "fc.rename",
            10,
            (c, a) -> done(() -> c.fc().rename(
                            c.path(a.get(0)),
                            c.path(a.get(1)),
                            is(a.get(2)) ? Options.Rename.OVERWRITE : Options.Rename.NONE)),
            PATH,
            PATH,
            BOOLEAN),
    FC_LIST("fc.listStatus", 3, (c, a) -> c.sorted(c.fc().listStatus(c.path(a.get(0)))), PATH),
    FC_GLOB("fc.globStatus", 2, (c, a) -> found(c, c.fc().util().globStatus(c.path(a.get(0)))), GLOB),
    FC_STATUS("fc.getFileStatus", 3, (c, a) -> c.status(c.fc().getFileStatus(c.path(a.get(0)))), PATH),
    FC_LINK_STATUS("fc.getFileLinkStatus", 3, (c, a) -> c.status(c.fc().getFileLinkStatus(c.path(a.get(0)))), PATH),
    FC_LINK_TARGET("fc.getLinkTarget", 2, (c, a) -> "" + c.fc().getLinkTarget(c.path(a.get(0))), PATH),
    FC_RESOLVE("fc.resolvePath", 2, (c, a) -> "" + c.fc().resolvePath(c.path(a.get(0))), PATH),
    FC_EXISTS("fc.exists", 2, (c, a) -> "" + c.fc().util().exists(c.path(a.get(0))), PATH),
    FC_SYMLINK(
            "fc.createSymlink",
            10,
            (c, a) -> done(() -> c.fc().createSymlink(c.target(a.get(0)), c.path(a.get(1)), is(a.get(2)))),
            TARGET,
            PATH,
            BOOLEAN),
    FC_SET_PERMISSION(
            "fc.setPermission",
            3,
            (c, a) -> done(() -> c.fc().setPermission(c.path(a.get(0)), mode(a.get(1)))),
            PATH,
            PERMISSION),
    FC_SET_OWNER(
            "fc.setOwner",
            2,
            (c, a) -> done(() -> c.fc().setOwner(c.path(a.get(0)), orNull(a.get(1)), orNull(a.get(2)))),
            PATH,
            OWNER,
            GROUP),
    FC_SET_TIMES(
            "fc.setTimes",
            2,
            (c, a) -> done(() -> c.fc().setTimes(c.path(a.get(0)), number(a.get(1)), number(a.get(2)))),
            PATH,
            TIME,
            TIME),
    FC_SET_REPLICATION(
            "fc.setReplication",
            1,
            (c, a) -> "" + c.fc().setReplication(c.path(a.get(0)), Short.parseShort(a.get(1))),
            PATH,
            REPLICATION),
    FC_ACCESS(
            "fc.access",
            2,
            (c, a) -> done(() -> c.fc().access(c.path(a.get(0)), FsAction.getFsAction(a.get(1)))),
            PATH,
            ACTION),
    FC_SUMMARY("fc.getContentSummary", 2, (c, a) -> summary(c.fc().util().getContentSummary(c.path(a.get(0)))), PATH),
    FC_READ("fc.open", 2, (c, a) -> Client.content(c.fc().open(c.path(a.get(0)))), PATH),
    FC_CHECKSUM("fc.getFileChecksum", 1, (c, a) -> sum(c.fc().getFileChecksum(c.path(a.get(0)))), PATH),
    FC_GET_ACL("fc.getAclStatus", 1, (c, a) -> Client.acl(c.fc().getAclStatus(c.path(a.get(0)))), PATH),
    FC_MODIFY_ACL(
            "fc.modifyAclEntries",
            2,
            (c, a) -> done(() -> c.fc().modifyAclEntries(c.path(a.get(0)), AclEntry.parseAclSpec(a.get(1), true))),
            PATH,
            ACL),
    FC_SET_XATTR(
            "fc.setXAttr",
            2,
            (c, a) -> done(() -> c.fc().setXAttr(
                            c.path(a.get(0)), a.get(1), Client.raw(a.get(2)), flags(XAttrSetFlag.class, a.get(3)))),
            PATH,
            ATTRIBUTE,
            VALUE,
            SET_FLAGS),
    FC_GET_XATTRS("fc.getXAttrs", 1, (c, a) -> Client.xattrs(c.fc().getXAttrs(c.path(a.get(0)))), PATH);

    private static final String OK = "ok";
    private static final int OCTAL = 8;
    private static final Map<String, ApiCall> BY_TEXT =
            Arrays.stream(values()).collect(Collectors.toMap(ApiCall::text, Function.identity()));

    private interface Call {
        String of(Client client, List<String> arguments) throws Exception;
    }

    private interface Step {
        void run() throws Exception;
    }

    private final String text;
    private final int weight;

    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final Call call;

    @SuppressWarnings("ImmutableEnumChecker") // it is made by List.of
    private final List<Argument> arguments;

    ApiCall(String text, int weight, Call call, Argument... arguments) {
        this.text = text;
        this.weight = weight;
        this.call = call;
        this.arguments = List.of(arguments);
    }

    /** The kind of this name in a script. */
    static ApiCall of(String text) {
        ApiCall kind = BY_TEXT.get(text);
        if (kind == null) {
            throw new IllegalArgumentException("no kind of operation: " + text);
        }
        return kind;
    }

    /** Whether it makes directories on the way to what it makes, which may be left where that is refused. */
    boolean makesParents() {
        return text.matches("f[sc]\\.(mkdirs?|create\\w*)");
    }

    String text() {
        return text;
    }

    int weight() {
        return weight;
    }

    List<Argument> arguments() {
        return arguments;
    }

    /** What the call returned, as text. */
    String run(Client client, List<String> values) throws Exception {
        return call.of(client, values);
    }

    private static String done(Step step) throws Exception {
        step.run();
        return OK;
    }

    private static String written(OutputStream opened, String size) throws Exception {
        try (opened) {
            opened.write(Client.bytes(Integer.parseInt(size)));
        }
        return OK;
    }

    private static String found(Client client, FileStatus @Nullable [] all) throws Exception {
        return all == null ? "null" : client.statuses(all);
    }

    /** Without the space that is consumed, in which HDFS counts replicas. */
    private static String summary(ContentSummary summary) {
        return "%d directories, %d files, %d bytes, quota %d"
                .formatted(
                        summary.getDirectoryCount(), summary.getFileCount(), summary.getLength(), summary.getQuota());
    }

    private static String sum(@Nullable FileChecksum checksum) {
        return "" + checksum;
    }

    private static FsPermission mode(String octal) {
        return new FsPermission(Short.parseShort(octal, OCTAL));
    }

    private static boolean is(String text) {
        return Boolean.parseBoolean(text);
    }

    private static long number(String text) {
        return Long.parseLong(text);
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    private static <E extends Enum<E>> EnumSet<E> flags(Class<E> type, String names) {
        EnumSet<E> flags = EnumSet.noneOf(type);
        for (String name : names.split(",", -1)) {
            flags.add(Enum.valueOf(type, name.toUpperCase(Locale.ROOT)));
        }
        return flags;
    }
}
