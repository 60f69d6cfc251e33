/** Classes that stand in for DiSNI's: {@code DisniLoader} loads them under their name without what is before {@code com}. */
@NullMarked
package io.hmfs.client.transport.rdma.disni.instead.com.ibm.disni.util;

import org.jspecify.annotations.NullMarked;
