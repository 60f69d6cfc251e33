package io.hmfs.client.transport.rdma.disni.instead.org.slf4j;

/** The only method of slf4j's interface that DiSNI's verbs call. */
@FunctionalInterface
public interface Logger {
    void info(String text);
}
