package io.hmfs.server.metrics;

import java.util.List;

/**
 * Whether a server serves.
 *
 * @param problems what keeps it from serving all requests; empty if it is healthy
 */
public record Health(List<String> problems) {
    public boolean isHealthy() {
        return problems.isEmpty();
    }
}
