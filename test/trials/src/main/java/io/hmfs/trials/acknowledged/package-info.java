/**
 * A load whose acknowledged operations are recorded, and the check that a server still has them after it was killed or its machine lost
 * power. Owns no invariant; reaches the server through its client.
 */
@NullMarked
package io.hmfs.trials.acknowledged;

import org.jspecify.annotations.NullMarked;
