/**
 * {@code hmfs bench}: the command line over the benchmarks, {@code .micro}, {@code .load}, {@code .net} and {@code .hdfs}, which may not import
 * each other, but for the loads that {@code .net} and {@code .micro} share. Below them stand {@code .report}, {@code .process} and {@code .peer}.
 */
@NullMarked
package io.hmfs.bench;

import org.jspecify.annotations.NullMarked;
