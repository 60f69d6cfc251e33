package io.hmfs.client;

/** What the setting of an extended attribute may find. */
public enum XattrSetMode {
    CREATE_OR_REPLACE,
    /** EXISTS if the attribute is there. */
    CREATE,
    /** NO_ATTRIBUTE if it is not. */
    REPLACE
}
