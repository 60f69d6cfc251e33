package io.hmfs.client;

/** How a client reaches its server. */
public enum TransportKind {
    /** By RDMA if the server offers it and this machine can, else by TCP. */
    AUTO,
    TCP,
    /** By RDMA, or not at all. */
    RDMA
}
