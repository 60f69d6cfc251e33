package io.hmfs.hadoop;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.hdfs.protocol.SnapshotAccessControlException;
import org.apache.hadoop.ipc.RemoteException;

/**
 * The names that HDFS keeps for itself: {@code .reserved} in the root and {@code .snapshot} in each directory. Nothing
 * stands there on HMFS, but what were made there could not be copied to HDFS. The exceptions are those that a client of
 * HDFS sees, in its words.
 */
final class ReservedNames {
    private static final String RESERVED = ".reserved";
    private static final String SNAPSHOT = ".snapshot";

    private ReservedNames() {}

    /** Refuses the absolute path of something new. */
    static void check(String path) throws IOException {
        if (!path.contains(RESERVED) && !path.contains(SNAPSHOT)) {
            return;
        }
        List<String> names = Arrays.asList(path.split("/", -1)); // the first is empty
        if (names.get(1).equals(SNAPSHOT)) { // the root of HDFS can have snapshots from the beginning
            throw new SnapshotAccessControlException("Modification on a read-only snapshot is disallowed");
        }
        if (names.get(1).equals(RESERVED)) {
            throw refusal("File name \"" + RESERVED + "\" is reserved and cannot be created. If this is during upgrade"
                    + " change the name of the existing file or directory to another name before upgrading to the new"
                    + " release.");
        }
        if (names.contains(SNAPSHOT)) {
            throw refusal("\"" + SNAPSHOT + "\" is a reserved name.");
        }
    }

    /** The NameNode's exception as its client does not unwrap it. */
    private static IOException refusal(String sentence) {
        return new RemoteException(HadoopIllegalArgumentException.class.getName(), sentence);
    }
}
