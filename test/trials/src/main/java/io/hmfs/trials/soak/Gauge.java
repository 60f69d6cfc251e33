package io.hmfs.trials.soak;

/** What of a server must stay as it is. Flat is: the median of the last third is at most that of the second, and a tolerance. */
public enum Gauge {
    /** What is alive: right after a full collection that was asked for. */
    LIVE_HEAP("live heap", "MiB", 0.05, 1),
    /** With garbage, hence shown and not judged. */
    HEAP("heap", "MiB", Double.POSITIVE_INFINITY, 0),
    /** Buffers of connections. */
    NETTY("netty direct", "MiB", 0.05, 1),
    /** Direct buffers of the JVM. */
    DIRECT("jvm direct", "MiB", 0.05, 1),
    /** Files and sockets: connections come and go. */
    DESCRIPTORS("descriptors", "", 0, 4),
    /** Threads of the JVM. */
    THREADS("threads", "", 0, 2),
    /** Regions that are taken, each whole: half of the least of them would be more than nothing. */
    POOL("pool regions", "MiB", 0, 0.01),
    /** Pages of the process that are no file's and not shared: heap, buffers, what native code has. The heap's own come as it needs them. */
    PRIVATE("private memory", "MiB", 0.05, 16);

    private final String label;
    private final String unit;
    private final double relative;
    private final double absolute;

    Gauge(String label, String unit, double relative, double absolute) {
        this.label = label;
        this.unit = unit;
        this.relative = relative;
        this.absolute = absolute;
    }

    /** Its name in a report. */
    public String label() {
        return label;
    }

    /** Its unit in a report; empty for a count. */
    public String unit() {
        return unit;
    }

    /** Whether it has to be flat. */
    public boolean isJudged() {
        return relative < Double.POSITIVE_INFINITY;
    }

    /** The most that it may be in the last third, given its median in the second. */
    public double most(double median) {
        return median + Math.max(relative * median, absolute);
    }
}
