package io.hmfs.server.transport;

/** Where a peer reads the memory of the server that peers may read: its first byte, and the key that this needs. */
public record ReadableMemory(long address, int key) {}
