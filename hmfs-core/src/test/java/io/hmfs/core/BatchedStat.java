package io.hmfs.core;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;

/** A stat as one of a batch: behind names that take time between its match and its answer. */
final class BatchedStat {
    private BatchedStat() {}

    static Status of(ServerNamespace namespace, long directory, Name name, Attributes out) {
        StatBatch batch = new StatBatch(3);
        batch.add(Namespace.ROOT_PARENT_ID, Name.of(""));
        batch.add(directory, Name.of("a"));
        int number = batch.add(directory, name);
        namespace.statAll(batch);
        if (batch.status(number) == Status.OK) {
            copy(batch.attributes(number), out);
        }
        return batch.status(number);
    }

    private static void copy(Attributes from, Attributes to) {
        to.id = from.id;
        to.type = from.type;
        to.mode = from.mode;
        to.uid = from.uid;
        to.gid = from.gid;
        to.nlink = from.nlink;
        to.size = from.size;
        to.dense = from.dense;
        to.mtimeNanos = from.mtimeNanos;
        to.ctimeNanos = from.ctimeNanos;
        to.atimeNanos = from.atimeNanos;
        to.birthNanos = from.birthNanos;
    }
}
