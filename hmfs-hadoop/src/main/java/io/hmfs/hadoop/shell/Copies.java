package io.hmfs.hadoop.shell;

import io.hmfs.hadoop.store.DaemonThreads;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.apache.hadoop.fs.shell.Command;
import org.apache.hadoop.fs.shell.CommandFactory;
import org.apache.hadoop.fs.shell.CommandFormat;
import org.apache.hadoop.fs.shell.CopyCommandWithMultiThread;
import org.apache.hadoop.fs.shell.FsCommand;
import org.apache.hadoop.fs.shell.PathData;
import org.jspecify.annotations.Nullable;

/**
 * Commands that copy files: Hadoop's, with {@value #THREADS} threads in place of one unless {@code -t} says otherwise, because one sync of the
 * disk serves all files that wait for it. The threads are not Hadoop's, which forget an unchecked exception
 * together with the file that it was about, and which set the times of a directory, for {@code -p}, before all files are in it.
 */
@SuppressWarnings("NonApiType") // Hadoop's methods take linked lists
abstract class Copies extends CopyCommandWithMultiThread {
    static final int THREADS = 16;
    private static final int QUEUE = DEFAULT_QUEUE_SIZE;
    private static final String TEMPORARY = "._COPYING_"; // behind the name of a file that is being copied

    private final Set<String> names = new HashSet<>();
    private int threads = THREADS;
    private UnderWay copies = new UnderWay(THREADS + QUEUE, super::displayError);
    private boolean isPreserving;
    private @Nullable ExecutorService pool;

    /** {@code -put}. */
    public static final class Put extends Copies {
        @Override
        protected void processOptions(LinkedList<String> args) throws IOException {
            CommandFormat format = parse(new CommandFormat(1, Integer.MAX_VALUE, "f", "p", "l", "d"), args);
            setOverwrite(format.getOpt("f"));
            setPreserve(format.getOpt("p"));
            setLazyPersist(format.getOpt("l"));
            setDirectWrite(format.getOpt("d"));
            getRemoteDestination(args);
        }

        /** Local paths are no patterns. */
        @Override
        protected List<PathData> expandArgument(String arg) throws IOException {
            PathData item;
            try {
                item = new PathData(new URI(arg), getConf());
            } catch (URISyntaxException e) {
                item = new PathData(arg, getConf());
            }
            return List.of(item);
        }

        @Override
        protected void processArguments(LinkedList<PathData> args) throws IOException {
            if (args.size() == 1 && args.getFirst().toString().equals("-")) {
                copyStreamToTarget(System.in, getTargetPath(args.getFirst()));
            } else {
                super.processArguments(args);
            }
        }
    }

    /** {@code -get}. */
    public static final class Get extends Copies {
        @Override
        protected void processOptions(LinkedList<String> args) throws IOException {
            CommandFormat format = parse(new CommandFormat(1, Integer.MAX_VALUE, "crc", "ignoreCrc", "p", "f"), args);
            setWriteChecksum(format.getOpt("crc"));
            setVerifyChecksum(!format.getOpt("ignoreCrc"));
            setPreserve(format.getOpt("p"));
            setOverwrite(format.getOpt("f"));
            getLocalDestination(args);
        }
    }

    /** {@code -cp}. */
    public static final class Cp extends Copies {
        @Override
        protected void processOptions(LinkedList<String> args) throws IOException {
            takePreserveOption(args);
            CommandFormat format = parse(new CommandFormat(2, Integer.MAX_VALUE, "f", "d"), args);
            setDirectWrite(format.getOpt("d"));
            setOverwrite(format.getOpt("f"));
            getRemoteDestination(args);
        }

        /** {@code -p}, or with the letters of what to preserve: it may stand anywhere. */
        private void takePreserveOption(List<String> args) {
            for (Iterator<String> each = args.iterator(); each.hasNext(); ) {
                String arg = each.next();
                if (arg.equals("--")) {
                    return;
                }
                if (arg.startsWith("-p")) {
                    each.remove();
                    setPreserve(arg.length() == 2);
                    for (char letter : arg.substring(2).toCharArray()) {
                        preserve(FileAttribute.getAttribute(letter));
                    }
                    return;
                }
            }
        }
    }

    /** Takes the options from the arguments. */
    final CommandFormat parse(CommandFormat format, List<String> args) {
        format.addOptionWithValue("t");
        format.addOptionWithValue("q");
        format.parse(args);
        threads = number(format, "t", THREADS, 1);
        copies = new UnderWay(threads + number(format, "q", QUEUE, QUEUE), super::displayError);
        setRecursive(true);
        return format;
    }

    /** The value of an option; {@code none} without the option, {@code tooLow} for a value below 1. */
    private static int number(CommandFormat format, String option, int none, int tooLow) {
        String text = format.getOptValue(option);
        if (text == null) {
            return none;
        }
        try {
            int number = Integer.parseInt(text);
            return number < 1 ? tooLow : number;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("-" + option + " needs a number, not \"" + text + "\"", e);
        }
    }

    @Override
    protected void preserve(FileAttribute attribute) {
        super.preserve(attribute);
        isPreserving = true;
    }

    @Override
    public String getUsage() {
        return ofHadoop().getUsage();
    }

    @Override
    public String getDescription() {
        return ofHadoop()
                .getDescription()
                .replace("threads to be used, default is 1.", "threads to be used, default is " + THREADS + ".");
    }

    /** Hadoop's command of this name. */
    private Command ofHadoop() {
        CommandFactory factory = new CommandFactory(getConf());
        factory.registerCommands(FsCommand.class);
        return factory.getInstance("-" + getName());
    }

    @Override
    protected void processArguments(LinkedList<PathData> args) throws IOException {
        boolean isFileAlone = args.size() == 1
                && !(args.getFirst().exists && args.getFirst().stat.isDirectory());
        if (threads == 1 || isFileAlone) {
            super.processArguments(args);
            return;
        }
        ExecutorService own = DaemonThreads.atMost(threads, "hmfs-copy");
        pool = own;
        try {
            super.processArguments(args);
            copies.await();
        } finally {
            copies.cancel();
            own.shutdown();
            DaemonThreads.awaitEnd(own); // what has begun removes its temporary file if it fails
        }
    }

    /**
     * Files are copied beside those of the arguments before if they have targets of their own; a local disk may take two names that differ in
     * case for one. What comes after a directory may have been among its targets.
     */
    @Override
    protected void processPathArgument(PathData src) throws IOException {
        if (!names.add(src.path.getName().toLowerCase(Locale.ROOT))) {
            copies.await();
        }
        super.processPathArgument(src);
        if (src.stat.isDirectory()) {
            copies.await();
        }
    }

    /** What has such a name would be taken for the temporary file of another copy. */
    @Override
    protected void processPath(PathData src) throws IOException {
        if (src.path.getName().endsWith(TEMPORARY)) {
            copies.await();
        }
        super.processPath(src);
    }

    @Override
    protected void copyFileToTarget(PathData src, PathData target) throws IOException {
        if (pool == null || target.path.getName().endsWith(TEMPORARY)) {
            super.copyFileToTarget(src, target);
        } else {
            copies.add(
                    pool.submit(() -> {
                        super.copyFileToTarget(src, target);
                        return target;
                    }),
                    Copies::rethrow);
        }
    }

    /** In the order of the items that they are about. */
    @Override
    public void displayError(Exception e) {
        copies.await();
        super.displayError(e);
    }

    private static void rethrow(Throwable cause) throws IOException {
        if (cause instanceof IOException failure) {
            throw failure;
        }
        if (cause instanceof RuntimeException failure) {
            throw failure;
        }
        if (cause instanceof Error failure) {
            throw failure;
        }
        throw new IOException(cause);
    }

    /** The times of a directory are those of its source only if nothing comes into it afterwards. */
    @Override
    protected void preserveAttributes(PathData src, PathData target, boolean preserveRawXattrs) throws IOException {
        if (src.stat.isDirectory() && (isPreserving || preserveRawXattrs)) {
            copies.await();
        }
        super.preserveAttributes(src, target, preserveRawXattrs);
    }
}
