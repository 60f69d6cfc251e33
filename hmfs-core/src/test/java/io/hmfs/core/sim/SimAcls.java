package io.hmfs.core.sim;

import io.hmfs.core.type.Acl;
import io.hmfs.core.type.AclEdit;
import io.hmfs.core.type.Status;
import java.util.Arrays;
import java.util.Random;

/** Access control lists for tests. */
public final class SimAcls {
    private SimAcls() {}

    /** A list for so many named users, and a default list if {@code directory}: none is like that of another seed. */
    public static long[] of(int named, boolean directory, long seed) {
        Random random = new Random(seed);
        long[] acl = new long[named + 1 + (directory ? named + 4 : 0)];
        int at = 0;
        for (int i = 0; i < named; i++) {
            acl[at++] = Acl.entry(false, Acl.USER, random.nextInt(8), (int) seed + i);
        }
        acl[at++] = Acl.entry(false, Acl.GROUP, random.nextInt(8));
        if (directory) {
            acl[at++] = Acl.entry(true, Acl.USER, random.nextInt(8));
            for (int i = 0; i < named; i++) {
                acl[at++] = Acl.entry(true, Acl.USER, random.nextInt(8), (int) seed + i);
            }
            acl[at++] = Acl.entry(true, Acl.GROUP, random.nextInt(8));
            acl[at++] = Acl.entry(true, Acl.MASK, random.nextInt(8));
            acl[at] = Acl.entry(true, Acl.OTHER, random.nextInt(8));
        }
        return acl;
    }

    /** Sets both, whatever there is. */
    public static AclEdit set(int mode, long[] acl) {
        return object -> {
            object.mode = mode;
            object.acl = acl;
            return Status.OK;
        };
    }

    /** One word for each entry. */
    public static String text(long[] acl) {
        return Arrays.stream(acl).mapToObj(Long::toHexString).toList().toString();
    }
}
