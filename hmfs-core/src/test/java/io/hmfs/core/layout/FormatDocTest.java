package io.hmfs.core.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.engine.IdSource;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.log.FoldList;
import io.hmfs.core.pmem.log.ImageSums;
import io.hmfs.core.pmem.log.LogBinding;
import io.hmfs.core.pmem.log.LogBlock;
import io.hmfs.core.pmem.log.LogControl;
import io.hmfs.core.pmem.log.LogMark;
import io.hmfs.core.pmem.log.LogRecord;
import io.hmfs.core.pmem.log.LogSegmentHeader;
import io.hmfs.core.pmem.log.RingHeader;
import io.hmfs.core.pmem.log.RingRecord;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Name;
import java.io.IOException;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Goal: docs/format.md tells the bytes of a pool as they are. Method: its tables and drawings are read and compared, both ways,
 * with the layouts, constants and codecs of the code, and with a pool that was just formatted.
 */
final class FormatDocTest {
    private static final Path PAGE = Path.of("..", "docs", "format.md");
    private static final Path SOURCES = Path.of("src", "main", "java");
    private static final Pattern ANCHOR = Pattern.compile("docs/format\\.md#([a-z-]+)");
    private static final Pattern PARTNER = Pattern.compile("cas16 with (\\w+)");

    private static final List<StructLayout> LAYOUTS = List.of(
            PoolHeader.LAYOUT,
            SummaryRecord.LAYOUT,
            EntryRecord.LAYOUT,
            InodeRecord.LAYOUT,
            DirContentRecord.LAYOUT,
            ChainRecord.LAYOUT,
            IndexHeader.LAYOUT,
            SplitRecord.LAYOUT,
            SegmentRecord.LAYOUT,
            BucketRecord.LAYOUT,
            OutcomeRing.LAYOUT,
            OutcomeRecord.LAYOUT,
            TableRecord.LAYOUT,
            LogBinding.LAYOUT,
            RingHeader.LAYOUT,
            RingRecord.LAYOUT,
            LogSegmentHeader.LAYOUT,
            LogBlock.LAYOUT,
            LogRecord.LAYOUT,
            LogControl.LAYOUT,
            LogMark.LAYOUT,
            ImageSums.LAYOUT,
            FoldList.LAYOUT);

    /** For each part of a word that the page names: whether a word that has one bit alone shows something in that part. */
    private static final Map<String, LongPredicate> PARTS = Map.ofEntries(
            Map.entry("region.kind", word -> (word & RegionKind.MASK) != 0),
            Map.entry("region.offset", word -> (word & ~RegionKind.MASK) != 0),
            Map.entry("status.state", word -> EntryRecord.state(word) != 0),
            Map.entry("status.kind", word -> EntryRecord.kind(word) != 0),
            Map.entry("status.nameLength", word -> EntryRecord.nameLength(word) != 0),
            Map.entry("status.tookPlace", EntryRecord::tookPlace),
            Map.entry("status.noData", EntryRecord::noData),
            Map.entry("status.unlisted", EntryRecord::unlisted),
            Map.entry("status.object", word -> EntryRecord.object(word) != 0),
            Map.entry("status.check", word -> EntryRecord.check(word) != EntryRecord.NO_CHECK),
            Map.entry("names.flight", word -> InodeRecord.flight(word) != 0),
            Map.entry("names.entry", word -> InodeRecord.entry(word) != 0),
            Map.entry("names.count", word -> InodeRecord.count(word) != 0),
            Map.entry("owner.uid", word -> Owner.uid(word) != 0),
            Map.entry("owner.gid", word -> Owner.gid(word) != 0),
            Map.entry("ctime.mode", word -> Ctime.mode(word) != 0),
            Map.entry("ctime.dirty", word -> (word & Ctime.DIRTY) != 0),
            Map.entry("ctime.time", word -> Ctime.time(word) != 0),
            Map.entry("length.size", word -> EntryRecord.size(word) != 0),
            Map.entry("length.dense", EntryRecord::dense),
            Map.entry("length.dirty", word -> (word & EntryRecord.LENGTH_DIRTY) != 0),
            Map.entry("links.form", word -> EntryRecord.form(word) != 0),
            Map.entry("links.mode", word -> EntryRecord.mode(word) != 0),
            Map.entry("links.acl", EntryRecord::acl),
            Map.entry("entry.permission", word -> Acl.permission(word) != 0),
            Map.entry("entry.type", word -> Acl.type(word) != 0),
            Map.entry("entry.default", Acl::isDefault),
            Map.entry("entry.named", Acl::isNamed),
            Map.entry("entry.id", word -> Acl.id(word) != 0),
            Map.entry("links.chain", word -> EntryRecord.chain(word) != 0),
            Map.entry("links.dirty", word -> (word & EntryRecord.LINKS_DIRTY) != 0),
            Map.entry("blob.length", word -> ChainRecord.length(word) != 0),
            Map.entry("blob.checksum", word -> ChainRecord.checksum(word) != 0),
            Map.entry("record.type", word -> BlobRecord.type(word) != 0),
            Map.entry("record.nameLength", word -> BlobRecord.nameLength(word) != 0),
            Map.entry("record.valueLength", word -> BlobRecord.valueLength(word) != 0),
            Map.entry("setAt.dirty", word -> (word & EntryRecord.SET_AT_DIRTY) != 0),
            Map.entry("number.phase", word -> OutcomeRecord.phase(word) != 0),
            Map.entry("number.sequence", word -> OutcomeRecord.sequence(word) != 0),
            Map.entry("state.kind", word -> TableRecord.kind(word) != 0),
            Map.entry("state.check", word -> TableRecord.check(word) != 0),
            Map.entry("id.number", word -> IdSource.partition(word) == 0),
            Map.entry("id.partition", word -> IdSource.partition(word) != 0),
            Map.entry("directoryEntry.segment", word -> DirectoryEntry.segment(word) != 0),
            Map.entry("directoryEntry.depth", word -> DirectoryEntry.depth(word) != 0),
            Map.entry("slot.offset", word -> BucketRecord.offset(word) != 0),
            Map.entry("slot.window", word -> BucketRecord.window(word) != 0),
            Map.entry("slot.tag", word -> !BucketRecord.sameTag(word, 0)),
            Map.entry("hash.directory", word -> BucketRecord.home(word) == 0 && word >= 0 && word >>> 32 == 0),
            Map.entry("hash.home", word -> BucketRecord.home(word) != 0),
            Map.entry("hash.tag", word -> !BucketRecord.sameTag(word, 0)),
            Map.entry("principal.length", word -> (int) word != 0),
            Map.entry("principal.present", word -> word == 1L << 32));

    /** Methods on a status word that look at several parts or at its kind alone, and those that make another word of one. */
    private static final Set<String> OF_KIND = Set.of(
            "isEntry", "isIndirect", "asIndirect", "settled", "holdsData", "buried", "asUnlisted", "withoutData");

    private static FormatDoc doc;

    @BeforeAll
    static void read() throws IOException {
        doc = FormatDoc.read(PAGE);
    }

    private static StructLayout layout(String name) {
        return LAYOUTS.stream()
                .filter(layout -> layout.name().orElseThrow().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("docs/format.md describes " + name + ", which is no layout"));
    }

    private static List<FormatDoc.Table> tables(String firstColumn) {
        return doc.tables.stream()
                .filter(table -> table.first().equals(firstColumn))
                .toList();
    }

    @Test
    void everyRecordHasTheSizeThatThePageTells() {
        List<String> described = new ArrayList<>();
        for (FormatDoc.Caption caption : doc.captions) {
            StructLayout layout = layout(caption.subject());
            assertEquals(layout.byteSize(), caption.size(), "size of " + caption.subject());
            assertEquals(layout.byteAlignment(), caption.alignment(), "alignment of " + caption.subject());
            described.add(caption.subject());
        }
        assertEquals(
                LAYOUTS.stream()
                        .map(layout -> layout.name().orElseThrow())
                        .sorted()
                        .toList(),
                described.stream().sorted().toList());
    }

    @Test
    void everyFieldStandsWhereThePageSays() {
        List<String> described = new ArrayList<>();
        for (FormatDoc.Table table : tables("offset")) {
            List<String> said = table.rows().stream()
                    .map(row -> row.get(2) + (row.get(2).equals("(reserved)") ? " " + row.get(0) : "") + " at "
                            + FormatDoc.number(row.get(0)) + ", " + FormatDoc.number(row.get(1)) + " bytes")
                    .toList();
            List<String> are = FormatDoc.fieldsOf(layout(table.subject())).entrySet().stream()
                    .map(field -> field.getKey() + " at " + field.getValue()[0] + ", " + field.getValue()[1] + " bytes")
                    .toList();
            assertEquals(are, said, table.subject());
            described.add(table.subject());
        }
        assertEquals(LAYOUTS.size(), described.stream().distinct().count(), "records with a table: " + described);
    }

    @Test
    void unitsAreTwoWordsOfSixteenAlignedBytes() {
        int units = 0;
        for (FormatDoc.Table table : tables("offset")) {
            StructLayout layout = layout(table.subject());
            for (List<String> row : table.rows()) {
                Matcher partner = PARTNER.matcher(row.get(3));
                if (partner.find()) {
                    long own = layout.byteOffset(PathElement.groupElement(row.get(2)));
                    long other = layout.byteOffset(PathElement.groupElement(partner.group(1)));
                    assertEquals(0, Math.min(own, other) % 16, table.subject() + "." + row.get(2));
                    assertEquals(8, Math.abs(own - other), table.subject() + "." + row.get(2));
                    units++;
                }
            }
        }
        assertEquals(16, units, "words in units of the page");
    }

    @Test
    void everyDrawnBoxIsTheFieldThatStandsThere() {
        Map<String, Integer> drawn = new HashMap<>();
        for (FormatDoc.Cell cell : doc.cells) {
            if (!cell.subject().isEmpty()) {
                String what = cell.subject() + ": " + cell.text();
                Map<String, long[]> fields = FormatDoc.fieldsOf(layout(cell.subject()));
                long[] field = fields.getOrDefault(cell.text(), fields.get("(reserved) " + cell.from()));
                assertNotNull(field, what + " is drawn and not there");
                assertEquals(field[0], cell.from(), what + " begins");
                assertEquals(field[0] + field[1], cell.to(), what + " ends");
                drawn.merge(cell.subject(), 1, Integer::sum);
            }
        }
        for (StructLayout layout : LAYOUTS) {
            String name = layout.name().orElseThrow();
            assertEquals(layout.memberLayouts().size(), drawn.get(name), "boxes of " + name);
        }
    }

    @Test
    void everyPartOfAWordHasTheBitsThatThePageTells() {
        List<String> described = new ArrayList<>();
        for (FormatDoc.Table table : tables("bits")) {
            for (List<String> row : table.rows()) {
                String part = row.get(1);
                LongPredicate shows = PARTS.get(part);
                assertNotNull(shows, part + " is described and not known");
                assertTrue(part.startsWith(table.subject() + "."), part + " stands under " + table.subject());
                String[] ends = row.get(0).split("–", -1);
                int first = Integer.parseInt(ends[0]);
                int last = Integer.parseInt(ends[ends.length - 1]);
                assertTrue(last < Long.SIZE, "bits of " + part);
                for (int bit = 0; bit < Long.SIZE; bit++) {
                    assertEquals(bit >= first && bit <= last, shows.test(1L << bit), "bit " + bit + " of " + part);
                }
                described.add(part);
            }
        }
        described.sort(null);
        assertEquals(PARTS.keySet().stream().sorted().toList(), described);
    }

    @Test
    void everyPartThatTheCodeReadsIsOnThePage() {
        List<String> unknown = new ArrayList<>();
        for (Class<?> type : List.of(
                EntryRecord.class,
                InodeRecord.class,
                Ctime.class,
                Owner.class,
                DirectoryEntry.class,
                BucketRecord.class,
                ChainRecord.class,
                OutcomeRecord.class,
                TableRecord.class,
                BlobRecord.class)) {
            for (Method method : type.getDeclaredMethods()) {
                boolean readsWord = Modifier.isPublic(method.getModifiers())
                        && List.of(method.getParameterTypes()).equals(List.of(long.class));
                if (readsWord
                        && !OF_KIND.contains(method.getName())
                        && PARTS.keySet().stream().noneMatch(part -> part.endsWith("." + method.getName()))) {
                    unknown.add(type.getSimpleName() + "." + method.getName());
                }
            }
        }
        assertEquals(List.of(), unknown, "to be added to PARTS and to the tables of bits");
    }

    @Test
    void everyConstantHasTheValueThatThePageTells() throws ReflectiveOperationException {
        int compared = 0;
        for (FormatDoc.Table table : tables("constant")) {
            for (List<String> row : table.rows()) {
                assertEquals(constant(row.get(0)), FormatDoc.number(row.get(1)), row.get(0));
                compared++;
            }
        }
        assertTrue(compared >= 30, "constants compared: " + compared);
        assertEquals(PoolHeader.REGIONS_MAX, PoolFile.REGIONS_LIMIT);
        assertEquals(PoolHeader.REGION_TABLE_OFFSET + 8L * PoolHeader.REGIONS_MAX, PoolFile.HEADER_SIZE);
    }

    private static long constant(String name) throws ReflectiveOperationException {
        String type = name.substring(0, name.indexOf('.'));
        for (String home : List.of("layout", "pmem", "pmem.log", "alloc", "engine", "type")) {
            try {
                Field field = Class.forName("io.hmfs.core." + home + "." + type)
                        .getDeclaredField(name.substring(name.indexOf('.') + 1));
                field.setAccessible(true);
                return ((Number) field.get(null)).longValue();
            } catch (ClassNotFoundException _) {
                // in another package
            }
        }
        throw new AssertionError("docs/format.md names " + name + ", which is nowhere");
    }

    @Test
    void everyCodeHasTheNameThatThePageTells() throws ReflectiveOperationException {
        for (FormatDoc.Table table : tables("code")) {
            Map<String, Long> said = new LinkedHashMap<>();
            table.rows().forEach(row -> said.put(row.get(1), FormatDoc.number(row.get(0))));
            assertEquals(codes(table.subject()), said, table.subject());
        }
        for (List<String> row : codeTable("RegionKind").rows()) {
            assertEquals(RegionKind.valueOf(row.get(1)).slotSize(), FormatDoc.number(row.get(2)), row.get(1));
        }
    }

    private static FormatDoc.Table codeTable(String subject) {
        return tables("code").stream()
                .filter(table -> table.subject().equals(subject))
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, Long> codes(String subject) throws IllegalAccessException {
        Map<String, Long> codes = new LinkedHashMap<>();
        if (subject.equals("RegionKind")) {
            for (RegionKind kind : RegionKind.values()) {
                codes.put(kind.name(), (long) kind.code());
            }
            return codes;
        }
        assertEquals("SlotState", subject);
        for (Field field : SlotState.class.getDeclaredFields()) {
            codes.put(field.getName(), (long) field.getInt(null));
        }
        return codes;
    }

    @Test
    void thePoolIsDrawnWithItsOffsets() throws IOException {
        List<Long> drawn = new ArrayList<>();
        Pattern border = Pattern.compile(" *(\\d+)  \\+-+\\+");
        for (String line : Files.readAllLines(PAGE)) {
            Matcher matcher = border.matcher(line);
            if (matcher.matches()) {
                drawn.add(Long.valueOf(matcher.group(1)));
            }
        }
        assertEquals(
                List.of(
                        0L,
                        PoolHeader.REGION_TABLE_OFFSET,
                        PoolFile.HEADER_SIZE,
                        PoolFile.REGION_SIZE,
                        2 * PoolFile.REGION_SIZE),
                drawn);
    }

    @Test
    void anEmptyPoolIsAsThePageTells() throws IOException {
        SimPoolFile file = new SimPoolFile(32 << 10, 14);
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        byte[] magic = new byte[8];
        file.pmem().copyOut(file.header(), magic, 0, 8);
        assertEquals("HMFSPOOL", new String(magic, StandardCharsets.US_ASCII));
        long principals = 0;
        List<RegionKind> kinds = new ArrayList<>();
        long table = file.header() + PoolHeader.REGION_TABLE_OFFSET;
        for (long word = file.pmem().get(table); word != 0; word = file.pmem().get(table)) {
            RegionKind kind = RegionKind.of(table, word);
            kinds.add(kind);
            principals = kind == RegionKind.PRINCIPALS ? word & ~RegionKind.MASK : principals;
            table += 8;
        }
        assertEquals(5, kinds.stream().distinct().count(), "all kinds but that of long names: " + kinds);
        // The first principal: four bytes and the mark, then the name.
        assertEquals(1L << 32 | 4, file.pmem().get(principals));
        byte[] name = new byte[8];
        file.pmem().copyOut(principals + 8, name, 0, 8);
        assertEquals("root\0\0\0\0", new String(name, StandardCharsets.UTF_8));
        assertEquals(0, file.pmem().get(principals + 16));
        assertEquals(64, Name.of("n".repeat(EntryRecord.SHORT_NAME_MAX)).words() * 8L);
    }

    @Test
    void whatTheSourcesReferToIsThere() throws IOException {
        List<String> missing = new ArrayList<>();
        int references = 0;
        try (Stream<Path> sources = Files.walk(SOURCES)) {
            for (Path source : sources.filter(Files::isRegularFile).toList()) {
                Matcher anchor = ANCHOR.matcher(Files.readString(source));
                while (anchor.find()) {
                    references++;
                    if (!doc.anchors.contains(anchor.group(1))) {
                        missing.add(source + ": #" + anchor.group(1));
                    }
                }
            }
        }
        assertEquals(List.of(), missing);
        assertTrue(references >= 7, "references found: " + references);
    }
}
