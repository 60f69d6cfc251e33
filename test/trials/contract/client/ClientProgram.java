import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.VersionInfo;

/**
 * A program over the default filesystem: everyday calls of FileSystem and FileContext, and the interfaces that some versions of Hadoop have,
 * by reflection. Compiled with the Hadoop that it runs with, from 3.3.1 on.
 */
public final class ClientProgram {
    private static final String FS = "org.apache.hadoop.fs.";
    private static final byte[] DATA = "0123456789".getBytes(StandardCharsets.UTF_8);

    private final FileSystem fs;
    private final Path top = new Path("/client-" + System.nanoTime());
    private final Path file = new Path(top, "a/file");
    private final Set<String> offered = new LinkedHashSet<>();

    private ClientProgram(FileSystem fs) {
        this.fs = fs;
    }

    public static void main(String[] arguments) throws Exception {
        Configuration conf = new Configuration();
        try (FileSystem fs = FileSystem.get(conf)) {
            ClientProgram program = new ClientProgram(fs);
            program.files();
            program.reflection();
            program.statuses();
            program.leases();
            program.safeMode();
            program.vectoredReads();
            program.bulkDeletes();
            program.context(conf);
            require(fs.delete(program.top, true), "delete");
            require(!fs.exists(program.top), "deleted");
            System.out.println("Hadoop " + VersionInfo.getVersion() + ", " + fs.getClass().getSimpleName() + " with "
                    + program.offered);
        }
    }

    private static void require(boolean condition, String what) throws IOException {
        if (!condition) {
            throw new IOException("wrong: " + what);
        }
    }

    private void files() throws IOException {
        require(fs.mkdirs(file.getParent()), "mkdirs");
        write(file);
        try (FSDataOutputStream out = fs.append(file)) {
            out.write(DATA);
        }
        require(fs.getFileStatus(file).getLen() == 2 * DATA.length, "length");
        byte[] read = new byte[DATA.length];
        try (FSDataInputStream in = fs.open(file)) {
            in.readFully(DATA.length, read);
        }
        require(Arrays.equals(read, DATA), "data");
        Path other = new Path(top, "other");
        require(fs.rename(file, other) && fs.rename(other, file), "rename");
        require(fs.listStatus(file.getParent()).length == 1, "listStatus");
        require(fs.listFiles(top, true).hasNext(), "listFiles");
        require(fs.globStatus(new Path(top, "*/f*")).length == 1, "globStatus");
        require(fs.getContentSummary(top).getFileCount() == 1, "getContentSummary");
        try (FSDataInputStream in = fs.openFile(file).opt("fs.option.openfile.read.policy", "random").build().join()) {
            require(in.read() == DATA[0], "openFile");
        }
        fs.setTimes(file, 1000, -1);
        require(fs.getFileStatus(file).getModificationTime() == 1000, "setTimes");
    }

    private void write(Path path) throws IOException {
        try (FSDataOutputStream out = fs.create(path)) {
            out.write(DATA);
            out.hflush();
        }
    }

    /** Py4J and others look at all methods; one with a class that is not there would fail them. */
    private void reflection() throws IOException {
        for (Object each : new Object[] {fs, fs.getFileStatus(file)}) {
            require(each.getClass().getMethods().length > 0, "methods of " + each.getClass());
        }
        try (FSDataInputStream in = fs.open(file)) {
            require(in.getWrappedStream().getClass().getMethods().length > 0, "methods of a stream");
        }
    }

    /** The interface or class of Hadoop, which is offered where it is there; else null. */
    private static Class<?> present(String name) {
        try {
            return Class.forName(FS + name);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private boolean offers(String name, Object object) throws IOException {
        Class<?> type = present(name);
        if (type == null) {
            return false;
        }
        require(type.isInstance(object), object.getClass() + " is no " + name);
        offered.add(name);
        return true;
    }

    private void statuses() throws Exception {
        FileStatus located = fs.listLocatedStatus(file.getParent()).next();
        if (offers("EtagSource", fs.getFileStatus(file)) && offers("EtagSource", located)) {
            Method etag = present("EtagSource").getMethod("getEtag");
            require(etag.invoke(fs.getFileStatus(file)).equals(etag.invoke(located)), "etags");
        }
    }

    private void leases() throws Exception {
        if (offers("LeaseRecoverable", fs)) {
            Class<?> type = present("LeaseRecoverable");
            FSDataOutputStream open = fs.append(file);
            require(!(Boolean) type.getMethod("isFileClosed", Path.class).invoke(fs, file), "a file that is written");
            require((Boolean) type.getMethod("recoverLease", Path.class).invoke(fs, file), "recoverLease");
            require((Boolean) type.getMethod("isFileClosed", Path.class).invoke(fs, file), "isFileClosed");
            try {
                open.close();
            } catch (IOException leaseIsGone) {
                // so it should be, if anything was written
            }
        }
    }

    private void safeMode() throws Exception {
        if (offers("SafeMode", fs)) {
            Class<?> action = present("SafeModeAction");
            Object get = action.getField("GET").get(null);
            require(!(Boolean) present("SafeMode").getMethod("setSafeMode", action).invoke(fs, get), "safe mode");
        }
    }

    private void vectoredReads() throws Exception {
        Class<?> range = present("FileRange");
        if (range == null) {
            return;
        }
        Object first = range.getMethod("createFileRange", long.class, int.class).invoke(null, 0L, 3);
        Object last = range.getMethod("createFileRange", long.class, int.class).invoke(null, 10L, 10);
        try (FSDataInputStream in = fs.open(file)) {
            require(in.hasCapability("in:readvectored"), "capability of vectored reads");
            IntFunction<ByteBuffer> allocate = ByteBuffer::allocate;
            FSDataInputStream.class
                    .getMethod("readVectored", List.class, IntFunction.class)
                    .invoke(in, List.of(last, first), allocate);
            ByteBuffer read = (ByteBuffer) ((Future<?>) range.getMethod("getData").invoke(last)).get();
            require(read.equals(ByteBuffer.wrap(DATA)), "a range");
            read = (ByteBuffer) ((Future<?>) range.getMethod("getData").invoke(first)).get();
            require(read.equals(ByteBuffer.wrap(DATA, 0, 3)), "the other range");
        }
        offered.add("vectored reads");
    }

    private void bulkDeletes() throws Exception {
        Class<?> type = present("BulkDelete");
        if (type == null) {
            return;
        }
        Path gone = fs.makeQualified(new Path(top, "gone"));
        write(gone);
        Object bulk = FileSystem.class.getMethod("createBulkDelete", Path.class).invoke(fs, top);
        require((Integer) type.getMethod("pageSize").invoke(bulk) > 1, "pages of a bulk delete");
        Object failed = type.getMethod("bulkDelete", Collection.class).invoke(bulk, List.of(gone));
        require(((Collection<?>) failed).isEmpty() && !fs.exists(gone), "bulkDelete");
        offered.add("BulkDelete");
    }

    private void context(Configuration conf) throws IOException {
        FileContext context = FileContext.getFileContext(URI.create(conf.get("fs.defaultFS")), conf);
        Path path = new Path(top, "context/file");
        try (FSDataOutputStream out =
                context.create(path, EnumSet.of(CreateFlag.CREATE), Options.CreateOpts.createParent())) {
            out.write(DATA);
        }
        Path renamed = new Path(top, "context/renamed");
        context.rename(path, renamed);
        try (FSDataInputStream in = context.open(renamed)) {
            require(in.read() == DATA[0], "FileContext's data");
        }
        require(context.util().listStatus(renamed.getParent()).length == 1, "FileContext's listing");
        require(context.delete(renamed.getParent(), true), "FileContext's delete");
    }
}
