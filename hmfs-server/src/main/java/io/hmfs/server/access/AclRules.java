package io.hmfs.server.access;

import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * How access control lists change, with the rules and messages of HDFS (its AclTransformation and AclStorage, which follow setfacl): a list
 * is thought whole, with the entries that stand in the mode; what is missing in a default list comes from the access list; a mask
 * that is not given is the union of what it covers.
 */
public final class AclRules {
    /** Most entries of the access list, and of the default list. */
    public static final int ENTRIES_MAX = 32;

    private static final int MINIMAL = 3;
    private static final int[] NEEDED = {Acl.USER, Acl.GROUP, Acl.OTHER};

    /** One of the changes below. */
    @FunctionalInterface
    public interface Change {
        List<AclItem> of(List<AclItem> existing, List<AclItem> asked) throws InvalidAclException;
    }

    private AclRules() {}

    /** Adds entries, or gives those that are there other permissions. */
    public static List<AclItem> modify(List<AclItem> existing, List<AclItem> asked) throws InvalidAclException {
        List<AclItem> spec = checked(asked);
        Builder builder = new Builder();
        for (AclItem each : existing) {
            int at = Collections.binarySearch(spec, each, AclItem.ORDER); // of two, the one that HDFS takes
            AclItem other = at < 0 ? null : spec.get(at);
            if (other == null) {
                builder.keep(each);
            } else {
                builder.change(other);
            }
        }
        for (AclItem each : spec) {
            if (find(existing, each) == null) {
                builder.change(each);
            }
        }
        return builder.finish();
    }

    /** Takes entries out. */
    public static List<AclItem> remove(List<AclItem> existing, List<AclItem> asked) throws InvalidAclException {
        List<AclItem> spec = checked(asked);
        Builder builder = new Builder();
        for (AclItem each : existing) {
            if (find(spec, each) == null) {
                builder.keep(each);
            } else {
                builder.drop(each);
            }
        }
        return builder.finish();
    }

    /** Replaces the lists of which there are entries. */
    public static List<AclItem> replace(List<AclItem> existing, List<AclItem> asked) throws InvalidAclException {
        Builder builder = new Builder();
        for (AclItem each : checked(asked)) {
            builder.change(each);
        }
        for (AclItem each : existing) {
            if (!builder.changed[list(each)]) {
                builder.keep(each);
            }
        }
        return builder.finish();
    }

    /** Takes the default list out. */
    public static List<AclItem> removeDefault(List<AclItem> existing) {
        return existing.stream().filter(each -> !each.isDefault()).toList();
    }

    /** Takes all out but the mode, in which the group has what its entry gave it. */
    public static List<AclItem> removeAll(List<AclItem> existing) {
        return existing.stream()
                .filter(each -> !each.isDefault() && !each.hasName() && !each.isMask())
                .toList();
    }

    private static List<AclItem> checked(List<AclItem> asked) throws InvalidAclException {
        List<AclItem> spec = new ArrayList<>(asked);
        spec.sort(AclItem.ORDER);
        checkCounts(spec);
        return spec;
    }

    private static int list(AclItem item) {
        return item.isDefault() ? 1 : 0;
    }

    private static @Nullable AclItem find(List<AclItem> items, AclItem key) {
        for (AclItem each : items) {
            if (each.hasKeyOf(key)) {
                return each;
            }
        }
        return null;
    }

    private static void checkCounts(List<AclItem> items) throws InvalidAclException {
        for (boolean isDefault : new boolean[] {false, true}) {
            long count =
                    items.stream().filter(each -> each.isDefault() == isDefault).count();
            if (count > ENTRIES_MAX) {
                throw new InvalidAclException("Invalid ACL: ACL has " + count + (isDefault ? " default" : " access")
                        + " entries, which exceeds maximum of " + ENTRIES_MAX + ".");
            }
        }
    }

    /** A list in the making; of the arrays, the first place is for the access list, the second for the default list. */
    private static final class Builder {
        private final List<AclItem> items = new ArrayList<>(); // without masks
        private final @Nullable AclItem[] masks = new AclItem[2];
        private final boolean[] changed = new boolean[2];
        private final boolean[] maskChanged = new boolean[2];

        void keep(AclItem item) {
            if (item.isMask()) {
                masks[list(item)] = item;
            } else {
                items.add(item);
            }
        }

        void change(AclItem item) {
            keep(item);
            touch(item);
        }

        void drop(AclItem item) {
            touch(item);
        }

        private void touch(AclItem item) {
            changed[list(item)] = true;
            maskChanged[list(item)] |= item.isMask();
        }

        List<AclItem> finish() throws InvalidAclException {
            completeDefaults();
            for (int list = 0; list < masks.length; list++) {
                addMask(list);
            }
            items.sort(AclItem.ORDER);
            check();
            return items;
        }

        private void completeDefaults() {
            if (items.stream().noneMatch(AclItem::isDefault)) {
                return;
            }
            for (int type : NEEDED) {
                AclItem access = find(items, new AclItem(false, type, "", 0));
                if (access != null && find(items, new AclItem(true, type, "", 0)) == null) {
                    items.add(new AclItem(true, type, "", access.permission()));
                }
            }
        }

        private void addMask(int list) throws InvalidAclException {
            boolean present = false;
            boolean needed = false;
            int union = 0;
            for (AclItem each : items) {
                if (list(each) == list) {
                    present = true;
                    needed |= each.hasName();
                    union |= each.type() == Acl.GROUP || each.hasName() ? each.permission() : 0;
                }
            }
            AclItem mask = masks[list];
            if (!present || (mask == null && !needed)) {
                return;
            }
            if (mask == null && maskChanged[list]) {
                throw new InvalidAclException("Invalid ACL: mask is required and cannot be deleted.");
            }
            boolean stays = mask != null && (!changed[list] || maskChanged[list]);
            items.add(mask != null && stays ? mask : new AclItem(list == 1, Acl.MASK, "", union));
        }

        private void check() throws InvalidAclException {
            for (int i = 0; i < items.size(); i++) {
                AclItem each = items.get(i);
                if (i > 0 && each.hasKeyOf(items.get(i - 1))) {
                    throw new InvalidAclException("Invalid ACL: multiple entries with same scope, type and name.");
                }
                if (each.hasName() && each.type() != Acl.USER && each.type() != Acl.GROUP) {
                    throw new InvalidAclException("Invalid ACL: this entry type must not have a name: " + each + ".");
                }
            }
            checkCounts(items);
            for (int type : NEEDED) {
                if (find(items, new AclItem(false, type, "", 0)) == null) {
                    throw new InvalidAclException("Invalid ACL: the user, group and other entries are required.");
                }
                boolean hasDefault = items.get(items.size() - 1).isDefault();
                if (hasDefault && find(items, new AclItem(true, type, "", 0)) == null) {
                    throw new InvalidAclException(
                            "Invalid default ACL: the user, group and other entries are required.");
                }
            }
        }
    }

    /** The whole list of an object, with what stands in its mode. */
    public static List<AclItem> whole(Attributes object, IntFunction<String> names) {
        List<AclItem> items = new ArrayList<>();
        boolean listed = Acl.hasAccess(object.acl);
        items.add(new AclItem(false, Acl.USER, "", object.mode >>> 6 & 7));
        items.add(new AclItem(false, listed ? Acl.MASK : Acl.GROUP, "", object.mode >>> 3 & 7));
        items.add(new AclItem(false, Acl.OTHER, "", object.mode & 7));
        for (long entry : object.acl) {
            items.add(item(entry, names));
        }
        items.sort(AclItem.ORDER);
        return items;
    }

    /** One entry that stands beside a mode. */
    public static AclItem item(long entry, IntFunction<String> names) {
        String name = Acl.isNamed(entry) ? names.apply(Acl.id(entry)) : "";
        return new AclItem(Acl.isDefault(entry), Acl.type(entry), name, Acl.permission(entry));
    }

    /** Puts a whole list where it belongs: into the mode and beside it. */
    public static void store(List<AclItem> whole, ToIntFunction<String> ids, Attributes object) {
        long access = whole.stream().filter(each -> !each.isDefault()).count();
        int mode = object.mode & ~0777;
        long[] acl = new long[whole.size()];
        int count = 0;
        for (AclItem each : whole) {
            boolean group = each.type() == Acl.GROUP && !each.hasName() && access == MINIMAL;
            boolean inMode = !each.isDefault() && !each.hasName() && (each.type() != Acl.GROUP || group);
            if (inMode) {
                mode |= each.permission() << (each.type() == Acl.USER ? 6 : each.type() == Acl.OTHER ? 0 : 3);
            } else if (each.hasName()) {
                acl[count++] = Acl.entry(each.isDefault(), each.type(), each.permission(), ids.applyAsInt(each.name()));
            } else {
                acl[count++] = Acl.entry(each.isDefault(), each.type(), each.permission());
            }
        }
        object.mode = mode;
        object.acl = count == 0 ? Acl.NONE : Arrays.copyOf(acl, count);
    }
}
