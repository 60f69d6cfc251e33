/** HMFS hadoop. */
@NullMarked
package io.hmfs.hadoop;

import org.jspecify.annotations.NullMarked;
