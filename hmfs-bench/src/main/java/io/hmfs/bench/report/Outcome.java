package io.hmfs.bench.report;

import java.util.List;
import java.util.Map;

/** What a benchmark found out, before machine, commit and command are put to it. */
public record Outcome(List<Result> results, Map<String, Number> counters, List<Target> targets) {}
