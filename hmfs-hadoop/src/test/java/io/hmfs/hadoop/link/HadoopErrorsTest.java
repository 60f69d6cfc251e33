package io.hmfs.hadoop.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.util.EnumMap;
import java.util.Map;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.ClusterStorageCapacityExceededException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.InvalidPathException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.PathPermissionException;
import org.apache.hadoop.hdfs.protocol.AclException;
import org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException;
import org.apache.hadoop.hdfs.protocol.DSQuotaExceededException;
import org.apache.hadoop.hdfs.protocol.NSQuotaExceededException;
import org.apache.hadoop.security.AccessControlException;
import org.junit.jupiter.api.Test;

/**
 * Goal: every outcome of the server reaches a Hadoop program as the class that HDFS would throw, with the path in the
 * message.
 * Method: a table of all codes, written down a second time here.
 */
class HadoopErrorsTest {
    private static final String PATH = "/some/where";

    private static Map<ResultCode, Class<? extends Exception>> expected() {
        Map<ResultCode, Class<? extends Exception>> table = new EnumMap<>(ResultCode.class);
        table.put(ResultCode.OK, IOException.class);
        table.put(ResultCode.NOT_FOUND, FileNotFoundException.class);
        table.put(ResultCode.EXISTS, FileAlreadyExistsException.class);
        table.put(ResultCode.NOT_EMPTY, PathIsNotEmptyDirectoryException.class);
        table.put(ResultCode.NOT_DIRECTORY, ParentNotDirectoryException.class);
        table.put(ResultCode.IS_DIRECTORY, FileNotFoundException.class);
        table.put(ResultCode.NO_SUCH_DIRECTORY, FileNotFoundException.class);
        table.put(ResultCode.NO_SPACE, ClusterStorageCapacityExceededException.class);
        table.put(ResultCode.INVALID_NAME, InvalidPathException.class);
        table.put(ResultCode.NAME_TOO_LONG, PathIOException.class);
        table.put(ResultCode.LOOP, PathIOException.class);
        table.put(ResultCode.STALE, FileNotFoundException.class);
        table.put(ResultCode.INVALID_ARGUMENT, HadoopIllegalArgumentException.class);
        table.put(ResultCode.IS_ROOT, PathPermissionException.class);
        table.put(ResultCode.TOO_MANY_LINKS, PathIOException.class);
        table.put(ResultCode.NO_ATTRIBUTE, PathIOException.class);
        table.put(ResultCode.VALUE_TOO_LARGE, PathIOException.class);
        table.put(ResultCode.INVALID_ACL, AclException.class);
        table.put(ResultCode.ACCESS_DENIED, AccessControlException.class);
        table.put(ResultCode.UNRESOLVED_LINK, LinkOnPathException.class);
        table.put(ResultCode.BAD_REQUEST, PathIOException.class);
        table.put(ResultCode.UNSUPPORTED_VERSION, IOException.class);
        table.put(ResultCode.TOO_LARGE, PathIOException.class);
        table.put(ResultCode.TIMEOUT, SocketTimeoutException.class);
        table.put(ResultCode.OUTCOME_UNKNOWN, IOException.class);
        table.put(ResultCode.SHUTTING_DOWN, ConnectException.class);
        table.put(ResultCode.TOO_MANY_CONNECTIONS, ConnectException.class);
        table.put(ResultCode.SAFE_MODE, PathIOException.class);
        table.put(ResultCode.INTERNAL, PathIOException.class);
        table.put(ResultCode.IO_ERROR, PathIOException.class);
        table.put(ResultCode.CORRUPT, ChecksumException.class);
        table.put(ResultCode.WRONG_CLUSTER, IOException.class);
        table.put(ResultCode.NAME_QUOTA_EXCEEDED, NSQuotaExceededException.class);
        table.put(ResultCode.SPACE_QUOTA_EXCEEDED, DSQuotaExceededException.class);
        table.put(ResultCode.LEASED, AlreadyBeingCreatedException.class);
        table.put(ResultCode.LEASE_LOST, IOException.class);
        table.put(ResultCode.DATA_LOST, IOException.class);
        table.put(ResultCode.DAMAGED, IOException.class);
        return table;
    }

    private static Exception translated(ResultCode code) {
        HmfsException failure = new HmfsException(code, "stat " + PATH + ": " + code.text());
        try {
            return HadoopErrors.translate(PATH, failure);
        } catch (IllegalArgumentException unchecked) {
            return unchecked;
        }
    }

    @Test
    void every_code_has_the_class_that_hdfs_would_throw() {
        Map<ResultCode, Class<? extends Exception>> expected = expected();
        for (ResultCode code : ResultCode.values()) {
            assertEquals(expected.get(code), translated(code).getClass(), code.toString());
        }
    }

    @Test
    void the_message_names_the_path_and_the_cause_keeps_the_servers_words() {
        for (ResultCode code : ResultCode.values()) {
            Exception translated = translated(code);
            assertTrue(String.valueOf(translated.getMessage()).contains(PATH), () -> code + ": " + translated);
            assertTrue(translated.getCause() instanceof HmfsException, code.toString());
        }
    }

    @Test
    void a_bad_name_is_unchecked_as_everywhere_in_hadoop() {
        HmfsException failure = new HmfsException(ResultCode.INVALID_NAME, "create /a: bad");
        assertThrows(IllegalArgumentException.class, () -> {
            throw HadoopErrors.translate("/a", failure);
        });
    }

    @Test
    void what_lies_below_a_file_is_simply_not_there_when_it_is_looked_up() {
        HmfsException failure = new HmfsException(ResultCode.NOT_DIRECTORY, "stat /file/x: not a directory");
        assertEquals(
                FileNotFoundException.class,
                HadoopErrors.translateLookup("/file/x", failure).getClass());
    }

    @Test
    void a_very_long_path_is_cut_in_the_message() {
        String longPath = "/" + "x".repeat(10_000);
        HmfsException failure = new HmfsException(ResultCode.NAME_TOO_LONG, "too long");
        String message =
                String.valueOf(HadoopErrors.translate(longPath, failure).getMessage());
        assertTrue(message.length() < 600, () -> "message of " + message.length() + " characters");
        assertTrue(message.contains("10001 characters"), message);
    }
}
