package io.hmfs.server.access;

/** What would be no access control list; the message is the one of HDFS. */
public final class InvalidAclException extends Exception {
    private static final long serialVersionUID = 1;

    public InvalidAclException(String message) {
        super(message);
    }
}
