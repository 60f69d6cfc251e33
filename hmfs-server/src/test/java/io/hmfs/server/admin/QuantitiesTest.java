package io.hmfs.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.client.TransportKind;
import io.hmfs.server.setting.ServerSetting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: sizes, times, numbers, addresses and suggestions are read and shown as people write them.
 * Method: tables of text and value, at the borders of each unit; malformed texts must be refused.
 */
final class QuantitiesTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 1",
        "64K, 65536",
        "64k, 65536",
        "1M, 1048576",
        "4G, 4294967296",
        "1T, 1099511627776",
        "512MiB, 536870912",
        "10 MB, 10485760"
    })
    void sizesAreReadWithTheirUnits(String text, long bytes) {
        assertEquals(bytes, Quantities.bytes("size", text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "1X", "-1", "1.5G", "K", "99999999999T", "9007199254740992T"})
    void malformedSizesAreRefused(String text) {
        assertThrows(CommandException.class, () -> Quantities.bytes("size", text));
    }

    @ParameterizedTest
    @CsvSource({"500ms, 500", "30s, 30000", "5m, 300000", "2h, 7200000"})
    void timesAreReadWithTheirUnits(String text, long millis) {
        assertEquals(millis, Quantities.millis("time", text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "5d", "s", "-1s"})
    void malformedTimesAreRefused(String text) {
        assertThrows(CommandException.class, () -> Quantities.millis("time", text));
    }

    @ParameterizedTest
    @CsvSource({"0, 0 B", "1023, 1023 B", "1024, 1.0 KiB", "1572864, 1.5 MiB", "1073741824, 1.0 GiB"})
    void sizesAreShownForPeople(long bytes, String text) {
        assertEquals(text, Quantities.readable(bytes));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "1024, 1K", "1536, 1536", "1048576, 1M", "67108864, 64M", "1099511627776, 1T"})
    void sizesOfSettingsAreShownExactly(long bytes, String text) {
        assertEquals(text, ServerSetting.show(bytes));
        assertEquals(bytes, Quantities.bytes("size", text));
    }

    @ParameterizedTest
    @CsvSource({"999, 0 s", "61000, 1 m 1 s", "3661000, 1 h 1 m", "90000000, 1 d 1 h"})
    void durationsAreShownInTwoUnits(long millis, String text) {
        assertEquals(text, Quantities.duration(millis));
    }

    @ParameterizedTest
    @CsvSource({
        "h, h, 8930, h:8930",
        "h:1, h, 1, h:1",
        "hmfs://h:1/, h, 1, h:1",
        "[::1]:7, ::1, 7, [::1]:7",
        "hmfs+rdma://h:1, h, 1, h:1"
    })
    void addressesAreReadWithAndWithoutPort(String text, String host, int port, String shown) {
        Address address = Address.parse(text);
        assertEquals(host, address.host());
        assertEquals(port, address.port());
        assertEquals(text.startsWith("hmfs+rdma:") ? TransportKind.RDMA : TransportKind.AUTO, address.transport());
        assertEquals(shown, address.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "h:0", "h:65536", "h:x", ":1", "::1", "http://h:1"})
    void malformedAddressesAreRefused(String text) {
        assertThrows(CommandException.class, () -> Address.parse(text));
    }

    @Test
    void aSwapOfTwoLettersIsOneMistake() {
        assertEquals(1, Closest.distance("prot", "port"));
        assertEquals(1, Closest.distance("server", "serve"));
        assertEquals(3, Closest.distance("kitten", "sitting"));
        assertEquals(4, Closest.distance("", "port"));
    }

    @Test
    void jsonEscapesWhatMustBeEscaped() {
        var entries = new java.util.LinkedHashMap<String, Object>();
        entries.put("a", 1L);
        entries.put("b", "x\"\\\n\t");
        entries.put("c", true);
        assertEquals("{\"a\":1,\"b\":\"x\\\"\\\\\\n\\u0009\",\"c\":true}", Json.object(entries));
    }
}
