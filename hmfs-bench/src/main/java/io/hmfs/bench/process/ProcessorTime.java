package io.hmfs.bench.process;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What a {@link ChildJvm} answers that is asked how long its threads have run. */
public final class ProcessorTime {
    /** The line that asks. */
    public static final String ASKED = "processor";

    private ProcessorTime() {}

    /** The line that answers: nanoseconds, -1 where the JVM does not tell. */
    public static String answer() {
        long nanos = ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean known
                ? known.getProcessCpuTime()
                : -1;
        return ASKED + " " + nanos;
    }
}
