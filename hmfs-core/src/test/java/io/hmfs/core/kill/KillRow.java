package io.hmfs.core.kill;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * One row in a JVM of its own: runs the tests that its arguments name against the classes it was started with, one after the
 * other, and ends with the first that fails. Says each test on a line of its own as it begins, so that the process that started it sees
 * one that hangs. Exit code 0: none failed.
 */
final class KillRow {
    static final String BEGINS = "begins ";
    static final String FAILS = "fails ";
    static final String PACKAGE = "io.hmfs.core.";

    /** A test as a verdict names it: class, method, and the number and text of one of its cases. */
    private static final Pattern TEST = Pattern.compile("([\\w.]+Test)(?:\\.(\\w+)(?: \\[(\\d+)].*)?)?");

    private KillRow() {}

    public static void main(String[] tests) {
        for (String test : tests) {
            for (DiscoverySelector selector : selectors(test)) {
                run(selector);
            }
        }
        Runtime.getRuntime().halt(0);
    }

    /** None if there is no such test any more. */
    static List<DiscoverySelector> selectors(String test) {
        Matcher parts = TEST.matcher(test);
        if (!parts.matches()) {
            return List.of();
        }
        try {
            Class<?> type = Class.forName(PACKAGE + parts.group(1));
            if (parts.group(2) == null) {
                return List.of(DiscoverySelectors.selectClass(type));
            }
            return Arrays.stream(type.getDeclaredMethods())
                    .filter(method -> method.getName().equals(parts.group(2)) && !method.isSynthetic())
                    .map(method -> {
                        DiscoverySelector whole = DiscoverySelectors.selectMethod(method.getDeclaringClass(), method);
                        return parts.group(3) == null
                                ? whole
                                : DiscoverySelectors.selectIteration(whole, Integer.parseInt(parts.group(3)) - 1);
                    })
                    .toList();
        } catch (ClassNotFoundException e) {
            return List.of();
        }
    }

    private static void run(DiscoverySelector selector) {
        TestExecutionListener listener = new TestExecutionListener() {
            @Override
            public void executionStarted(TestIdentifier id) {
                if (id.isTest()) {
                    say(BEGINS + name(id));
                }
            }

            @Override
            public void executionFinished(TestIdentifier id, TestExecutionResult result) {
                if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                    result.getThrowable().ifPresent(thrown -> System.out.println(thrown));
                    say(FAILS + name(id));
                    Runtime.getRuntime().halt(1);
                }
            }
        };
        LauncherFactory.create()
                .execute(LauncherExecutionRequestBuilder.request(LauncherDiscoveryRequestBuilder.request()
                                .selectors(selector)
                                .build())
                        .listeners(listener)
                        .build());
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /** "Class.method", with the number of a case and what it is called. */
    private static String name(TestIdentifier id) {
        Optional<MethodSource> method = id.getSource().map(source -> source instanceof MethodSource m ? m : null);
        if (method.isEmpty()) {
            return id.getDisplayName();
        }
        String name = method.get().getClassName().substring(PACKAGE.length()) + "."
                + method.get().getMethodName();
        UniqueId.Segment last = id.getUniqueIdObject().getLastSegment();
        if (!last.getType().equals("test-template-invocation")) {
            return name;
        }
        String number = "[" + last.getValue().substring(1) + "]";
        String text = id.getDisplayName().replaceFirst("^\\[\\d+] ", "").replaceAll("[|\\s`]+", " ");
        if (text.contains("@") || text.contains("$$")) {
            return name + " " + number; // no name of its own
        }
        return name + " " + number + " " + (text.length() > 60 ? text.substring(0, 60) + "…" : text);
    }
}
