package io.hmfs.server.exec;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Limits as they stand in the pool: for each directory that has some a symbolic link in limbo, named by the directory's id in hexadecimal
 * and {@code .0}, with the two limits as its target (docs/format.md#limbo). A change is one commit, the rename of a new link over the old
 * one. No reaper takes what has a dot in its name there, also none that knows of no quotas, and a start that knows of none leaves them.
 */
final class QuotaEntries {
    private static final System.Logger LOG = System.getLogger(QuotaEntries.class.getName());
    private static final String ENTRY = ".0";
    private static final String DRAFT = ".00";
    private static final int HEX = 16;

    private final Namespace namespace;
    private final NameChanges changes;

    QuotaEntries(Namespace namespace, NameChanges changes) {
        this.namespace = namespace;
        this.changes = changes;
    }

    private static Name name(long directory, String suffix) {
        return Name.of(Long.toHexString(directory) + suffix);
    }

    /** Durable, and seen by a later start as a whole or not at all. */
    Status write(long limbo, long directory, long names, long bytes) {
        Name draft = name(directory, DRAFT);
        byte[] target = (names + "," + bytes).getBytes(StandardCharsets.US_ASCII);
        Attributes out = new Attributes();
        Status status = namespace.symlink(limbo, draft, target, 0, 0, out);
        if (status == Status.EXISTS) { // a crash left it
            namespace.delete(limbo, draft, out);
            status = namespace.symlink(limbo, draft, target, 0, 0, out);
        }
        return status == Status.OK ? changes.rename(limbo, draft, limbo, name(directory, ENTRY), true, out) : status;
    }

    void remove(long limbo, long directory) {
        namespace.delete(limbo, name(directory, ENTRY), new Attributes());
    }

    /** All limits. Drops those of directories that are gone. */
    List<Quota> read(long limbo) {
        List<Name> found = new ArrayList<>();
        namespace.list(limbo, new ListCursor(), (name, entry) -> {
            if (entry.isSymlink()) {
                found.add(Name.of(name.toString()));
            }
            return true;
        });
        List<Quota> quotas = new ArrayList<>();
        Attributes out = new Attributes();
        for (Name each : found) {
            String text = each.toString();
            try {
                long directory = Long.parseUnsignedLong(text, 0, text.indexOf('.'), HEX);
                if (text.endsWith(DRAFT) || namespace.statDirectory(directory, out) != Status.OK) {
                    namespace.delete(limbo, each, out);
                } else {
                    quotas.add(read(limbo, each, directory));
                }
            } catch (NumberFormatException | IndexOutOfBoundsException e) {
                LOG.log(Level.WARNING, "a link in limbo that no quota is is left alone: " + text, e);
            }
        }
        LOG.log(Level.DEBUG, "{0} directories have quotas", quotas.size());
        return quotas;
    }

    private Quota read(long limbo, Name name, long directory) {
        Bytes target = new Bytes();
        namespace.readlink(limbo, name, target);
        String[] limits = new String(target.value, StandardCharsets.US_ASCII).split(",", -1);
        return new Quota(directory, Long.parseLong(limits[0]), Long.parseLong(limits[1]));
    }
}
