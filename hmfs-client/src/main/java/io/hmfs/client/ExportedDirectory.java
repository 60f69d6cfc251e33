package io.hmfs.client;

/**
 * Where the stats of a directory are read in the memory of the server, over the connection by which this was told.
 *
 * @param number tells the export from all others of this server, so that a record of another one is not taken for one of it
 * @param slots 0: the directory is not exported
 */
record ExportedDirectory(long number, long address, int key, int slots) {}
