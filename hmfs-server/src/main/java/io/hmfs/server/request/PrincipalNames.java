package io.hmfs.server.request;

import io.hmfs.core.Namespace;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Names of users and groups as the bytes that replies carry: a principal keeps its name for ever. Not thread-safe. */
public final class PrincipalNames {
    private static final int SLOTS = 256; // a power of two

    private final Namespace namespace;
    private final int[] ids = new int[SLOTS];
    private final byte[] @Nullable [] names = new byte[SLOTS][];

    public PrincipalNames(Namespace namespace) {
        this.namespace = namespace;
    }

    byte[] name(int id) {
        int slot = id & SLOTS - 1;
        byte[] known = names[slot];
        if (known != null && ids[slot] == id) {
            return known;
        }
        byte[] name = namespace.principalName(id).getBytes(StandardCharsets.UTF_8);
        ids[slot] = id;
        names[slot] = name;
        return name;
    }
}
