package io.hmfs.hadoop.link;

/**
 * What the Hadoop of this process has beyond 3.3.1, the oldest that HMFS runs with. A class that names one of these in
 * its code or in a signature is loaded only where the constant is true; {@code HadoopSymbolsTest} holds each class to
 * that (ADR 0159).
 */
public final class HadoopHas {
    /** {@code EtagSource}: 3.3.2. */
    public static final boolean ETAGS = has("EtagSource");

    /** {@code FileRange}, vectored reads: 3.3.5. */
    public static final boolean RANGES = has("FileRange");

    /** {@code CopyCommandWithMultiThread}, of the shell: 3.3.2. */
    public static final boolean COPY_THREADS = has("shell.CopyCommandWithMultiThread");

    /** {@code LeaseRecoverable} and {@code SafeMode}, which came together: 3.3.6. */
    public static final boolean LEASES = has("LeaseRecoverable");

    /** {@code BulkDelete}: 3.4.1. */
    public static final boolean BULK_DELETE = has("BulkDelete");

    /**
     * Whether vectored reads refuse ranges that overlap, and fail at once for one outside of the file: since 3.4.1.
     * Before, overlapping ranges are read, and the future of the range outside fails.
     */
    public static final boolean STRICT_RANGES = BULK_DELETE;

    private HadoopHas() {}

    private static boolean has(String name) {
        try {
            Class.forName("org.apache.hadoop.fs." + name, false, HadoopHas.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException older) {
            return false;
        }
    }
}
