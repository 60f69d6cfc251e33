package io.hmfs.hadoop;

import io.hmfs.client.AclInfo;
import io.hmfs.client.HmfsException;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclEntryScope;
import org.apache.hadoop.fs.permission.AclEntryType;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;

/** Access control lists of absolute paths, with the entries and exceptions of Hadoop. Their rules are the server's. Thread-safe. */
final class AclLists {
    private static final String DEFAULT = "default:";

    private final ServerLink link;

    AclLists(ServerLink link) {
        this.link = link;
    }

    /** Harmless when repeated. */
    @FunctionalInterface
    private interface Action {
        void run() throws IOException;
    }

    private void change(String path, Action action) throws IOException {
        try {
            link.repeat(client -> action.run());
        } catch (HmfsException e) {
            throw HadoopErrors.translateLookup(path, e);
        }
    }

    void modify(String path, List<AclEntry> entries) throws IOException {
        change(path, () -> link.client().acls().modify(path, texts(entries)));
    }

    void removeEntries(String path, List<AclEntry> entries) throws IOException {
        change(path, () -> link.client().acls().removeEntries(path, texts(entries)));
    }

    void removeDefault(String path) throws IOException {
        change(path, () -> link.client().acls().removeDefault(path));
    }

    void remove(String path) throws IOException {
        change(path, () -> link.client().acls().remove(path));
    }

    void set(String path, List<AclEntry> entries) throws IOException {
        change(path, () -> link.client().acls().set(path, texts(entries)));
    }

    /** The server judges, which knows groups and lists. */
    void access(String path, FsAction wanted) throws IOException {
        int permission = (wanted.implies(FsAction.READ) ? 4 : 0)
                | (wanted.implies(FsAction.WRITE) ? 2 : 0)
                | (wanted.implies(FsAction.EXECUTE) ? 1 : 0);
        change(path, () -> link.client().acls().access(path, permission));
    }

    AclStatus get(String path) throws IOException {
        AclInfo acl;
        try {
            acl = link.repeatable(client -> client.acls().get(path));
        } catch (HmfsException e) {
            throw HadoopErrors.translateLookup(path, e);
        }
        FsPermission mode = FsPermission.createImmutable((short) acl.mode());
        return new AclStatus.Builder()
                .owner(acl.owner())
                .group(acl.group())
                .stickyBit(mode.getStickyBit())
                .setPermission(mode)
                .addEntries(acl.entries().stream().map(AclLists::entry).toList())
                .build();
    }

    private static List<String> texts(List<AclEntry> entries) {
        return entries.stream().map(AclEntry::toStringStable).toList();
    }

    private static AclEntry entry(String text) {
        boolean isDefault = text.startsWith(DEFAULT);
        String rest = isDefault ? text.substring(DEFAULT.length()) : text;
        int first = rest.indexOf(':');
        int last = rest.lastIndexOf(':');
        AclEntry.Builder builder = new AclEntry.Builder()
                .setScope(isDefault ? AclEntryScope.DEFAULT : AclEntryScope.ACCESS)
                .setType(AclEntryType.valueOf(rest.substring(0, first).toUpperCase(Locale.ROOT)))
                .setPermission(FsAction.getFsAction(rest.substring(last + 1)));
        return last == first + 1
                ? builder.build()
                : builder.setName(rest.substring(first + 1, last)).build();
    }
}
