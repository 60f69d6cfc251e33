package io.hmfs.server.pipeline;

/**
 * Makes the pipelines of a server: one for each thread that serves connections, and one for each disk thread when it executes its first
 * request.
 */
public final class Pipelines {
    private final Service service;
    private final ThreadLocal<Pipeline> ofDiskThread = ThreadLocal.withInitial(() -> newPipeline(true));

    public Pipelines(Service service) {
        this.service = service;
    }

    /** The way of requests on one thread that serves connections. */
    public Pipeline newPipeline() {
        return newPipeline(false);
    }

    /** {@code mayWait}: for a thread that may wait for the disk, and for locks that are held meanwhile. */
    Pipeline newPipeline(boolean mayWait) {
        return new Pipeline(service, mayWait, request -> ofDiskThread.get().executeOffloaded(request));
    }
}
