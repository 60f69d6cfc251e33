package io.hmfs.core;

import io.hmfs.core.type.AclEdit;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import io.hmfs.core.type.XattrVisitor;
import java.util.List;

/**
 * Values that belong to an object, of any type, and move with it. The name of an attribute is 1 to 255 bytes, none of them NUL,
 * and means nothing to the engine, which grants and denies nothing by an ACL either. All that one object has is bounded: 64 KiB for each value, 256 KiB together.
 */
public interface ExtendedAttributes {
    /** Sets one attribute; VALUE_TOO_LARGE beyond the bounds. */
    Status setXattr(long directory, Name name, Name attribute, byte[] value, XattrMode mode);

    /** The value of one attribute, or NO_ATTRIBUTE. */
    Status getXattr(long directory, Name name, Name attribute, Bytes out);

    /** Adds the names of all attributes to {@code out}, the one that was set last at the end. */
    Status listXattrs(long directory, Name name, List<Name> out);

    /** Shows all attributes with their values, as they were at one moment, the one that was set last at the end. */
    Status readXattrs(long directory, Name name, XattrVisitor visitor);

    /** Removes one attribute; NO_ATTRIBUTE if it is not there. */
    Status removeXattr(long directory, Name name, Name attribute);

    /**
     * Changes mode and access control list at once, from what they are to what {@code edit} says; its refusals are the answer. No moment shows
     * one without the other. INVALID_ARGUMENT for what is no list or mode. {@link Attributes#withAcl} reads both.
     */
    Status changeAcl(long directory, Name name, AclEdit edit);
}
