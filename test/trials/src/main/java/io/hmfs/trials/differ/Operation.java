package io.hmfs.trials.differ;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One call of Hadoop's API by one user. Its text form is a line, {@code USER KIND ARGUMENT…}: {@code alice fs.mkdirs /a/b 755}. In an
 * argument, blanks, control characters, quotes, {@code #} and {@code %} are written as {@code %} and two hexadecimal digits; an empty one is
 * {@code ""}.
 */
record Operation(String user, ApiCall kind, List<String> arguments) {
    private static final String EMPTY = "\"\"";
    private static final int HEX = 16;

    Operation {
        arguments = List.copyOf(arguments);
        if (arguments.size() != kind.arguments().size()) {
            throw new IllegalArgumentException(
                    kind + " takes " + kind.arguments().size() + " arguments and not " + arguments);
        }
    }

    /** An operation of its text form. */
    static Operation parse(String line) {
        List<String> words = new ArrayList<>(Arrays.asList(line.strip().split(" +", -1)));
        if (words.size() < 2) {
            throw new IllegalArgumentException("not an operation: " + line);
        }
        List<String> arguments =
                words.subList(2, words.size()).stream().map(Operation::decoded).toList();
        return new Operation(decoded(words.get(0)), ApiCall.of(words.get(1)), arguments);
    }

    /** The operations of a script: one on each line that is not empty and does not begin with {@code #}. */
    static List<Operation> parseAll(String script) {
        return script.lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(Operation::parse)
                .toList();
    }

    /** Sessions with empty lines between them. */
    static List<List<Operation>> parseSessions(String scripts) {
        return Arrays.stream(scripts.split("\n\\s*\n"))
                .map(Operation::parseAll)
                .filter(session -> !session.isEmpty())
                .toList();
    }

    /** A script of them. */
    static String script(List<Operation> operations) {
        StringBuilder script = new StringBuilder();
        operations.forEach(operation -> script.append(operation).append('\n'));
        return script.toString();
    }

    private static String encoded(String argument) {
        if (argument.isEmpty()) {
            return EMPTY;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < argument.length(); i++) {
            char c = argument.charAt(i);
            if (c <= ' ' || c == '%' || c == '"' || c == '#' || c == 0x7f) {
                text.append("%%%02x".formatted((int) c));
            } else {
                text.append(c);
            }
        }
        return text.toString();
    }

    private static String decoded(String word) {
        if (word.equals(EMPTY)) {
            return "";
        }
        StringBuilder argument = new StringBuilder();
        for (int i = 0; i < word.length(); i++) {
            if (word.charAt(i) == '%') {
                argument.append((char) Integer.parseInt(word.substring(i + 1, i + 3), HEX));
                i += 2;
            } else {
                argument.append(word.charAt(i));
            }
        }
        return argument.toString();
    }

    /** Without the user: what the table of known differences is matched with. */
    String call() {
        StringBuilder text = new StringBuilder(kind.text());
        arguments.forEach(argument -> text.append(' ').append(encoded(argument)));
        return text.toString();
    }

    @Override
    public String toString() {
        return encoded(user) + " " + call();
    }
}
