/**
 * One class per namespace operation; the numbered steps are rows of docs/paper-map.md. Owns I2 and I3. Imports {@code recovery}
 * and what is below it.
 */
@NullMarked
package io.hmfs.core.op;

import org.jspecify.annotations.NullMarked;
