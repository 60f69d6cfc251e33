package io.hmfs.server.metrics;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A request that took longer than the server's {@code slow-threshold}, in a flight recording. Made only for one that did. */
@Name("io.hmfs.SlowOperation")
@Label("Slow Operation")
@Category("HMFS")
@Description("A request that took longer than slow-threshold; the event's time is its end")
@StackTrace(false)
final class SlowOperation extends Event {
    @Label("Operation")
    String operation = "";

    @Label("Path")
    String path = "";

    @Label("User")
    String user = "";

    @Label("Status")
    String status = "";

    @Label("Time Taken")
    @Description("From the request's arrival at its thread, or in the disk's queue, to its reply")
    @Timespan(Timespan.NANOSECONDS)
    long timeTaken;
}
