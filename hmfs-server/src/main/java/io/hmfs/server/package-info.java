/** HMFS server. */
@NullMarked
package io.hmfs.server;

import org.jspecify.annotations.NullMarked;
