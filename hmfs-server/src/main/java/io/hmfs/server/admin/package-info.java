/**
 * The command line: {@code format}, {@code server}, {@code status}, {@code version}, and the settings of a server with where
 * each came from. Owns no invariant. May import core's public API, the client, the server and picocli.
 */
@NullMarked
package io.hmfs.server.admin;

import org.jspecify.annotations.NullMarked;
