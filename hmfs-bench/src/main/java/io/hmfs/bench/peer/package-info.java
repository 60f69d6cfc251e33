/** What HMFS is measured against in the same run: one class per peer. Owns no invariant; imports nothing of the engine. */
@NullMarked
package io.hmfs.bench.peer;

import org.jspecify.annotations.NullMarked;
