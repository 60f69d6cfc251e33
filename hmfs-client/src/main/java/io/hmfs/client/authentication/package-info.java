/** How a client proves to a server who it is. Imports numbers of the wire format. */
@NullMarked
package io.hmfs.client.authentication;

import org.jspecify.annotations.NullMarked;
