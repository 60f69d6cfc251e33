package io.hmfs.hadoop.statistics;

import org.apache.hadoop.fs.statistics.StoreStatisticNames;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;

/** What a filesystem counts, under the names of Hadoop where it has one. */
public enum Op {
    ACCESS(StoreStatisticNames.OP_ACCESS),
    APPEND(StoreStatisticNames.OP_APPEND),
    BULK_DELETE(StoreStatisticNames.OP_BULK_DELETE),
    CONCAT("op_concat"),
    CREATE(StoreStatisticNames.OP_CREATE),
    DELETE(StoreStatisticNames.OP_DELETE),
    GET_ACL_STATUS("op_get_acl_status"),
    GET_CONTENT_SUMMARY(StoreStatisticNames.OP_GET_CONTENT_SUMMARY),
    GET_FILE_CHECKSUM(StoreStatisticNames.OP_GET_FILE_CHECKSUM),
    GET_FILE_STATUS(StoreStatisticNames.OP_GET_FILE_STATUS),
    GET_QUOTA_USAGE("op_get_quota_usage"),
    GET_STATUS(StoreStatisticNames.OP_GET_STATUS),
    IS_FILE_CLOSED("op_is_file_closed"),
    LIST_FILES(StoreStatisticNames.OP_LIST_FILES),
    LIST_STATUS(StoreStatisticNames.OP_LIST_STATUS),
    MKDIRS(StoreStatisticNames.OP_MKDIRS),
    MODIFY_ACL_ENTRIES(StoreStatisticNames.OP_MODIFY_ACL_ENTRIES),
    OPEN(StoreStatisticNames.OP_OPEN),
    RECOVER_LEASE("op_recover_lease"),
    REMOVE_ACL(StoreStatisticNames.OP_REMOVE_ACL),
    REMOVE_ACL_ENTRIES(StoreStatisticNames.OP_REMOVE_ACL_ENTRIES),
    REMOVE_DEFAULT_ACL(StoreStatisticNames.OP_REMOVE_DEFAULT_ACL),
    RENAME(StoreStatisticNames.OP_RENAME),
    SET_ACL(StoreStatisticNames.OP_SET_ACL),
    SET_OWNER(StoreStatisticNames.OP_SET_OWNER),
    SET_PERMISSION(StoreStatisticNames.OP_SET_PERMISSION),
    SET_QUOTA("op_set_quota"),
    SET_TIMES(StoreStatisticNames.OP_SET_TIMES),
    SYMLINK("op_create_symlink"),
    TRUNCATE(StoreStatisticNames.OP_TRUNCATE),
    XATTR_GET("op_xattr_get"),
    XATTR_LIST(StoreStatisticNames.OP_XATTR_LIST),
    XATTR_REMOVE("op_xattr_remove"),
    XATTR_SET("op_xattr_set"),
    READ_BYTES(StreamStatisticNames.STREAM_READ_BYTES),
    WRITE_BYTES(StreamStatisticNames.STREAM_WRITE_BYTES);

    final String key;

    Op(String key) {
        this.key = key;
    }
}
