/**
 * The builtin data store: objects of file data as files in a directory, and what it takes that a deleted file's objects go away
 * even when the server dies in between. Blocks on the disk: never called on an event loop, but for the intents of mode
 * {@code process}, which are stores to memory. Imports the engine's names and Netty's buffers.
 */
@NullMarked
package io.hmfs.server.data;

import org.jspecify.annotations.NullMarked;
