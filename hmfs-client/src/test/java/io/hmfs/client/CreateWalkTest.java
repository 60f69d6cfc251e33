package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.transport.tcp.TcpTransport;
import io.hmfs.wire.EntryEncoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Goal: a create passes the classes that docs/architecture.md lists, in that order and without a way back.
 * Method: a transport that notes which classes stand on the stack when bytes are stored into the frame, and when the frame
 * is sent.
 */
class CreateWalkTest {
    private static final String SECTION = "### The way of a create in the client";
    private static final Pattern STEP = Pattern.compile("[0-9]+\\. `([A-Za-z]+)`.*");
    private static final int ROOMS_MAX = 8;

    private final List<List<String>> stacks = new ArrayList<>();
    private boolean noting;

    private void note() {
        if (!noting) {
            return;
        }
        List<String> classes = new ArrayList<>();
        for (StackTraceElement each : Thread.currentThread().getStackTrace()) {
            String name = each.getClassName();
            String outermost = name.substring(0, name.indexOf('$') < 0 ? name.length() : name.indexOf('$'));
            String simple = outermost.substring(outermost.lastIndexOf('.') + 1);
            boolean isOfTests = simple.endsWith("Test") || simple.startsWith("Scripted");
            boolean isNext =
                    classes.isEmpty() || !classes.get(classes.size() - 1).equals(simple);
            if (outermost.startsWith("io.hmfs.client.") && !isOfTests && isNext) {
                classes.add(simple);
            }
        }
        Collections.reverse(classes);
        stacks.add(classes);
    }

    private final ScriptedTransport transport =
            new ScriptedTransport((request, header, reply) -> {
                EntryEncoder entry = new EntryEncoder().wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder());
                entry.inode(7).parentId(1).mode(0644).flags().clear();
                return entry.owner("bob").group("staff").target("").limit();
            }) {
                @Override
                ByteBuf buffer(int bytes) {
                    return new UnpooledHeapByteBuf(UnpooledByteBufAllocator.DEFAULT, bytes, bytes) {
                        @Override
                        public ByteBuf setLongLE(int index, long value) {
                            note();
                            return super.setLongLE(index, value);
                        }

                        @Override
                        public ByteBuf setBytes(int index, byte[] source, int offset, int length) {
                            note();
                            return super.setBytes(index, source, offset, length);
                        }
                    };
                }

                @Override
                void flushed() {
                    note();
                }
            };

    private static List<String> documented() throws IOException {
        List<String> steps = new ArrayList<>();
        boolean inside = false;
        for (String line : Files.readAllLines(Path.of("../docs/architecture.md"))) {
            inside = line.equals(SECTION) || (inside && !line.startsWith("#"));
            Matcher matcher = STEP.matcher(line);
            if (inside && matcher.matches()) {
                steps.add(matcher.group(1));
            }
        }
        return steps;
    }

    @Test
    void aCreatePassesTheClassesOfTheDocumentation() throws IOException {
        try (HmfsClient client = transport.client()) {
            noting = true;
            assertEquals(
                    7,
                    client.create("/f", new CreateOptions(0644, false, false, 0755))
                            .id());
            noting = false;
        }
        assertTrue(stacks.size() > 5, "stacks: " + stacks);
        Set<String> met = new LinkedHashSet<>();
        stacks.forEach(met::addAll);
        List<String> walk = new ArrayList<>(met);
        for (List<String> stack : stacks) {
            List<Integer> places = stack.stream().map(walk::indexOf).toList();
            assertEquals(places.stream().sorted().distinct().toList(), places, "a way back: " + stack);
        }
        walk.add("TcpLink"); // in whose place the test has its own
        assertEquals(documented(), walk);
        assertTrue(walk.size() <= ROOMS_MAX, "rooms: " + walk);
        assertEquals("io.hmfs.client.transport.tcp", TcpTransport.class.getPackageName());
    }
}
