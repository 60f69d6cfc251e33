package io.hmfs.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.hmfs.server.setting.ServerSetting;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * Goal: a command that is made alone, as {@code bin/hmfs} does, is what it is among all. Method: names and help of each, both ways.
 */
class MainTest {
    @Test
    void eachCommandAloneIsAsAmongAll() {
        Map<String, CommandLine> all = Main.commandLine().getSubcommands();
        for (Map.Entry<String, CommandLine> each : all.entrySet()) {
            String name = each.getKey();
            CommandLine alone = Main.commandLine(new String[] {name});
            assertEquals(
                    name.equals("help") ? all.keySet() : Set.of(name),
                    alone.getSubcommands().keySet());
            assertEquals(
                    each.getValue().getUsageMessage(),
                    Objects.requireNonNull(alone.getSubcommands().get(name)).getUsageMessage());
        }
    }

    @Test
    void theServerHasItsSettings() {
        CommandLine server = Objects.requireNonNull(
                Main.commandLine(new String[] {"server"}).getSubcommands().get("server"));
        for (ServerSetting<?> setting : ServerSetting.values()) {
            assertNotNull(server.getCommandSpec().findOption(setting.flag()), setting.flag());
        }
    }

    @Test
    void whatIsNoCommandIsLookedForAmongAll() {
        Set<String> all = Main.commandLine().getSubcommands().keySet();
        assertEquals(
                all, Main.commandLine(new String[] {"stauts"}).getSubcommands().keySet());
        assertEquals(
                all, Main.commandLine(new String[] {"--help"}).getSubcommands().keySet());
        assertEquals(all, Main.commandLine(new String[0]).getSubcommands().keySet());
    }
}
