/** Requests through client and server over loopback: {@code hmfs bench net}. */
@NullMarked
package io.hmfs.bench.net;

import org.jspecify.annotations.NullMarked;
