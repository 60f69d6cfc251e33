/** Which requests may be executed now: safe mode. */
@NullMarked
package io.hmfs.server.admission;

import org.jspecify.annotations.NullMarked;
