/**
 * The client: {@link io.hmfs.client.HmfsClient} with its results, the table of calls, and the dispatcher that numbers,
 * sends, repeats and gives up calls on one connection, on the loop that waiting callers run. A call goes one way: facade, {@code Calls},
 * {@code ClientLoop}, dispatcher, connection, encoder of its row, transport; its reply goes back by the decoder of the row. Classes stand in no circle. Thread-safe where it says so.
 * Imports {@code io.hmfs.client.transport} with its one transport and the wire, nothing of the engine, nothing above Java 17.
 */
@NullMarked
package io.hmfs.client;

import org.jspecify.annotations.NullMarked;
