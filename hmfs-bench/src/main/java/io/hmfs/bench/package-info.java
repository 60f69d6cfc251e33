/**
 * {@code hmfs bench}: the command line over the benchmarks, {@code .micro}, {@code .load}, {@code .net} and {@code .hdfs}, which may not import
 * each other, but for {@code .load}, whose loads the others share. Below them stand {@code .report}, {@code .process} and {@code .peer}.
 */
@NullMarked
package io.hmfs.bench;

import org.jspecify.annotations.NullMarked;
