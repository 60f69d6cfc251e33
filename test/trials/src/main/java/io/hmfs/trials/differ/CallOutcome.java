package io.hmfs.trials.differ;

import java.lang.reflect.UndeclaredThrowableException;
import java.util.Set;
import org.apache.hadoop.ipc.RemoteException;

/**
 * What an operation returned, or {@code !} and the class of the exception as a program sees it.
 *
 * @param text what must be the same on both sides
 * @param remark what else an exception said
 */
record CallOutcome(String text, String remark) {
    /** Programs tell some of these apart by their messages, as Hadoop's shell does: the messages are compared, too. */
    private static final Set<String> WITH_MESSAGE = Set.of(
            "org.apache.hadoop.security.AccessControlException",
            "org.apache.hadoop.hdfs.protocol.AclException",
            "org.apache.hadoop.hdfs.protocol.NSQuotaExceededException");

    static CallOutcome of(String returned) {
        return new CallOutcome(returned, "");
    }

    /** Whether it is one of those that say no: an exception, or false. */
    boolean isRefusal() {
        return text.startsWith("!") || text.equals("false");
    }

    /** The class, with the message where programs match on it. */
    static CallOutcome of(Throwable thrown) {
        Throwable seen = thrown;
        while (seen instanceof UndeclaredThrowableException && seen.getCause() != null) {
            seen = seen.getCause();
        }
        String name = seen.getClass().getName();
        // A second line is the server's stack, or advice.
        String message = String.valueOf(seen.getMessage()).split("\n", 2)[0];
        if (seen instanceof RemoteException remote) {
            return new CallOutcome("!" + name + "(" + remote.getClassName() + ")", message);
        }
        return WITH_MESSAGE.contains(name)
                ? new CallOutcome("!" + name + ": " + message, "")
                : new CallOutcome("!" + name, message);
    }
}
