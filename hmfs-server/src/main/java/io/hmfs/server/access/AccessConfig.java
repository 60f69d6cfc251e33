package io.hmfs.server.access;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which users may do what on a server; values that cannot be are an {@code IllegalArgumentException} that names the setting.
 *
 * @param permissionsEnabled whether permissions are checked at all; if not, every user may do everything
 * @param superuser the user who may do everything
 * @param supergroup the group whose members may do everything
 * @param groupSource where the groups of users come from that {@code staticGroups} does not name
 * @param staticGroups groups of some users, {@code user=group1,group2;user2=}
 * @param groupExpiry how long a user's groups are believed before they are looked up again, over a second
 * @param proxyUsers which users may act for which others, and from where: {@link ProxyUsers}
 */
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

    public AccessConfig {
        checkName("superuser", superuser);
        checkName("supergroup", supergroup);
        parse(staticGroups);
        ProxyUsers.parse(proxyUsers);
        if (groupExpiry.toMillis() < 1_000 || groupExpiry.toMillis() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("groupExpiry is " + groupExpiry + "; it must be 1s to 24 days");
        }
    }

    private static void checkName(String setting, String name) {
        if (name.isEmpty() || name.indexOf('/') >= 0 || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(setting + " is '" + name + "'; write the name of a user or group");
        }
    }

    /** The defaults: the user that runs this process, {@code supergroup}, the system's groups for five minutes, no proxy users. */
    public static AccessConfig defaults() {
        return new AccessConfig(
                true,
                System.getProperty("user.name", "root"),
                "supergroup",
                Source.SYSTEM,
                "",
                Duration.ofMinutes(5),
                "");
    }

    public AccessConfig withPermissionsEnabled(boolean value) {
        return new AccessConfig(value, superuser, supergroup, groupSource, staticGroups, groupExpiry, proxyUsers);
    }

    public AccessConfig withSuperuser(String value) {
        return new AccessConfig(
                permissionsEnabled, value, supergroup, groupSource, staticGroups, groupExpiry, proxyUsers);
    }

    public AccessConfig withSupergroup(String value) {
        return new AccessConfig(
                permissionsEnabled, superuser, value, groupSource, staticGroups, groupExpiry, proxyUsers);
    }

    public AccessConfig withGroupSource(Source value) {
        return new AccessConfig(
                permissionsEnabled, superuser, supergroup, value, staticGroups, groupExpiry, proxyUsers);
    }

    public AccessConfig withStaticGroups(String value) {
        return new AccessConfig(permissionsEnabled, superuser, supergroup, groupSource, value, groupExpiry, proxyUsers);
    }

    public AccessConfig withGroupExpiry(Duration value) {
        return new AccessConfig(
                permissionsEnabled, superuser, supergroup, groupSource, staticGroups, value, proxyUsers);
    }

    public AccessConfig withProxyUsers(String value) {
        return new AccessConfig(
                permissionsEnabled, superuser, supergroup, groupSource, staticGroups, groupExpiry, value);
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

    private static Map<String, List<String>> parse(String text) {
        Map<String, List<String>> groups = new HashMap<>();
        for (String entry : ProxyUsers.parts(text, ";")) {
            int equals = entry.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException(
                        "staticGroups has '" + entry + "'; write user=group1,group2;user2=group3");
            }
            groups.put(entry.substring(0, equals).strip(), ProxyUsers.parts(entry.substring(equals + 1), ","));
        }
        return groups;
    }
}
