package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.ListVisitor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/**
 * Goal: a listing leaves nothing on the Java heap for an entry, and little for a page (I7). Method: the JVM's own count of the bytes that this thread has
 * allocated, for pages of few and of many entries of several kinds.
 */
final class ListAllocationTest extends MappedPool {
    private static final int ENTRIES = 2_000;
    private static final long COMPILED_NANOS = 60_000_000_000L;

    /** Takes so many entries of a page. */
    private static final class Page implements ListVisitor {
        private final int max;
        private int shown;

        Page(int max) {
            this.max = max;
        }

        @Override
        public boolean visit(Name name, Attributes attributes) {
            if (shown == max) {
                return false;
            }
            shown++;
            return true;
        }
    }

    /** In the last of many rounds: until the code is compiled, which a busy machine puts off, short-lived objects of it are real. */
    private double bytesPerPage(long listed, int entries, double enough) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        Page page = new Page(entries);
        ListCursor cursor = new ListCursor();
        double bytes = Double.MAX_VALUE;
        long begin = System.nanoTime();
        while (bytes > enough && System.nanoTime() - begin < COMPILED_NANOS) {
            long before = threads.getCurrentThreadAllocatedBytes();
            int pages = 0;
            for (int round = 0; round < 10; round++) {
                cursor.birth = 0;
                while (!cursor.atEnd()) {
                    page.shown = 0;
                    Status status = namespace.list(listed, cursor, page);
                    assertTrue(status == Status.OK);
                    pages++;
                }
            }
            bytes = (double) (threads.getCurrentThreadAllocatedBytes() - before) / pages;
        }
        return bytes;
    }

    @Test
    void anEntryLeavesNothingOnTheHeap() {
        long listed = mkdir(ROOT, "dir");
        for (int i = 0; i < ENTRIES; i++) {
            if (i % 16 == 0) {
                mkdir(listed, "directory" + i);
            } else {
                create(listed, "a-file-of-some-length".repeat(i % 5 + 1) + i);
            }
        }
        double few = bytesPerPage(listed, 20, 1_000);
        double many = bytesPerPage(listed, ENTRIES, 1_000);
        assertTrue(few <= 1_000, few + " bytes per page of 20 entries");
        assertTrue(many <= 1_000, many + " bytes per page of " + ENTRIES + " entries");
        assertEquals(ENTRIES, list(listed).size());
    }
}
