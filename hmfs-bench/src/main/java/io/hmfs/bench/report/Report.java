package io.hmfs.bench.report;

import java.util.List;
import java.util.Map;

/**
 * Everything that is known about one run.
 *
 * @param machine where it ran
 * @param commit what was measured
 * @param command how to do it again, without the file that the report goes to
 * @param results in the order to be shown
 * @param counters what else was counted, in the order to be shown
 */
public record Report(
        Machine machine, String commit, String command, List<Result> results, Map<String, Number> counters) {}
