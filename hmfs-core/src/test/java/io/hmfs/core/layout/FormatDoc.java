package io.hmfs.core.layout;

import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.StructLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** docs/format.md cut into what can be compared: tables under their caption, and the cells of the drawings. */
final class FormatDoc {
    private static final Pattern CAPTION =
            Pattern.compile("`(\\w+)`, ([\\d,]+) bytes, aligned to (\\d+)\\.|(?:Bits|Codes) of `(\\w+)`.*:");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    /** A table; {@code subject} is the record, word or enum that the last caption names, {@code first} the first column's head. */
    record Table(String subject, String first, List<List<String>> rows) {}

    /** A caption of a record. */
    record Caption(String subject, long size, long alignment) {}

    /** One cell of a drawing, without what stands behind a colon. */
    record Cell(String subject, String text, long from, long to) {}

    final List<Table> tables = new ArrayList<>();
    final List<Caption> captions = new ArrayList<>();
    final List<Cell> cells = new ArrayList<>();
    final Set<String> anchors = new HashSet<>();
    private String subject = "";

    static FormatDoc read(Path page) throws IOException {
        FormatDoc doc = new FormatDoc();
        List<String> lines = Files.readAllLines(page);
        boolean drawing = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.startsWith("```")) {
                drawing = !drawing;
            } else if (drawing) {
                doc.draw(i == 0 ? "" : lines.get(i - 1), line);
            } else if (line.startsWith("|")) {
                i = doc.table(lines, i);
            } else {
                doc.text(line);
            }
        }
        return doc;
    }

    private void text(String line) {
        if (line.startsWith("#")) {
            String heading = line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT);
            anchors.add(heading.replaceAll("[^a-z0-9 -]", "").replace(' ', '-'));
            subject = "";
        }
        Matcher caption = CAPTION.matcher(line);
        if (caption.find()) {
            subject = caption.group(4) != null ? caption.group(4) : caption.group(1);
            if (caption.group(4) == null) {
                captions.add(new Caption(subject, number(caption.group(2)), number(caption.group(3))));
            }
        }
    }

    /** Reads the table that begins at this line; says where it ends. */
    private int table(List<String> lines, int start) {
        List<List<String>> rows = new ArrayList<>();
        int end = start + 2;
        for (; end < lines.size() && lines.get(end).startsWith("|"); end++) {
            rows.add(cellsOf(lines.get(end)));
        }
        tables.add(new Table(subject, cellsOf(lines.get(start)).get(0), rows));
        return end - 1;
    }

    private static List<String> cellsOf(String row) {
        List<String> cells = new ArrayList<>();
        for (String cell : row.substring(1).split("\\|", -1)) {
            cells.add(cell.strip().replace("`", ""));
        }
        return cells;
    }

    /** A row of boxes under a row of offsets: each bar stands under the offset where its box begins. */
    private void draw(String scale, String row) {
        if (!row.startsWith("|") || scale.isEmpty() || !Character.isDigit(scale.charAt(0))) {
            return;
        }
        int bar = 0;
        for (int next = row.indexOf('|', 1); next > 0; next = row.indexOf('|', bar + 1)) {
            cells.add(new Cell(
                    subject,
                    row.substring(bar + 1, next).replaceFirst(":.*", "").strip(),
                    offsetAt(scale, bar),
                    offsetAt(scale, next)));
            bar = next;
        }
    }

    private static long offsetAt(String scale, int column) {
        Matcher number = NUMBER.matcher(scale);
        while (number.find()) {
            if (number.start() == column) {
                return number(number.group());
            }
        }
        throw new IllegalArgumentException("no offset above column " + column + " in: " + scale);
    }

    /** A number as the page writes it: with commas, or in hexadecimal. */
    static long number(String text) {
        return Long.decode(text.replace(",", ""));
    }

    /** Offset and size of each field of a layout, in order; padding has no name. */
    static Map<String, long[]> fieldsOf(StructLayout layout) {
        Map<String, long[]> fields = new LinkedHashMap<>();
        long at = 0;
        for (MemoryLayout member : layout.memberLayouts()) {
            boolean reserved = member instanceof PaddingLayout && member.name().isEmpty();
            fields.put(reserved ? "(reserved) " + at : member.name().orElseThrow(), new long[] {at, member.byteSize()});
            at += member.byteSize();
        }
        return fields;
    }
}
