package io.hmfs.server.transport.netty;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Keeps what HMFS and Netty log and should have no reason to log: errors, and whatever comes with a stack trace. The rest is not shown. */
final class LogWatch extends Handler {
    private static final List<Logger> WATCHED = List.of(Logger.getLogger("io.hmfs"), Logger.getLogger("io.netty"));

    private final List<String> found = new CopyOnWriteArrayList<>();

    LogWatch() {
        for (Logger each : WATCHED) {
            each.addHandler(this);
            each.setUseParentHandlers(false);
        }
    }

    @Override
    public void publish(LogRecord record) {
        Throwable thrown = record.getThrown();
        if (record.getLevel().intValue() >= Level.SEVERE.intValue()
                || (thrown != null && record.getLevel().intValue() >= Level.WARNING.intValue())) {
            found.add(record.getLoggerName() + ": " + record.getMessage() + (thrown == null ? "" : " " + thrown));
        }
    }

    /** What was logged since the last call. */
    List<String> take() {
        List<String> taken = List.copyOf(found);
        found.clear();
        return taken;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        for (Logger each : WATCHED) {
            each.removeHandler(this);
            each.setUseParentHandlers(true);
        }
    }
}
