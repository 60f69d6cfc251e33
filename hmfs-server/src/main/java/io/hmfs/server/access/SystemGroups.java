package io.hmfs.server.access;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Groups as the operating system knows them, by {@code id -Gnz}: a process of its own, which can be given up, runs whatever the
 * machine is set up to ask (files, LDAP, sssd). Names end with a zero byte there, so that one with a space in it stays one.
 */
final class SystemGroups implements GroupSource {
    /**
     * What is asked for; others have no groups here. A number is out because {@code id 0} means the user with that number, a
     * leading hyphen because it begins an option, and all but ASCII because an argument of a process may lose it.
     */
    private static final Pattern USER = Pattern.compile("(?!\\d+$)[A-Za-z0-9_.][A-Za-z0-9_.@\\\\$-]*");

    private static final long TIMEOUT_SECONDS = 10;

    private final String[] command;

    SystemGroups() {
        this("id", "-Gnz", "--");
    }

    /** For tests: another command, to which the user's name is appended. */
    SystemGroups(String... command) {
        this.command = command.clone();
    }

    @Override
    public List<String> groupsOf(String user) throws IOException {
        if (!USER.matcher(user).matches()) {
            return List.of();
        }
        List<String> line = new ArrayList<>(List.of(command));
        line.add(user); // an argument, not a word of a shell's line: nothing in it is interpreted
        ProcessBuilder builder = new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("LC_ALL", "C");
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException(
                        command[0] + " did not tell the groups of " + user + " within " + TIMEOUT_SECONDS + " s");
            }
            // Read after its end: what a pipe holds is enough for a thousand groups, and more would be a broken
            // command.
            return names(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while asking for the groups of " + user);
        } finally {
            process.destroyForcibly();
        }
    }

    /** The exit code tells nothing: it is 1 for an unknown user, and for a known one with a group that has no name. */
    private static List<String> names(String output) {
        List<String> names = new ArrayList<>();
        for (String name : output.split("\0", -1)) {
            boolean nameless = name.chars().allMatch(Character::isDigit); // also the empty one after the last zero
            if (!nameless) {
                names.add(name);
            }
        }
        return names;
    }
}
