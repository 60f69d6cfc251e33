package io.hmfs.hadoop.attributes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.hadoop.OwnDirectory;
import io.hmfs.hadoop.TestServerProcess;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotDirectoryException;
import org.apache.hadoop.fs.QuotaUsage;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DSQuotaExceededException;
import org.apache.hadoop.hdfs.protocol.NSQuotaExceededException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Goal: programs see quotas through Hadoop's API as they see those of HDFS, and what goes beyond one is an exception
 * of HDFS's class with HDFS's sentence. Method: one filesystem on the shared server, a directory per test; HDFS's own
 * exceptions make the sentences.
 */
class DirectoryQuotasTest extends OwnDirectory {
    private static final long AS_IT_IS = Long.MAX_VALUE;
    private static final long NONE = -1;

    private static List<Long> numbers(QuotaUsage usage) {
        return List.of(
                usage.getQuota(), usage.getFileAndDirectoryCount(), usage.getSpaceQuota(), usage.getSpaceConsumed());
    }

    @Test
    void summary_and_usage_tell_of_quotas() throws IOException {
        write("f", bytes(1, 700));
        assertEquals(List.of(NONE, 2L, NONE, 700L), numbers(fs.getQuotaUsage(directory)));
        fs.setQuota(directory, 10, AS_IT_IS);
        assertEquals(List.of(10L, 2L, NONE, 700L), numbers(fs.getQuotaUsage(directory)));
        fs.setQuota(directory, AS_IT_IS, 5000);
        write("g", bytes(1, 300));
        ContentSummary summary = fs.getContentSummary(directory);
        assertEquals(List.of(10L, 3L, 5000L, 1000L), numbers(summary));
        assertEquals(numbers(summary), numbers(fs.getQuotaUsage(directory)));
        fs.setQuota(directory, NONE, NONE);
        assertEquals(List.of(NONE, 3L, NONE, 1000L), numbers(fs.getQuotaUsage(directory)));
    }

    @Test
    void names_beyond_the_quota_are_refused_as_by_HDFS() throws Exception {
        fs.setQuota(directory, 1, AS_IT_IS);
        NSQuotaExceededException expected = new NSQuotaExceededException(1, 2);
        expected.setPathName(directory.toString());
        Path more = new Path(directory, "more");
        FileContext context =
                FileContext.getFileContext(TestServerProcess.shared().uri(), new Configuration());
        for (Executable change : List.<Executable>of(
                () -> fs.create(more).close(),
                () -> fs.mkdirs(more),
                () -> context.mkdir(more, null, true),
                () -> fs.createFile(new Path(more, "below")).recursive().build().close())) {
            assertEquals(
                    expected.getMessage(),
                    assertThrows(NSQuotaExceededException.class, change).getMessage());
        }
    }

    @Test
    void a_stream_hears_of_the_quota_when_its_bytes_are_to_count() throws IOException {
        fs.setQuota(directory, AS_IT_IS, 1000);
        Path path = new Path(directory, "f");
        DSQuotaExceededException expected = new DSQuotaExceededException(1000, 1500);
        expected.setPathName(directory.toString());
        FSDataOutputStream out = fs.create(path);
        out.write(bytes(1, 1000));
        out.hflush();
        out.write(bytes(1, 500));
        DSQuotaExceededException thrown = assertThrows(DSQuotaExceededException.class, out::hflush);
        assertEquals(expected.getMessage(), thrown.getMessage());
        assertThrows(IOException.class, out::close);
        assertEquals(1000, fs.getFileStatus(path).getLen());
        Path other = new Path(directory, "other");
        FSDataOutputStream closed = fs.create(other);
        closed.write(7);
        assertThrows(DSQuotaExceededException.class, closed::close);
        assertEquals(0, fs.getFileStatus(other).getLen());
        fs.delete(path, false);
        write("other", bytes(1, 1000));
    }

    @Test
    void a_recursive_delete_makes_room_and_a_rename_needs_some() throws IOException {
        Path one = new Path(directory, "one");
        Path two = new Path(directory, "two");
        fs.mkdirs(new Path(one, "a/b"));
        fs.mkdirs(two);
        fs.setQuota(one, 3, AS_IT_IS);
        fs.setQuota(two, 2, AS_IT_IS);
        assertThrows(NSQuotaExceededException.class, () -> fs.rename(new Path(one, "a"), new Path(two, "a")));
        assertThrows(NSQuotaExceededException.class, () -> fs.mkdirs(new Path(one, "c")));
        assertTrue(fs.delete(new Path(one, "a"), true));
        fs.mkdirs(new Path(one, "c/d"));
        assertTrue(fs.rename(new Path(one, "c/d"), new Path(two, "d")));
        assertEquals(List.of(2L, 2L, NONE, 0L), numbers(fs.getQuotaUsage(two)));
    }

    @Test
    void what_cannot_be_set_is_refused() throws IOException {
        Path file = write("f", bytes(1, 1));
        Path none = new Path(directory, "none");
        assertEquals(
                "Directory does not exist: " + none,
                assertThrows(FileNotFoundException.class, () -> fs.setQuota(none, 1, 1))
                        .getMessage());
        assertThrows(PathIsNotDirectoryException.class, () -> fs.setQuota(file, 1, 1));
        assertEquals(
                "Invalid values for quota : 0 and 5",
                assertThrows(IllegalArgumentException.class, () -> fs.setQuota(directory, 0, 5))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> fs.setQuota(directory, 5, -2));
        assertThrows(
                UnsupportedOperationException.class, () -> fs.setQuotaByStorageType(directory, StorageType.SSD, 1));
    }
}
