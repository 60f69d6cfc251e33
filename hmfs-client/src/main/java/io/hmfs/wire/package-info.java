/**
 * The wire format: codecs generated from {@code hmfs-wire.xml}, frames, and the numbers both sides share
 * (docs/wire.md). A template id, a field and a code keep their meaning for ever. Imports Netty's buffers only.
 */
@NullMarked
package io.hmfs.wire;

import org.jspecify.annotations.NullMarked;
