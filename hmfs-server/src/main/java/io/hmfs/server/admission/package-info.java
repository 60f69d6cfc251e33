/** Which requests may be read and executed now: the queue of the disk threads with a fair share for each client, safe mode. */
@NullMarked
package io.hmfs.server.admission;

import org.jspecify.annotations.NullMarked;
