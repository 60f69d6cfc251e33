/** HMFS bench. */
@NullMarked
package io.hmfs.bench;

import org.jspecify.annotations.NullMarked;
