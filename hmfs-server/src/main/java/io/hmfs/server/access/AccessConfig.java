package io.hmfs.server.access;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which users may do what on a server: values of its settings. */
public record AccessConfig(
        boolean permissionsEnabled,
        String superuser,
        String supergroup,
        Source groupSource,
        String staticGroups,
        Duration groupExpiry,
        String proxyUsers) {
    /** Where groups come from. */
    public enum Source {
        /** The operating system of the server's machine. */
        SYSTEM,
        /** The setting {@code static-groups} alone. */
        STATIC
    }

    /** Where this server takes groups from. */
    public GroupSource groups() {
        Map<String, List<String>> fixed = parse(staticGroups);
        GroupSource others = groupSource == Source.SYSTEM ? new SystemGroups() : user -> List.of();
        return user -> {
            List<String> known = fixed.get(user);
            return known != null ? known : others.groupsOf(user);
        };
    }

    /** Reads the groups of users. An {@code IllegalArgumentException} lacks the subject, the name of the setting. */
    public static Map<String, List<String>> parse(String text) {
        Map<String, List<String>> groups = new HashMap<>();
        for (String entry : ProxyUsers.parts(text, ";")) {
            int equals = entry.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("has '" + entry + "'; write user=group1,group2;user2=group3");
            }
            groups.put(entry.substring(0, equals).strip(), ProxyUsers.parts(entry.substring(equals + 1), ","));
        }
        return groups;
    }
}
