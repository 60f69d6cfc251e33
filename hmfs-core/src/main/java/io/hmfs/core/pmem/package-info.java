/**
 * The one door to persistent memory: loads and stores with named order, cas16, write-back, fence; and the files behind it.
 * The only VarHandles and downcalls that touch a pool are here. Imports nothing of HMFS.
 */
@NullMarked
package io.hmfs.core.pmem;

import org.jspecify.annotations.NullMarked;
