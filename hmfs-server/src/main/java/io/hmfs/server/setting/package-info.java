/**
 * What can be set about a server: one row for each setting, and the values of one server. Imports the engine's API, the client's
 * defaults, the wire format's numbers, access and transport for their choices; nothing below it knows that there are settings.
 */
@NullMarked
package io.hmfs.server.setting;

import org.jspecify.annotations.NullMarked;
