package io.hmfs.server.admission;

import java.lang.System.Logger.Level;

/**
 * Safe mode: no file, directory or attribute changes until an administrator ends it, or the server ends. Leases still end, and data that
 * was written is still made durable. Thread-safe.
 */
public final class SafeMode {
    private static final System.Logger LOG = System.getLogger(SafeMode.class.getName());

    private volatile boolean on;

    /** Whether changes are refused. */
    public boolean isOn() {
        return on;
    }

    /** Enters or leaves safe mode. Changes that have begun may still end. */
    public void set(boolean wanted, String user) {
        if (on != wanted) {
            LOG.log(Level.INFO, "{0} has {1} safe mode", user, wanted ? "entered" : "left");
        }
        on = wanted;
    }
}
