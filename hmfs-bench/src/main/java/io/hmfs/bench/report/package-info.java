/**
 * The one shape of results: a number is never shown without the machine, the commit and the command it came from. Imports nothing of HMFS.
 */
@NullMarked
package io.hmfs.bench.report;

import org.jspecify.annotations.NullMarked;
