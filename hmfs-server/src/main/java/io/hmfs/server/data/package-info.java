/**
 * Data of files. The builtin data store: objects as files in a directory, and what it takes that a deleted file's objects go away even
 * when the server dies in between. What reads or writes them waits for the disk and is called on disk threads and the reaper's; an event
 * loop asks only what is known in memory: which data is durable, which cuts are open. {@code RemovalTable}: where another store has the
 * data, what clients are to remove. Imports the engine's API and Netty's buffers.
 */
@NullMarked
package io.hmfs.server.data;

import org.jspecify.annotations.NullMarked;
