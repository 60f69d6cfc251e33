package io.hmfs.client;

import static io.hmfs.client.CallKind.Retry.REPEATABLE;

import io.hmfs.wire.CensusEncoder;
import io.hmfs.wire.CensusPageDecoder;
import io.hmfs.wire.ObjectsEncoder;
import io.hmfs.wire.ObjectsPageDecoder;
import io.hmfs.wire.ObjectsRemovedEncoder;
import io.hmfs.wire.PendingRemovalsDecoder;
import io.hmfs.wire.Wire;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Rows: the census of files, objects of the builtin data store, and the record of removed files. */
@SuppressWarnings("ArrayRecordComponent") // arguments of a call are never compared
final class CensusCalls {
    private final CensusEncoder censusEncoder = new CensusEncoder();
    private final ObjectsEncoder objectsEncoder = new ObjectsEncoder();
    private final ObjectsRemovedEncoder removedEncoder = new ObjectsRemovedEncoder();
    private final CensusPageDecoder censusDecoder = new CensusPageDecoder();
    private final ObjectsPageDecoder objectsDecoder = new ObjectsPageDecoder();
    private final PendingRemovalsDecoder pendingDecoder = new PendingRemovalsDecoder();

    final CallKind<Walk, Directories> census;
    final CallKind<ObjectsFrom, ObjectBytes> objects;
    final CallKind<ObjectsGone, PendingBytes> removals;

    CensusCalls() {
        census = new CallKind<>(
                "census",
                REPEATABLE,
                CensusEncoder.TEMPLATE_ID,
                CensusEncoder.BLOCK_LENGTH,
                each -> each.directories.length,
                (each, out) -> censusEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .incarnation(each.from.incarnation)
                        .renamePosition(each.from.position)
                        .cursorBirth(each.from.cursor.birth())
                        .cursorAt(each.from.cursor.at())
                        .cursorStart(each.from.cursor.start())
                        .putDirectories(each.directories, 0, each.directories.length)
                        .limit(),
                CensusPageDecoder.TEMPLATE_ID,
                (reply, nothing, each) -> directories(reply));
        objects = new CallKind<ObjectsFrom, ObjectBytes>(
                        "objects",
                        REPEATABLE,
                        ObjectsEncoder.TEMPLATE_ID,
                        ObjectsEncoder.BLOCK_LENGTH,
                        each -> each.removed.length,
                        (each, out) -> objectsEncoder
                                .wrap(out, Wire.HEADER_SIZE)
                                .incarnation(each.incarnation)
                                .directory(each.directory)
                                .afterInode(each.afterInode)
                                .afterBlock(each.afterBlock)
                                .putRemoved(each.removed, 0, each.removed.length)
                                .limit(),
                        ObjectsPageDecoder.TEMPLATE_ID,
                        (reply, nothing, each) -> objects(reply))
                .describedBy((nothing, each) -> each.removed.length == 0 ? "list objects" : "remove objects");
        removals = new CallKind<ObjectsGone, PendingBytes>(
                        "removals",
                        REPEATABLE,
                        ObjectsRemovedEncoder.TEMPLATE_ID,
                        ObjectsRemovedEncoder.BLOCK_LENGTH,
                        each -> each.inodes.length,
                        (each, out) -> removedEncoder
                                .wrap(out, Wire.HEADER_SIZE)
                                .olderThanMillis(each.olderThanMillis)
                                .from(each.from)
                                .putInodes(each.inodes, 0, each.inodes.length)
                                .limit(),
                        PendingRemovalsDecoder.TEMPLATE_ID,
                        (reply, nothing, each) -> pending(reply))
                .describedBy((nothing, each) -> each.olderThanMillis < 0 ? "objects removed" : "pending removals");
    }

    private static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private Directories directories(ReplyFrame reply) {
        CensusPageDecoder page = censusDecoder;
        page.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        byte[] files = reply.room(page.limit(), page.filesLength());
        page.getFiles(files, 0, files.length);
        byte[] directories = reply.room(page.limit(), page.directoriesLength());
        page.getDirectories(directories, 0, directories.length);
        ListingCursor cursor = new ListingCursor(page.cursorBirth(), page.cursorAt(), page.cursorStart());
        return new Directories(
                page.incarnation(),
                page.renamePosition(),
                (int) page.listed(),
                cursor,
                littleEndian(files),
                littleEndian(directories));
    }

    private ObjectBytes objects(ReplyFrame reply) {
        ObjectsPageDecoder page = objectsDecoder;
        page.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        byte[] bytes = reply.room(page.limit(), page.objectsLength());
        page.getObjects(bytes, 0, bytes.length);
        byte[] names = reply.room(page.limit(), page.unknownLength());
        page.getUnknown(names, 0, names.length);
        String unknown = new String(names, StandardCharsets.UTF_8);
        return new ObjectBytes(
                (int) page.directory(),
                page.afterInode(),
                page.afterBlock(),
                littleEndian(bytes),
                unknown.isEmpty() ? List.of() : List.of(unknown.split("\0")));
    }

    private PendingBytes pending(ReplyFrame reply) {
        PendingRemovalsDecoder page = pendingDecoder;
        page.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version());
        byte[] files = reply.room(page.limit(), page.filesLength());
        page.getFiles(files, 0, files.length);
        return new PendingBytes((int) page.next(), (int) page.recorded(), littleEndian(files));
    }

    /** Where a walk is, and which directories it lists next. */
    record Walk(Directories from, byte[] directories) {}

    /** A part of the walk: the position in the server's recent renames, pairs of inode and size, ids of directories. */
    record Directories(
            long incarnation,
            long position,
            int listed,
            ListingCursor cursor,
            ByteBuffer files,
            ByteBuffer directories) {
        /** Where a walk begins. */
        static final Directories START =
                new Directories(0, 0, 0, ListingCursor.START, ByteBuffer.allocate(0), ByteBuffer.allocate(0));
    }

    /** Lists objects behind one of them, or removes some, pairs of inode and block. */
    record ObjectsFrom(int directory, long afterInode, long afterBlock, long incarnation, byte[] removed) {}

    /** Inode, block, bytes and time of each object, and names that are no object's. */
    record ObjectBytes(int directory, long afterInode, long afterBlock, ByteBuffer objects, List<String> unknown) {}

    /** Files whose objects are gone, and which others are to be told of. */
    record ObjectsGone(byte[] inodes, long olderThanMillis, int from) {}

    /** Inode and size of each file on record. */
    record PendingBytes(int next, int recorded, ByteBuffer files) {}
}
