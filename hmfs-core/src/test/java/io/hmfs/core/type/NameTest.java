package io.hmfs.core.type;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * Goal: a name is refused for what POSIX refuses in one component, and for nothing else, though eight bytes are looked at at once.
 * Method: every byte at places of names of every length, among several others, against one byte at a time.
 */
class NameTest {
    private static final byte[] SURROUNDINGS = {'a', (byte) 0x80, (byte) 0xff, '.', 1, '/' + 1};

    @Test
    void eachByteIsSeenAtEachPlace() {
        for (byte around : SURROUNDINGS) {
            byte[] bytes = new byte[Name.LENGTH_MAX];
            Arrays.fill(bytes, around);
            for (int length = 3; length <= Name.LENGTH_MAX; length++) {
                for (int place : new int[] {0, 1, length / 2, length - 2, length - 1}) {
                    check(bytes, length, place);
                }
            }
        }
    }

    private static void check(byte[] bytes, int length, int place) {
        Name name = new Name();
        byte around = bytes[place];
        for (int value = 0; value < 256; value++) {
            bytes[place] = (byte) value;
            name.set(bytes, 0, length);
            Status expected = value == 0 || value == '/' ? Status.INVALID_NAME : Status.OK;
            if (name.check() != expected) { // the text is made for a failure only: there are millions of names
                assertEquals(expected, name.check(), value + " at " + place + " of " + length + " bytes " + around);
            }
        }
        bytes[place] = around;
    }

    @Test
    void whatWasThereBeforeIsNotSeen() {
        Name name = new Name();
        name.set("/".repeat(40));
        name.set("abc");
        assertEquals(Status.OK, name.check());
    }

    @Test
    void namesThatMeanAnotherDirectoryAndWhatIsTooShortOrTooLong() {
        assertEquals(Status.INVALID_NAME, Name.of("").check());
        assertEquals(Status.INVALID_NAME, Name.of(".").check());
        assertEquals(Status.INVALID_NAME, Name.of("..").check());
        assertEquals(Status.OK, Name.of("...").check());
        assertEquals(Status.OK, Name.of(".a").check());
        assertEquals(Status.INVALID_NAME, Name.of("/").check());
        assertEquals(Status.OK, Name.of("x".repeat(Name.LENGTH_MAX)).check());
        assertEquals(
                Status.NAME_TOO_LONG, Name.of("x".repeat(Name.LENGTH_MAX + 1)).check());
    }
}
