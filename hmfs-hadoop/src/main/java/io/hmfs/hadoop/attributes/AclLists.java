package io.hmfs.hadoop.attributes;

import io.hmfs.client.AclInfo;
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

/**
 * Access control lists of absolute paths, with the entries and exceptions of Hadoop; the server has the rules.
 * Thread-safe.
 */
public final class AclLists {
    private static final String DEFAULT = "default:";

    private final ServerLink link;

    public AclLists(ServerLink link) {
        this.link = link;
    }

    public void modify(String path, List<AclEntry> entries) throws IOException {
        link.change(path, client -> client.acls().modify(path, texts(entries)));
    }

    public void removeEntries(String path, List<AclEntry> entries) throws IOException {
        link.change(path, client -> client.acls().removeEntries(path, texts(entries)));
    }

    public void removeDefault(String path) throws IOException {
        link.change(path, client -> client.acls().removeDefault(path));
    }

    public void remove(String path) throws IOException {
        link.change(path, client -> client.acls().remove(path));
    }

    public void set(String path, List<AclEntry> entries) throws IOException {
        link.change(path, client -> client.acls().set(path, texts(entries)));
    }

    /** Asks the server, which knows groups and lists, whether the user may do something. */
    public void access(String path, FsAction wanted) throws IOException {
        int permission = (wanted.implies(FsAction.READ) ? 4 : 0)
                | (wanted.implies(FsAction.WRITE) ? 2 : 0)
                | (wanted.implies(FsAction.EXECUTE) ? 1 : 0);
        link.change(path, client -> client.acls().access(path, permission));
    }

    public AclStatus get(String path) throws IOException {
        AclInfo acl = link.ask(path, client -> client.acls().get(path));
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
