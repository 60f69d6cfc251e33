package io.hmfs.server.admin;

import java.util.Map;

/** Writes one JSON object. */
final class Json {
    private Json() {}

    /** A value that is JSON already. */
    record Raw(String json) {
        @Override
        public String toString() {
            return json;
        }
    }

    /** The entries in their order; a number or boolean as it is, anything else as a string. */
    static String object(Map<String, ?> entries) {
        StringBuilder json = new StringBuilder("{");
        entries.forEach((key, value) -> {
            json.append(json.length() == 1 ? "" : ",");
            string(json, key);
            json.append(':');
            if (value instanceof Number || value instanceof Boolean || value instanceof Raw) {
                json.append(value);
            } else {
                string(json, String.valueOf(value));
            }
        });
        return json.append('}').toString();
    }

    private static void string(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> json.append('\\').append(c);
                case '\n' -> json.append("\\n");
                default -> {
                    if (c < 0x20) {
                        json.append(String.format("\\u%04x", (int) c));
                    } else {
                        json.append(c);
                    }
                }
            }
        }
        json.append('"');
    }
}
