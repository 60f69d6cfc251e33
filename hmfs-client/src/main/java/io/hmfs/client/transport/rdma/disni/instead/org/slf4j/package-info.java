/** What DiSNI calls of slf4j, so that no logging library need be on the class path. See {@code DisniLoader}. */
@NullMarked
package io.hmfs.client.transport.rdma.disni.instead.org.slf4j;

import org.jspecify.annotations.NullMarked;
