package io.hmfs.server.admin;

import io.hmfs.server.setting.ServerSetting;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hmfs server}. Its flags are the {@link ServerSetting}s. */
@Command(
        name = "server",
        description = "Serve a pool until SIGTERM or Ctrl-C.",
        sortOptions = false,
        modelTransformer = ServerCommand.Flags.class,
        footer = {
            "",
            "A flag wins over its variable (--data-store: HMFS_DATA_STORE), that over the file, that over",
            "the default. HMFS_JAVA_OPTS goes to the Java runtime (heap: -Xmx512m unless it says more).",
            "",
            "Examples:",
            "  hmfs server --pool /data/hmfs.pool",
            "  hmfs server --pool /dev/shm/hmfs.pool --log-directory /data/hmfs.log --host 0.0.0.0",
            "  hmfs server --config /etc/hmfs/server.properties --print-config"
        })
final class ServerCommand implements Callable<Integer> {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            defaultValue = "${env:HMFS_CONFIG}",
            description = "Properties file with the keys below, written without the dashes (default: HMFS_CONFIG).")
    private @Nullable Path config;

    @Option(names = "--print-config", description = "Show the effective settings and where each came from, and end.")
    private boolean printConfig;

    @Spec
    private @Nullable CommandSpec spec;

    /** Adds one flag per setting. */
    static final class Flags implements picocli.CommandLine.IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec spec) {
            for (ServerSetting<?> setting : ServerSetting.values()) {
                spec.addOption(OptionSpec.builder(setting.flag())
                        .paramLabel(setting.label())
                        .type(String.class)
                        .description(setting.help().replace("%", "%%"))
                        .build());
            }
            return spec;
        }
    }

    @Override
    public Integer call() throws Exception {
        ServerSettings settings = ServerSettings.resolve(flags(), System.getenv(), config);
        if (printConfig) {
            System.out.print(settings.table());
            return 0;
        }
        return ServerRun.run(settings.config());
    }

    private Map<ServerSetting<?>, String> flags() {
        Map<ServerSetting<?>, String> flags = new HashMap<>();
        if (spec == null) {
            return flags;
        }
        for (ServerSetting<?> setting : ServerSetting.values()) {
            String value = spec.findOption(setting.flag()).getValue();
            if (value != null) {
                flags.put(setting, value);
            }
        }
        return flags;
    }
}
