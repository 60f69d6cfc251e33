package io.hmfs.server.access;

/** Grants whose key and time are always the same, so that a request with one can be repeated. */
public final class FixedGrants {
    private FixedGrants() {}

    public static Grants make() {
        return new Grants(1, 2, () -> 1_000);
    }
}
