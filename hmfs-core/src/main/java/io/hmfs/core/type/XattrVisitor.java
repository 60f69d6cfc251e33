package io.hmfs.core.type;

/** Is shown the extended attributes of an object. */
@FunctionalInterface
public interface XattrVisitor {
    /** One attribute; both arguments are the visitor's to keep. */
    void visit(Name name, byte[] value);
}
