package io.hmfs.core.type;

/** What becomes of an object's mode and access control list: changes both in {@code object}, which has them as they are, or refuses. */
@FunctionalInterface
public interface AclEdit {
    /** Called under a lock, perhaps more than once: asks nothing of the namespace, and throws nothing. Anything but OK changes nothing. */
    Status apply(Attributes object);
}
