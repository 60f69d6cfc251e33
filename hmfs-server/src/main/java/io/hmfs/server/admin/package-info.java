/**
 * The command line, one class for each command, and the settings of a server with where each came from. Owns no invariant. May import
 * core's public API, the client, the server and picocli.
 */
@NullMarked
package io.hmfs.server.admin;

import org.jspecify.annotations.NullMarked;
