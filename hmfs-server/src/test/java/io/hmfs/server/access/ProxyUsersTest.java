package io.hmfs.server.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a user that acts for others may do so for those, and from there, that the setting names; no other user may. */
class ProxyUsersTest {
    private static final String RULES =
            "livy = analysts, user:carol @ 10.1.0.0/16, 192.168.7.9, fd00::/8; oozie=*@*; hue=*@10.0.0.4/30";

    @TempDir
    private Path directory;

    private Namespace namespace;

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.open(pool, OpenOptions.process());
        namespace.principalId("analysts");
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    private @Nullable String refusal(String real, String user, @Nullable String from) {
        Caller caller = new Caller(user, namespace);
        int[] groups = {namespace.principalId(user.equals("bob") ? "analysts" : "staff")};
        caller.become(groups, false);
        return ProxyUsers.parse(RULES)
                .refusal(real, caller, namespace::knownPrincipalId, from == null ? null : InetAddress.ofLiteral(from));
    }

    @ParameterizedTest
    @CsvSource({
        "livy,bob,10.1.2.3", // by bob's group
        "livy,bob,192.168.7.9",
        "livy,bob,fdff::1",
        "livy,carol,10.1.255.255", // by carol's name
        "oozie,bob,1.2.3.4",
        "oozie,dave,::1",
        "hue,dave,10.0.0.7",
    })
    void aUserThatIsNamedMay(String real, String user, String from) {
        assertNull(refusal(real, user, from));
    }

    @ParameterizedTest
    @CsvSource({
        "livy,dave", // neither group nor name
        "livy,analysts", // a group's name is none of a user
        "bob,carol", // nothing is said of bob
        "carol,bob",
        "LIVY,bob",
    })
    void forOthersNoUserMay(String real, String user) {
        assertEquals("User: " + real + " is not allowed to impersonate " + user, refusal(real, user, "10.1.2.3"));
    }

    @ParameterizedTest
    @CsvSource({"livy,10.2.0.0", "livy,192.168.7.8", "livy,fe00::1", "livy,a01::1", "hue,10.0.0.8", "hue,10.0.0.3"})
    void fromElsewhereNoUserMay(String real, String from) {
        String shown = InetAddress.ofLiteral(from).getHostAddress();
        assertEquals(
                "Unauthorized connection for super-user: " + real + " from IP " + shown, refusal(real, "bob", from));
    }

    @Test
    void aConnectionWithoutAnAddressComesFromNoNetwork() {
        assertNull(refusal("oozie", "bob", null));
        assertEquals("Unauthorized connection for super-user: livy from IP unknown", refusal("livy", "bob", null));
    }

    @Test
    void theNameOfAHostIsItsAddresses() {
        Caller bob = new Caller("bob", namespace);
        ProxyUsers local = ProxyUsers.parse("livy=*@localhost");
        assertNull(local.refusal("livy", bob, name -> -1, InetAddress.getLoopbackAddress()));
        assertTrue(String.valueOf(local.refusal("livy", bob, name -> -1, InetAddress.ofLiteral("10.0.0.1")))
                .startsWith("Unauthorized"));
    }

    @Test
    void whereNothingIsSetNoUserMay() {
        Caller bob = new Caller("bob", namespace);
        assertEquals(
                "User: hmfs is not allowed to impersonate bob",
                ProxyUsers.parse("").refusal("hmfs", bob, name -> -1, InetAddress.getLoopbackAddress()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "livy",
                "livy=*",
                "livy=@*",
                "=*@*",
                "livy=*@",
                "livy=*@10.0.0.0/33",
                "livy=*@10.0.0.0/x",
                "livy=*@no.such.host.invalid",
                "livy=*@10.0.0.1;livy=*@10.0.0.2"
            })
    void whatCannotBeReadIsNamed(String text) {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> ProxyUsers.parse(text));
        assertTrue(String.valueOf(refused.getMessage()).contains("write "), refused.getMessage());
    }
}
