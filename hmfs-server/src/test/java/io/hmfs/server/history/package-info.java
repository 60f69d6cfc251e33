/**
 * Histories: what many clients ask of one real server and are told, while it is killed, its memory is lost or the network fails, and
 * whether some order of it all explains every answer. Run by {@code bin/dev histories}.
 */
@NullMarked
package io.hmfs.server.history;

import org.jspecify.annotations.NullMarked;
