package io.hmfs.server.transport.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.server.transport.netty.FuzzSession.Part;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: each bad input that a peer can think of over RDMA ends its own connection, and nothing else happens.
 * Method: one session for each on {@link FuzzRdmaCheck}, which looks for all that else could happen.
 */
@Timeout(120)
class RdmaBadInputTest {
    private static final Part WINDOWS = Part.of(FuzzAct.WINDOWS, false, (byte) 0);

    private final LogWatch log = new LogWatch();
    private Path directory = Path.of("");

    @SuppressWarnings("NullAway.Init") // before each test
    private FuzzRdmaCheck check;

    @BeforeEach
    void start() throws IOException {
        directory = Fuzz.place();
        check = new FuzzRdmaCheck(directory, log);
        check.reset();
    }

    @AfterEach
    void stop() throws IOException {
        check.close();
        log.close();
        Fuzz.remove(directory);
    }

    private Part hello() {
        return frame(new FuzzRequests(new Random(1), check.rig()).frame(message(WireSchema.HELLO)));
    }

    /** A request whose reply is longer than a message. */
    private Part longRead() {
        FuzzRequests requests = new FuzzRequests(new Random(1), check.rig());
        return frame(requests.chunk(message(40), check.rig().known().getLast()));
    }

    private Part stat() {
        return frame(new FuzzRequests(new Random(1), check.rig()).frame(message(10)));
    }

    private static WireSchema.Message message(int template) {
        return Objects.requireNonNull(WireSchema.INSTANCE.request(template));
    }

    private static Part frame(byte[] bytes) {
        return new Part("frame", bytes, bytes, 0, false, false);
    }

    private static Part one(FuzzAct act, int number) {
        return Part.of(act, false, (byte) number);
    }

    private void assertEnds(boolean ends, Part... parts) throws IOException {
        assertNull(check.run(new FuzzSession(List.of(parts))));
        assertEquals(ends, check.hasEnded());
    }

    @Test
    void aClientThatKeepsTheRulesIsServed() throws IOException {
        assertEnds(false, hello(), WINDOWS, longRead(), stat().by(FuzzAct.LONG), longRead());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aClientThatSendsWithoutCreditIsDisconnected(int messages) throws IOException {
        assertEnds(true, hello(), one(FuzzAct.FLOOD, messages));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFrameThatIsLongerThanItsHeaderSaysEndsTheStream(boolean isLong) throws IOException {
        byte[] bytes = Arrays.copyOf(stat().sent(), stat().sent().length + Wire.LENGTH_SIZE);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(bytes.length - Wire.LENGTH_SIZE, -1);
        assertEnds(true, hello(), WINDOWS, frame(bytes).by(isLong ? FuzzAct.LONG : FuzzAct.STREAM));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 7, 8, FuzzMessage.MESSAGE_MAX + 1})
    void aMessageThatIsShorterThanItsHeaderOrLongerThanMessagesMayBeEndsTheConnection(int length) throws IOException {
        assertEnds(true, hello(), Part.of(FuzzAct.MESSAGE, false, new byte[length]));
    }

    @ParameterizedTest
    @EnumSource(FuzzWindows.class)
    void aWindowThatIsNoneOfTheClientIsNotWritten(FuzzWindows windows) throws IOException {
        boolean isRight = windows == FuzzWindows.RIGHT;
        assertEnds(!isRight, hello(), one(FuzzAct.WINDOWS, windows.number()), longRead());
    }

    @ParameterizedTest
    @EnumSource(FuzzWindows.class)
    void aWindowThatIsNoneOfTheClientIsNotRead(FuzzWindows windows) throws IOException {
        boolean isRight = windows == FuzzWindows.RIGHT;
        assertEnds(!isRight, hello(), one(FuzzAct.WINDOWS, windows.number()), stat().by(FuzzAct.LONG));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aWindowThatIsTakenAwayInTheMiddleOfAReplyIsNotWrittenAnyMore(int events) throws IOException {
        Part read = longRead().glued(true);
        Part poll = Part.of(FuzzAct.POLL, true, (byte) events);
        assertEnds(true, hello(), WINDOWS, read, read, read, poll, one(FuzzAct.WITHDRAW, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aPeerThatDiesInTheMiddleOfAWriteLeavesNothing(int writes) throws IOException {
        assertEnds(true, hello(), WINDOWS, one(FuzzAct.TEAR, writes), longRead(), longRead());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 12, 14, 15})
    void aRequestForAConnectionOfAnotherProtocolIsRefused(int at) throws IOException {
        byte[] greeting = FuzzMessage.greeting();
        greeting[at] ^= 1;
        assertEnds(true, Part.of(FuzzAct.GREETING, false, greeting), hello());
        assertEnds(true, Part.of(FuzzAct.GREETING, false, Arrays.copyOf(FuzzMessage.greeting(), at)), hello());
    }

    @Test
    void aPieceIsNotGivenTwice() throws IOException {
        byte[] gives = FuzzMessage.of(0, 1, FuzzMessage.BYTES, new byte[1]).bytes();
        assertEnds(true, hello(), WINDOWS, Part.of(FuzzAct.MESSAGE, false, gives));
    }

    @Test
    void aLongPartBeforeThereAreWindowsIsNone() throws IOException {
        byte[] message = FuzzMessage.of(0, 0, FuzzMessage.LONG, FuzzMessage.longBody(0, 1))
                .bytes();
        assertEnds(true, hello(), Part.of(FuzzAct.MESSAGE, false, message));
    }

    @Test
    void aSessionIsWhatItsTextSays() {
        FuzzSession session =
                new FuzzSession(List.of(hello(), WINDOWS, longRead().by(FuzzAct.LONG), one(FuzzAct.POLL, -1)));
        FuzzSession parsed = FuzzSession.parse(session.toString());
        assertEquals(session.toString(), parsed.toString());
        assertTrue(parsed.isRdma());
    }
}
