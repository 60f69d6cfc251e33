/**
 * How frames get to the server and back: {@link io.hmfs.client.transport.Transport} is all that the client knows of a
 * network. Each way to carry frames is one package below. Imports the wire's buffers only.
 */
@NullMarked
package io.hmfs.client.transport;

import org.jspecify.annotations.NullMarked;
