package io.hmfs.server.access;

import io.hmfs.core.type.Acl;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An entry of an access control list as people know it.
 *
 * @param type {@link Acl#USER} to {@link Acl#OTHER}
 * @param name of the user or group; empty: of the owner, the owning group, the mask, others
 * @param permission rwx; {@link #UNSAID} in what is to be removed
 */
public record AclItem(boolean isDefault, int type, String name, int permission) {
    /** No permission is given. */
    public static final int UNSAID = -1;

    /** The order in which lists stand. */
    static final Comparator<AclItem> ORDER = Comparator.comparing(AclItem::isDefault)
            .thenComparingInt(AclItem::type)
            .thenComparing(AclItem::name);

    private static final List<String> TYPES = List.of("user", "group", "mask", "other");
    private static final String DEFAULT = "default:";

    boolean hasName() {
        return !name.isEmpty();
    }

    boolean isMask() {
        return type == Acl.MASK;
    }

    boolean hasKeyOf(AclItem other) {
        return ORDER.compare(this, other) == 0;
    }

    /** Entries with a NUL between each two; null if one cannot be read. */
    public static @Nullable List<AclItem> parse(String text) {
        List<AclItem> items = new ArrayList<>();
        for (String each : text.isEmpty() ? new String[0] : text.split("\0", -1)) {
            AclItem item = parseOne(each);
            if (item == null) {
                return null;
            }
            items.add(item);
        }
        return items;
    }

    private static @Nullable AclItem parseOne(String text) {
        boolean isDefault = text.startsWith(DEFAULT);
        String entry = isDefault ? text.substring(DEFAULT.length()) : text;
        int first = entry.indexOf(':');
        int last = entry.lastIndexOf(':'); // a name may have some
        int type = TYPES.indexOf(entry.substring(0, Math.max(first, 0)));
        int permission = permission(entry.substring(last + 1));
        return type < 0 || last == first || permission < UNSAID
                ? null
                : new AclItem(isDefault, type, entry.substring(first + 1, last), permission);
    }

    private static int permission(String text) {
        if (text.isEmpty()) {
            return UNSAID;
        }
        int permission = 0;
        for (int i = 0; i < 3; i++) {
            char letter = text.length() == 3 ? text.charAt(i) : '?';
            if (letter != '-' && letter != "rwx".charAt(i)) {
                return UNSAID - 1;
            }
            permission |= letter == '-' ? 0 : 4 >> i;
        }
        return permission;
    }

    /** As {@link #parse} reads it, and as HDFS writes it. */
    @Override
    public String toString() {
        String said = permission == UNSAID
                ? ""
                : String.format(
                        Locale.ROOT,
                        "%c%c%c",
                        (permission & 4) == 0 ? '-' : 'r',
                        (permission & 2) == 0 ? '-' : 'w',
                        (permission & 1) == 0 ? '-' : 'x');
        return (isDefault ? DEFAULT : "") + TYPES.get(type) + ':' + name + ':' + said;
    }
}
