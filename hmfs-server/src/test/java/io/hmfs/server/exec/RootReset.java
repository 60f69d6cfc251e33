package io.hmfs.server.exec;

/** For tests that change the root directory behind a service's back. */
public final class RootReset {
    private RootReset() {}

    public static void of(Service service) {
        service.root.changed();
    }
}
