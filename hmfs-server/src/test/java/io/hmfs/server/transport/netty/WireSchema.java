package io.hmfs.server.transport.netty;

import io.hmfs.wire.Wire;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** The requests of the wire as the schema tells them: read from it here, and not through the codecs that are generated from it. */
final class WireSchema {
    static final int ID = 8930;
    static final int VERSION = 1;
    static final int HELLO = 1;
    static final int RESPONSE = 3;

    private static final String RESOURCE = "/io/hmfs/wire/hmfs-wire.xml";
    private static final int FIRST_REPLY = 100;
    private static final int WELCOME = 2;
    private static final int OBJECTS_REMOVED = 115; // a request among the replies
    private static final Map<String, Integer> SIZES = Map.ofEntries(
            Map.entry("uint8", 1),
            Map.entry("uint16", 2),
            Map.entry("uint32", 4),
            Map.entry("uint64", 8),
            Map.entry("int64", 8),
            Map.entry("Uuid", 16),
            Map.entry("Text", 2),
            Map.entry("Token", 2),
            Map.entry("Bytes", 4));

    static final WireSchema INSTANCE = new WireSchema();

    /** A field of a root block. */
    record Field(String name, int offset, int size, int since) {}

    /** A variable part, behind a length of this many bytes. */
    record Data(String name, int lengthSize, int since) {}

    /** A message; its root block is that of this version of the schema. */
    record Message(String name, int id, List<Field> fields, List<Data> data) {
        int blockLength(int version) {
            return fields.stream()
                    .filter(field -> field.since() <= version)
                    .mapToInt(Field::size)
                    .sum();
        }
    }

    private final Map<Integer, Message> requests = new HashMap<>();

    private WireSchema() {
        try (InputStream in = Wire.class.getResourceAsStream(RESOURCE)) {
            Element root = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(in)
                    .getDocumentElement();
            for (Element each : children(root)) {
                int id = each.getTagName().equals("sbe:message") ? Integer.parseInt(each.getAttribute("id")) : WELCOME;
                if ((id < FIRST_REPLY && id != WELCOME) || id == OBJECTS_REMOVED) {
                    requests.put(id, message(each, id));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ParserConfigurationException | SAXException e) {
            throw new IllegalStateException("the schema cannot be read", e);
        }
    }

    private static List<Element> children(Element parent) {
        List<Element> found = new ArrayList<>();
        for (Node at = parent.getFirstChild(); at != null; at = at.getNextSibling()) {
            if (at instanceof Element element) {
                found.add(element);
            }
        }
        return found;
    }

    private static Message message(Element message, int id) {
        List<Field> fields = new ArrayList<>();
        List<Data> data = new ArrayList<>();
        int offset = 0;
        for (Element each : children(message)) {
            String name = each.getAttribute("name");
            String since = each.getAttribute("sinceVersion");
            int version = since.isEmpty() ? 1 : Integer.parseInt(since);
            int size = SIZES.getOrDefault(each.getAttribute("type"), 1); // sets of flags have one byte
            if (each.getTagName().equals("field")) {
                fields.add(new Field(name, offset, size, version));
                offset += size;
            } else {
                data.add(new Data(name, size, version));
            }
        }
        return new Message(message.getAttribute("name"), id, List.copyOf(fields), List.copyOf(data));
    }

    /** All requests, by template id. */
    List<Message> requests() {
        return requests.values().stream()
                .sorted((a, b) -> Integer.compare(a.id(), b.id()))
                .toList();
    }

    /** The request with this template id. */
    @Nullable
    Message request(int template) {
        return requests.get(template);
    }

    static int word(byte[] bytes, int at) {
        return Short.toUnsignedInt(
                ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getShort(at));
    }

    static int templateOf(byte[] frame) {
        return word(frame, 2);
    }

    static int versionOf(byte[] frame) {
        return word(frame, 6);
    }

    /** Whether all that a request of its version has is inside this frame, which is without its length word. */
    boolean isWhole(byte[] frame) {
        Message message = request(templateOf(frame));
        int version = versionOf(frame);
        int block = word(frame, 0);
        if (message == null || block < message.blockLength(version)) {
            return false;
        }
        ByteBuffer bytes = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
        long at = (long) Wire.HEADER_SIZE + block;
        for (Data data : message.data()) {
            if (data.since() > version) {
                continue;
            }
            if (at + data.lengthSize() > frame.length) {
                return false;
            }
            long length = data.lengthSize() == 2
                    ? Short.toUnsignedLong(bytes.getShort((int) at))
                    : Integer.toUnsignedLong(bytes.getInt((int) at));
            at += data.lengthSize() + length;
        }
        return at <= frame.length;
    }
}
