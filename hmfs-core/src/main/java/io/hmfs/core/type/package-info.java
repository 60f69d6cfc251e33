/** Values that cross the engine's API: status codes, names, attributes. Plain data; imports nothing of HMFS. */
@NullMarked
package io.hmfs.core.type;

import org.jspecify.annotations.NullMarked;
