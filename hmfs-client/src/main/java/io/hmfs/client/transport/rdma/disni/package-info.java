/**
 * Verbs by DiSNI 2.0 and a native library of our own for it. {@link io.hmfs.client.transport.rdma.disni.VerbsLoader} is the
 * entry. All classes but that one and the class loader are loaded by {@code DisniLoader}, beside DiSNI's classes, which
 * are on no class path. Imports {@code rdma} and DiSNI.
 */
@NullMarked
package io.hmfs.client.transport.rdma.disni;

import org.jspecify.annotations.NullMarked;
