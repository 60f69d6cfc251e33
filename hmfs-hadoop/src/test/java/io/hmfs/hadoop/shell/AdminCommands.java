package io.hmfs.hadoop.shell;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.SafeMode;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.util.StringUtils;
import org.apache.hadoop.util.Tool;

/**
 * Those commands of {@code hdfs dfsadmin}, which takes no other filesystem than HDFS, that have their equal in
 * Hadoop's FileSystem: they call that, and say what dfsadmin says.
 */
final class AdminCommands extends Configured implements Tool {
    private static final Set<String> QUOTAS = Set.of("-setQuota", "-clrQuota", "-setSpaceQuota", "-clrSpaceQuota");
    private static final Set<String> SAFE_MODES = Set.of("enter", "leave", "get", "forceExit");
    private static final long AS_IT_IS = Long.MAX_VALUE;
    private static final long NONE = -1;

    AdminCommands(Configuration conf) {
        super(conf);
    }

    private static List<String> words(String line) {
        List<String> words = Arrays.asList(line.strip().split("\\s+", -1));
        return words.get(0).equals("-fs") ? words.subList(2, words.size()) : words;
    }

    /** Whether it is one of them. */
    static boolean knows(ShellCase.Command command) {
        List<String> words = words(command.line());
        String name = words.get(0);
        boolean quota = QUOTAS.contains(name) && !words.contains("-storageType");
        boolean safeMode = name.equals("-safemode") && words.size() == 2 && SAFE_MODES.contains(words.get(1));
        return command.tool().equals("dfs-admin-command") && (quota || safeMode);
    }

    @Override
    public int run(String[] arguments) {
        List<String> words = words(String.join(" ", arguments));
        String name = words.get(0).substring(1);
        try {
            return name.equals("safemode") ? safeMode(words.get(1)) : quota(name, words.subList(1, words.size()));
        } catch (IOException | IllegalArgumentException e) {
            System.err.println(name + ": " + String.valueOf(e.getMessage()).split("\n", 2)[0]);
            return 1;
        }
    }

    private int safeMode(String action) throws IOException {
        SafeModeAction wanted = action.equals("forceExit")
                ? SafeModeAction.FORCE_EXIT
                : SafeModeAction.valueOf(action.toUpperCase(Locale.ROOT));
        boolean on = ((SafeMode) FileSystem.get(getConf())).setSafeMode(wanted);
        System.out.println("Safe mode is " + (on ? "ON" : "OFF"));
        return 0;
    }

    private int quota(String name, List<String> arguments) throws IOException {
        boolean sets = name.startsWith("set");
        long limit = sets ? limit(name, arguments.get(0)) : NONE;
        boolean ofSpace = name.endsWith("SpaceQuota");
        for (String each : sets ? arguments.subList(1, arguments.size()) : arguments) {
            Path path = new Path(each);
            FileSystem files = path.getFileSystem(getConf());
            FileStatus[] found = files.globStatus(path);
            List<Path> all = found == null || found.length == 0
                    ? List.of(path)
                    : Arrays.stream(found).map(FileStatus::getPath).toList();
            for (Path directory : all) {
                files.setQuota(directory, ofSpace ? AS_IT_IS : limit, ofSpace ? limit : AS_IT_IS);
            }
        }
        return 0;
    }

    private static long limit(String name, String text) {
        try {
            return name.equals("setSpaceQuota")
                    ? StringUtils.TraditionalBinaryPrefix.string2long(text)
                    : Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("\"" + text + "\" is not a valid value for a quota.", e);
        }
    }
}
