package io.hmfs.client;

/** A file that was opened or made, and what its data may be asked for. */
public record OpenedFile(FileInfo info, Grant grant) {}
