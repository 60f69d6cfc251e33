package io.hmfs.server.admin;

import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.QuotaInfo;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hmfs quota}. */
@Command(
        name = "quota",
        description = "Limit what may be below a directory, for superusers; or show what may be, and is.",
        footer = {
            "",
            "Names are files, symbolic links and directories, the directory itself included; space is the sum of",
            "the files' lengths. What is there already may be more: then nothing can be added.",
            "Examples:",
            "  hmfs quota set /user/alice --names 100000 --space 10T",
            "  hmfs quota clear /user/alice --space",
            "  hmfs quota show /user/alice"
        },
        subcommands = {QuotaCommand.Set.class, QuotaCommand.Clear.class, QuotaCommand.Show.class})
final class QuotaCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        throw CommandException.usage("say what to do: hmfs quota set, clear or show, and a directory");
    }

    private interface Action {
        void run(HmfsClient client) throws IOException;
    }

    private static int run(ServerView server, String path, Action action) throws IOException {
        try (HmfsClient client = server.connect()) {
            action.run(client);
            System.out.print(told(path, client.trees().quota(path)));
        } catch (HmfsException e) {
            throw server.explained(e);
        }
        return 0;
    }

    private static String told(String path, QuotaInfo quota) {
        return quota.isSet()
                ? String.format(
                        Locale.ROOT,
                        "%-8s %s%n%-8s %s%n%-8s %s%n",
                        "path",
                        path,
                        "names",
                        quota.names() + " of " + (quota.nameQuota() == QuotaInfo.NONE ? "any" : quota.nameQuota()),
                        "space",
                        Quantities.readable(quota.bytes()) + " of "
                                + (quota.spaceQuota() == QuotaInfo.NONE
                                        ? "any"
                                        : Quantities.readable(quota.spaceQuota())))
                : path + " has no quota" + System.lineSeparator();
    }

    /** {@code hmfs quota set}. */
    @Command(name = "set", description = "Set one limit or both; the other stays as it is.")
    static final class Set implements Callable<Integer> {
        @Mixin
        private ServerView server = new ServerView();

        @Parameters(paramLabel = "DIRECTORY", description = "A path in the filesystem.")
        private String path = "";

        @Option(names = "--names", paramLabel = "COUNT", description = "At least 1: the directory counts.")
        private @Nullable Long names;

        @Option(names = "--space", paramLabel = "SIZE", description = "Bytes, as 512M, 10G or 2T.")
        private @Nullable String space;

        @Override
        public Integer call() throws IOException {
            Long count = names;
            String size = space;
            if (count == null && size == null) {
                throw CommandException.usage("there is nothing to set; give --names, --space or both");
            }
            if (count != null && count < 1) {
                throw CommandException.usage(
                        "--names is " + count + "; it must be at least 1, for the directory itself");
            }
            long bytes = size == null ? QuotaInfo.KEEP : Quantities.bytes("--space", size);
            return run(
                    server,
                    path,
                    client -> client.trees().setQuota(path, count == null ? QuotaInfo.KEEP : count, bytes));
        }
    }

    /** {@code hmfs quota clear}. */
    @Command(name = "clear", description = "Take away one limit, or both if none is named.")
    static final class Clear implements Callable<Integer> {
        @Mixin
        private ServerView server = new ServerView();

        @Parameters(paramLabel = "DIRECTORY", description = "A path in the filesystem.")
        private String path = "";

        @Option(names = "--names", description = "That of names.")
        private boolean names;

        @Option(names = "--space", description = "That of space.")
        private boolean space;

        @Override
        public Integer call() throws IOException {
            return run(
                    server,
                    path,
                    client -> client.trees()
                            .setQuota(
                                    path,
                                    names || !space ? QuotaInfo.NONE : QuotaInfo.KEEP,
                                    space || !names ? QuotaInfo.NONE : QuotaInfo.KEEP));
        }
    }

    /** {@code hmfs quota show}. */
    @Command(name = "show", description = "Show the limits of a directory, and what is below it.")
    static final class Show implements Callable<Integer> {
        @Mixin
        private ServerView server = new ServerView();

        @Parameters(paramLabel = "DIRECTORY", description = "A path in the filesystem.")
        private String path = "";

        @Override
        public Integer call() throws IOException {
            return run(server, path, client -> {});
        }
    }
}
