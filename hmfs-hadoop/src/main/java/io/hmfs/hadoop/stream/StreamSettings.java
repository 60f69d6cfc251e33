package io.hmfs.hadoop.stream;

/**
 * How the streams of one filesystem cut and send bytes.
 *
 * @param blockSize bytes of one block, as the server announces
 * @param chunkSize bytes of one request at most, as the server announces
 * @param readAheadChunks chunks that are asked for ahead of a sequential reader, at most
 * @param writeChunksInFlight chunks of one writer that are under way at once, at most
 * @param syncOnClose whether closing a writer waits until the data is on the disk
 */
public record StreamSettings(
        long blockSize, int chunkSize, int readAheadChunks, int writeChunksInFlight, boolean syncOnClose) {}
