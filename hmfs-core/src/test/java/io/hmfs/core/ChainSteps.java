package io.hmfs.core;

import io.hmfs.core.sim.SimAcls;
import io.hmfs.core.sim.Values;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.XattrMode;
import java.util.Random;

/** Steps of a simulation on symbolic links, extended attributes and ACLs. */
final class ChainSteps {
    private static final String[] ATTRIBUTES = {"user.a", "user.b", "x".repeat(255)};
    private static final XattrMode[] MODES = XattrMode.values();

    private ChainSteps() {}

    static Step symlink(Random random, long d, String n, Attributes out) {
        byte[] target = Values.target(1 + random.nextInt(random.nextInt(8) == 0 ? 4095 : 100), random.nextLong());
        int owner = random.nextInt(100);
        return new Step(
                "symlink " + d + " " + n + " " + target.length,
                e -> e.symlink(d, Name.of(n), target, owner, owner, out),
                (m, id) -> m.symlink(d, n, target, owner, owner, id),
                true);
    }

    private static Step acl(long d, String n, int mode, long[] acl) {
        return new Step(
                "changeAcl " + d + " " + n + " " + Integer.toOctalString(mode) + " " + acl.length,
                e -> e.changeAcl(d, Name.of(n), SimAcls.set(mode, acl)),
                (m, _) -> m.setAcl(d, n, mode, acl),
                false);
    }

    /** A change of the extended attributes of a name. */
    static Step change(Random random, long d, String n) {
        Name name = Name.of(n);
        String a = ATTRIBUTES[random.nextInt(ATTRIBUTES.length)];
        Name attribute = Name.of(a);
        byte[] value = Values.of(random.nextInt(random.nextInt(8) == 0 ? 3000 : 200), random.nextLong());
        XattrMode mode = MODES[random.nextInt(MODES.length)];
        String at = " " + d + " " + n + " " + (a.length() > 9 ? "x255" : a) + " " + value.length;
        return switch (random.nextInt(6)) {
            case 0 ->
                new Step(
                        "removeXattr" + at,
                        e -> e.removeXattr(d, name, attribute),
                        (m, _) -> m.removeXattr(d, n, a),
                        false);
            case 1 ->
                acl(d, n, value.length % 0777, SimAcls.of(value.length % 29, value.length % 2 == 0, value.length));
            case 2 -> acl(d, n, value.length % 0777, Acl.NONE);
            default ->
                new Step(
                        "setXattr" + at + " " + mode,
                        e -> e.setXattr(d, name, attribute, value, mode),
                        (m, _) -> m.setXattr(d, n, a, value, mode),
                        false);
        };
    }
}
