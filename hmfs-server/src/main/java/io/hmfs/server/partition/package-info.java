/** What belongs to one pool, as one object with one life cycle. Knows no request. */
@NullMarked
package io.hmfs.server.partition;

import org.jspecify.annotations.NullMarked;
