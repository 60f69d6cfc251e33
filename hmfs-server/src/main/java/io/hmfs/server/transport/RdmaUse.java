package io.hmfs.server.transport;

/** Whether the server can be reached by RDMA. */
public enum RdmaUse {
    /** Where there is a device. */
    AUTO,
    /** It does not start without. */
    ON,
    OFF
}
