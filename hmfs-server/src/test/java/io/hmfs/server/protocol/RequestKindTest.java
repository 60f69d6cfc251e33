package io.hmfs.server.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.wire.MessageHeaderDecoder;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: the table of request kinds says what the schema says. Method: the generated decoders are asked, by reflection, for what the table
 * takes for granted of all of them: their ids, and where the directory stands that a path begins at.
 */
class RequestKindTest {
    private static final int REQUESTS_END = 100; // replies have ids from here on, but for one request
    private static final Set<String> BASES = Set.of("baseId", "sourceBaseId", "parentId");

    private static Set<Class<?>> requests() throws ReflectiveOperationException {
        Set<Class<?>> found = new HashSet<>();
        for (RequestKind kind : RequestKind.values()) {
            found.add(decoder(kind));
        }
        return found;
    }

    private static Class<?> decoder(RequestKind kind) throws ReflectiveOperationException {
        String name = switch (kind) {
            case CONTENT_SUMMARY -> "Summary";
            default -> {
                StringBuilder camel = new StringBuilder();
                for (String word : kind.label().split("_", -1)) {
                    camel.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
                }
                yield camel.toString();
            }
        };
        return Class.forName(MessageHeaderDecoder.class.getPackageName() + '.' + name + "Decoder");
    }

    @Test
    void eachKindHasTheIdOfItsMessage() throws ReflectiveOperationException {
        for (RequestKind kind : RequestKind.values()) {
            assertEquals(decoder(kind).getField("TEMPLATE_ID").getInt(null), kind.templateId(), kind.label());
            assertSame(kind, RequestKind.ofTemplate(kind.templateId()));
        }
        assertEquals(RequestKind.count(), requests().size());
        assertNull(RequestKind.ofTemplate(0));
        assertNull(RequestKind.ofTemplate(-1));
        assertNull(RequestKind.ofTemplate(REQUESTS_END));
    }

    @Test
    void theIdStandsWhereTheTableSays() throws ReflectiveOperationException {
        for (RequestKind kind : RequestKind.values()) {
            int places = 0;
            for (String field : kind.hasPath() ? BASES : List.of("inode", "endedInode")) {
                for (Method method : decoder(kind).getMethods()) {
                    if (method.getName().equals(field + "EncodingOffset")) {
                        assertEquals(method.invoke(null), kind.idOffset(), kind.label());
                        places++;
                    }
                }
            }
            assertEquals(kind.idOffset() == RequestKind.NO_ID ? 0 : 1, places, kind.label());
        }
    }

    @Test
    void aChangeIsNumberedWhereTheRetryCacheLooks() throws ReflectiveOperationException {
        for (RequestKind kind : RequestKind.values()) {
            boolean numbered = false;
            for (Method method : decoder(kind).getMethods()) {
                if (method.getName().equals("sequenceEncodingOffset")) {
                    numbered = true;
                    assertEquals(16, method.invoke(null), kind.label());
                }
            }
            assertEquals(numbered, kind.isNumbered(), kind.label());
            if (numbered) {
                assertNotNull(kind.record(), kind.label());
                assertTrue(kind.isRefusedInSafeMode(), kind.label());
            }
        }
    }
}
