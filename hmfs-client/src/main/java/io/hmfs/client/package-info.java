/** HMFS client. */
@NullMarked
package io.hmfs.client;

import org.jspecify.annotations.NullMarked;
