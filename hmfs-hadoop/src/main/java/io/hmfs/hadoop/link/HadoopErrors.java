package io.hmfs.hadoop.link;

import io.hmfs.client.HmfsException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
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

/** Translates refusals of the server to the exceptions that HDFS throws; the refusal is their cause. */
public final class HadoopErrors {
    private HadoopErrors() {}

    /**
     * What to throw for {@code failure} on {@code path}.
     *
     * @throws IllegalArgumentException thrown, not returned, where Hadoop has an unchecked class for the case (a bad
     * name)
     */
    public static IOException translate(String path, HmfsException failure) {
        Exception translated = exceptionFor(path, failure);
        if (translated.getCause() == null) {
            translated.initCause(failure);
        }
        if (translated instanceof IOException checked) {
            return checked;
        }
        throw (IllegalArgumentException) translated;
    }

    /**
     * What to throw for a path that is only looked up: a file among its directories means that there is nothing, and so
     * does a name that nothing can have.
     */
    public static IOException translateLookup(String path, HmfsException failure) {
        return isAbsence(failure) ? notFound(path, failure) : translate(path, failure);
    }

    /** Whether a path that was only looked up leads to nothing. */
    public static boolean isAbsence(HmfsException failure) {
        return switch (failure.code()) {
            case NOT_FOUND, NO_SUCH_DIRECTORY, NOT_DIRECTORY, NAME_TOO_LONG -> true;
            default -> false;
        };
    }

    private static IOException notFound(String path, HmfsException failure) {
        IOException translated = new FileNotFoundException("File does not exist: " + shortened(path));
        translated.initCause(failure);
        return translated;
    }

    /** Has no default: a new code does not compile until it is mapped. */
    private static Exception exceptionFor(String path, HmfsException failure) {
        String text = failure.code().text();
        return switch (failure.code()) {
            case OK -> new IOException(path + ": the server reported success as a failure");
            case NOT_FOUND, NO_SUCH_DIRECTORY -> new FileNotFoundException("File does not exist: " + path);
            case EXISTS -> new FileAlreadyExistsException(path + ": already exists");
            case NOT_EMPTY -> new PathIsNotEmptyDirectoryException(path);
            case NOT_DIRECTORY -> new ParentNotDirectoryException(path + ": " + text);
            case IS_DIRECTORY -> new FileNotFoundException("Path is not a file: " + path);
            case NO_SPACE -> new ClusterStorageCapacityExceededException(path + ": " + text);
            case INVALID_NAME -> new InvalidPathException(path, text);
            case NAME_TOO_LONG -> new PathIOException(shortened(path), text);
            case LOOP, TOO_MANY_LINKS -> new PathIOException(path, text);
            case NO_ATTRIBUTE, VALUE_TOO_LARGE -> new PathIOException(path, failure.reason());
            case STALE ->
                new FileNotFoundException(path + ": the file was deleted, replaced, or renamed by another process");
            case INVALID_ARGUMENT -> new HadoopIllegalArgumentException(path + ": " + failure.reason());
            case UNRESOLVED_LINK -> new LinkOnPathException(path, failure.reason());
            case INVALID_ACL -> new AclException(failure.reason());
            case ACCESS_DENIED -> new AccessControlException(failure.reason());
            case NAME_QUOTA_EXCEEDED -> new NSQuotaExceededException(failure.reason());
            case SPACE_QUOTA_EXCEEDED -> new DSQuotaExceededException(failure.reason());
            case IS_ROOT -> new PathPermissionException(path, text);
            case BAD_REQUEST, TOO_LARGE, INTERNAL, IO_ERROR -> new PathIOException(path, failure.getMessage());
            case UNSUPPORTED_VERSION, WRONG_CLUSTER, OUTCOME_UNKNOWN -> new IOException(failure.getMessage());
            case TIMEOUT -> new SocketTimeoutException(failure.getMessage() + " (fs.hmfs.request.timeout)");
            case LEASED -> new AlreadyBeingCreatedException(failure.reason());
            case LEASE_LOST, DATA_LOST -> new IOException(path + ": " + text);
            case DAMAGED -> new IOException(path + ": " + failure.reason()); // which may name a directory below
            case CORRUPT ->
                new ChecksumException(
                        path + ": " + text + ", from byte " + failure.damagedAt() + " on", failure.damagedAt());
            case SAFE_MODE -> new PathIOException(path, text);
            case SHUTTING_DOWN -> new ConnectException(path + ": " + text);
            case TOO_MANY_CONNECTIONS -> new ConnectException(failure.getMessage());
        };
    }

    /** Keeps messages readable: a path may have many thousand characters. */
    private static String shortened(String path) {
        return path.length() <= 300 ? path : path.substring(0, 300) + "… (" + path.length() + " characters)";
    }
}
