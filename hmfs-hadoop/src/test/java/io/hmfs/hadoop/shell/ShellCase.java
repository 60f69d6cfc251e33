package io.hmfs.hadoop.shell;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * One case of Hadoop's shell suites: commands, those that clean up, and what the last of the first ones is to print.
 *
 * @param number from 1, as the suite counts
 */
record ShellCase(
        int number, String description, List<Command> commands, List<Command> cleanup, List<Expectation> expected) {
    /**
     * A command line.
     *
     * @param tool the name of its element: {@code command} is FsShell
     */
    record Command(String tool, String line) {
        private static final Pattern NAME = Pattern.compile("^(?:-(?:D|fs) \\S+ )*-(\\w+)");

        /** Of FsShell, without its dash and what stands before. */
        String name() {
            Matcher name = NAME.matcher(line.strip());
            return name.find() ? name.group(1) : "";
        }
    }

    /**
     * What is expected of the output.
     *
     * @param comparator class of Hadoop's that compares
     * @param exitCode -1: any
     */
    record Expectation(String comparator, String output, int exitCode) {}

    /** Whether all its commands can be had for any filesystem; the others administer HDFS. */
    boolean isForAll() {
        return Stream.concat(commands.stream(), cleanup.stream())
                .allMatch(each -> each.tool.equals("command") || AdminCommands.knows(each));
    }

    /** The cases of a suite, in their order. */
    static List<ShellCase> read(Path suite) throws IOException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setAttribute(XMLConstants.ACCESS_EXTERNAL_DTD, "");
            factory.setAttribute(XMLConstants.ACCESS_EXTERNAL_SCHEMA, "");
            List<ShellCase> cases = new ArrayList<>();
            for (Element test :
                    children(factory.newDocumentBuilder().parse(suite.toFile()).getDocumentElement(), "test")) {
                cases.add(new ShellCase(
                        cases.size() + 1,
                        text(test, "description", "").strip().replaceAll("\\s+", " "),
                        commands(test, "test-commands"),
                        commands(test, "cleanup-commands"),
                        expectations(test)));
            }
            return cases;
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException("cannot read " + suite, e);
        }
    }

    private static List<Command> commands(Element test, String list) {
        return children(test, list).stream()
                .flatMap(each -> children(each, "*").stream())
                .map(each -> new Command(each.getTagName(), each.getTextContent()))
                .toList();
    }

    private static List<Expectation> expectations(Element test) {
        return children(test, "comparator").stream()
                .map(each -> new Expectation(
                        text(each, "type", ""),
                        text(each, "expected-output", ""),
                        Integer.parseInt(text(each, "expected-exit-code", "-1"))))
                .toList();
    }

    private static String text(Element in, String name, String otherwise) {
        List<Element> found = children(in, name);
        return found.isEmpty() ? otherwise : found.get(0).getTextContent();
    }

    private static List<Element> children(Element in, String name) {
        NodeList found = in.getElementsByTagName(name);
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < found.getLength(); i++) {
            elements.add((Element) found.item(i));
        }
        return elements;
    }

    /** This case with other texts. */
    ShellCase with(Function<String, String> change) {
        return new ShellCase(
                number,
                description,
                changed(commands, change),
                changed(cleanup, change),
                expected.stream()
                        .map(each -> new Expectation(each.comparator, change.apply(each.output), each.exitCode))
                        .toList());
    }

    private static List<Command> changed(List<Command> commands, Function<String, String> change) {
        return commands.stream()
                .map(each -> new Command(each.tool, change.apply(each.line)))
                .toList();
    }
}
