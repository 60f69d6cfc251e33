/**
 * One class per namespace operation, but for what changes attributes alone ({@code AttributeOps}) and makes entries ({@code CreateOp}); the numbered steps are rows of docs/paper-map.md. Owns I2 and I3. Imports {@code recovery}
 * and what is below it.
 */
@NullMarked
package io.hmfs.core.op;

import org.jspecify.annotations.NullMarked;
