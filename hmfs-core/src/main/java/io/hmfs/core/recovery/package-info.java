/**
 * After a crash: recovery of one object on demand, and the background scan. Owns I1's "wholly there or wholly not", I6, and I5's
 * "no slot is lost for good". Imports {@code dir} and what is below it.
 */
@NullMarked
package io.hmfs.core.recovery;

import org.jspecify.annotations.NullMarked;
