package io.hmfs.server.listing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.lock.VersionStripes;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: whatever changes something raises the versions of its directories, before it begins and when it has ended; whatever reads raises none.
 * Method: each method that takes a {@link Change}, or a batch of them, is called on a namespace that looks at the versions meanwhile. A method
 * that is new has to be told of here.
 */
class VersionedNamespaceTest {
    private static final long ONE = 4711;
    private static final long OTHER = 4712;

    /** Methods without a {@link Change} that change what is listed. */
    private static final Set<String> CHANGES = Set.of("link", "createAll", "deleteAll", "appendAll");

    private static final Set<String> READS = Set.of(
            "above",
            "close",
            "count",
            "findPath",
            "getXattr",
            "knownPrincipalId",
            "list",
            "listXattrs",
            "logPosition",
            "numbered",
            "orphans",
            "path",
            "poolFigures",
            "poolStatus",
            "principalId",
            "principalName",
            "principalRoom",
            "readXattrs",
            "readlink",
            "records",
            "removedFiles",
            "stat",
            "statAll",
            "statDirectory",
            "whenDurable",
            "whenDurableAnyway",
            "whenFull");

    private final DirectoryVersions versions = new DirectoryVersions();
    private int calls;
    private long @Nullable [] meanwhile;

    private final VersionedNamespace namespace = new VersionedNamespace(
            (ServerNamespace) Proxy.newProxyInstance(
                    ServerNamespace.class.getClassLoader(), new Class<?>[] {ServerNamespace.class}, (_, method, _) -> {
                        calls++;
                        meanwhile = new long[] {versions.version(ONE), versions.version(OTHER)};
                        return method.getReturnType() == Status.class ? Status.OK : null; // a change has one or nothing
                    }),
            versions,
            new Exports(0, versions, System::nanoTime));

    private static boolean isChange(Method method) {
        return Arrays.asList(method.getParameterTypes()).contains(Change.class) || CHANGES.contains(method.getName());
    }

    /** What an implementation has to have. */
    private static List<Method> methods() {
        return Arrays.stream(ServerNamespace.class.getMethods())
                .filter(method -> Modifier.isAbstract(method.getModifiers()))
                .toList();
    }

    static Stream<Method> changes() {
        return methods().stream().filter(VersionedNamespaceTest::isChange);
    }

    @Test
    void allOthersOnlyRead() {
        Set<String> others = new TreeSet<>();
        for (Method method : ServerNamespace.class.getMethods()) {
            others.add(method.getName());
        }
        changes().forEach(method -> others.remove(method.getName()));
        assertEquals(new TreeSet<>(READS), others);
    }

    /** Two directories, the first of which may be that of the target. */
    private static @Nullable Object[] arguments(Method method) {
        long[] directories = {ONE, OTHER};
        int[] next = {0};
        return Arrays.stream(method.getParameterTypes())
                .map(type -> argument(type, directories, next))
                .toArray();
    }

    private static @Nullable Object argument(Class<?> type, long[] directories, int[] next) {
        if (type == long.class) {
            return next[0] < directories.length ? directories[next[0]++] : 0L;
        } else if (type == int.class) {
            return 0;
        } else if (type == boolean.class) {
            return false;
        } else if (type == Name.class) {
            return Name.of("n");
        } else if (type == CreateBatch.class) {
            CreateBatch batch = new CreateBatch(3);
            batch.addFile(ONE, Name.of("a"), 0, 0, 0);
            batch.addFile(ONE, Name.of("b"), 0, 0, 0);
            batch.addFile(OTHER, Name.of("c"), 0, 0, 0);
            return batch;
        } else if (type == DeleteBatch.class) {
            DeleteBatch batch = new DeleteBatch(3);
            batch.add(OTHER, Name.of("a"));
            batch.add(ONE, Name.of("b"));
            batch.add(ONE, Name.of("c"));
            return batch;
        } else if (type == AppendBatch.class) {
            AppendBatch batch = new AppendBatch(2);
            batch.add(ONE, Name.of("a"), 1, 1);
            batch.add(OTHER, Name.of("b"), 1, 1);
            return batch;
        }
        return null;
    }

    @ParameterizedTest
    @MethodSource("changes")
    void aChangeShowsInTheVersionsOfItsDirectories(Method change) throws Exception {
        long one = versions.version(ONE);
        long other = versions.version(OTHER);
        change.invoke(namespace, arguments(change));
        assertEquals(1, calls);
        boolean ofTwo =
                Set.of("rename", "link", "createAll", "deleteAll", "appendAll").contains(change.getName());
        long[] seen = meanwhile;
        assertTrue(seen != null && VersionStripes.isUnderWay(seen[0]), "before it begins");
        assertEquals(
                ofTwo, seen != null && VersionStripes.isUnderWay(seen[1]), "the second directory before it begins");
        assertFalse(VersionStripes.isUnderWay(versions.version(ONE)), "when it has ended");
        assertFalse(VersionStripes.isUnderWay(versions.version(OTHER)), "when it has ended");
        assertNotEquals(one, versions.version(ONE));
        assertEquals(ofTwo, other != versions.version(OTHER));
    }
}
