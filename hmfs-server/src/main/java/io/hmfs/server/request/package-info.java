/**
 * A request on its way: the flyweight that holds its frame, its caller and its results, and the encoder of its reply. Below all handlers.
 */
@NullMarked
package io.hmfs.server.request;

import org.jspecify.annotations.NullMarked;
