package io.hmfs.server.pipeline;

import static io.hmfs.server.pipeline.BareService.FRAME_MAX;
import static io.hmfs.server.pipeline.BareService.window;

import io.hmfs.client.ResultCode;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.access.AccessConfig;
import io.hmfs.server.access.Callers;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.server.metrics.WorkerMeter;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.wire.CreateEncoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.MkdirEncoder;
import io.hmfs.wire.RenameEncoder;
import io.hmfs.wire.RmdirEncoder;
import io.hmfs.wire.SetAclEncoder;
import io.hmfs.wire.SetModeEncoder;
import io.hmfs.wire.SetOwnerEncoder;
import io.hmfs.wire.StatEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A service without a network, whose requests stand still before and after the calls of the engine that matter, if they are stepped. */
final class PathWorld implements AutoCloseable {
    static final String SUPERUSER = "root";
    private static final long POOL_SIZE = 128 << 20;
    private static final Set<String> CHANGES = Set.of("rename", "rmdir", "chmod", "chown", "changeAcl", "mkdir");

    /** Names at which a look-up stands still; the root's is empty. */
    Set<String> lookedUp = Set.of();

    private long looks;

    /** The engine itself. */
    final ServerNamespace real;

    final Service service;
    private final Callers callers;
    private final Map<String, List<String>> groups =
            new HashMap<>(Map.of("u", List.of("staff", "wheel"), "v", List.of("staff")));
    private long nanos;
    private final Meters meters = new Meters();
    private final ServerMetrics metrics;

    PathWorld(Path directory) throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(POOL_SIZE));
        real = Hmfs.openForServer(pool, OpenOptions.process());
        ServerNamespace stepped = (ServerNamespace) Proxy.newProxyInstance(
                PathWorld.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (proxy, method, arguments) -> call(method, arguments));
        metrics = new ServerMetrics(meters, stepped, "test");
        AccessConfig access = ServerConfig.builder(Path.of("p"))
                .set(ServerSetting.SUPERUSER, SUPERUSER)
                .build()
                .access();
        callers = new Callers(
                stepped, access, user -> groups.getOrDefault(user, List.of()), Runnable::run, 1, () -> nanos);
        service = BareService.service(
                stepped,
                directory.resolve("key"),
                callers,
                new Observation(meters, metrics, null, Long.MAX_VALUE),
                task -> { // it would wait for a lock: two changes of one name, or of two that share one by chance
                    SteppedWork.waitForOthers();
                    task.run();
                });
    }

    private Object call(Method method, Object[] arguments) throws Throwable {
        boolean look = method.getName().equals("stat");
        looks += look ? 1 : 0;
        if (!(look ? lookedUp.contains(arguments[1].toString()) : CHANGES.contains(method.getName()))) {
            return invoke(method, arguments);
        }
        SteppedWork.pause(look);
        Object result = invoke(method, arguments);
        SteppedWork.pause(look);
        return result;
    }

    private Object invoke(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    long tally(WorkerMeter.Tally tally) {
        return meters.tally(tally);
    }

    /** What stat answers a user that knows nothing from before: looked up in the engine itself, name by name. */
    String truth(String user, String path) {
        Attributes at = Attributes.withAcl();
        Status status = real.stat(Namespace.ROOT_PARENT_ID, new Name(), at);
        for (String component : path.substring(1).split("/", -1)) {
            if (status == Status.OK && !at.isDirectory()) {
                return "NOT_DIRECTORY";
            }
            if (status == Status.OK && !mayPass(user, at)) {
                return "ACCESS_DENIED";
            }
            status = status == Status.OK ? real.stat(at.id, Name.of(component), at) : status;
        }
        return status == Status.OK ? Long.toString(at.id) : status.name();
    }

    private boolean mayPass(String user, Attributes directory) {
        for (long entry : directory.acl) {
            if (Acl.type(entry) == Acl.USER && real.principalName(Acl.id(entry)).equals(user)) {
                return (Acl.permission(entry) & directory.mode >>> 3 & 1)
                        != 0; // the lists of these tests have no other kind
            }
        }
        boolean member = groups.getOrDefault(user, List.of()).contains(real.principalName(directory.gid));
        int shift = real.principalName(directory.uid).equals(user) ? 6 : member ? 3 : 0;
        return user.equals(SUPERUSER) || (directory.mode >>> shift & 1) != 0;
    }

    /** How often requests have looked single names up. */
    long looks() {
        return looks;
    }

    /** The user is in these groups from now on, and the service has noticed. */
    void regroup(String user, String... now) {
        groups.put(user, List.of(now));
        nanos += ServerConfig.of(Path.of("p")).access().groupExpiry().toNanos() + 1;
        callers.refresh();
    }

    Peer peer(String user) {
        return new Peer(new Pipelines(service).newPipeline(), user);
    }

    /** A user's connection. Each request is a turn. */
    final class Peer {
        private final Pipeline worker;
        private final ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        private final BareSession session = new LateSession();

        private Peer(Pipeline worker, String user) {
            this.worker = worker;
            BareService.greet(worker, user, session);
        }

        /** Another user's connection, of the same thread. */
        Peer beside(String user) {
            return new Peer(worker, user);
        }

        private String ask(int length) {
            session.replies.clear();
            worker.frame(session, frame, 0, length);
            worker.endBatch();
            WireBuffer reply = new WireBuffer().wrap(session.replies, Wire.LENGTH_SIZE, session.replies.getIntLE(0));
            MessageHeaderDecoder header = new MessageHeaderDecoder().wrap(reply, 0);
            return switch (header.templateId()) {
                case FailureDecoder.TEMPLATE_ID ->
                    ResultCode.of(new FailureDecoder()
                                    .wrapAndApplyHeader(reply, 0, header)
                                    .code())
                            .name();
                case EntryDecoder.TEMPLATE_ID ->
                    Long.toString(new EntryDecoder()
                            .wrapAndApplyHeader(reply, 0, header)
                            .inode());
                default -> "done";
            };
        }

        String stat(String path) {
            return stat(Wire.ROOT_ID, path);
        }

        String stat(long base, String path) {
            return ask(new StatEncoder()
                    .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                    .correlationId(1)
                    .baseId(base)
                    .path(path)
                    .limit());
        }

        String chmod(String path, int mode) {
            return ask(new SetModeEncoder()
                    .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                    .correlationId(1)
                    .baseId(Wire.ROOT_ID)
                    .mode(mode)
                    .path(path)
                    .limit());
        }

        String setAcl(String path, String... entries) {
            return ask(new SetAclEncoder()
                    .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                    .correlationId(1)
                    .baseId(Wire.ROOT_ID)
                    .path(path)
                    .entries(String.join("\0", entries))
                    .limit());
        }

        String chown(String path, String owner, String group) {
            return ask(new SetOwnerEncoder()
                    .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                    .correlationId(1)
                    .baseId(Wire.ROOT_ID)
                    .path(path)
                    .owner(owner)
                    .group(group)
                    .limit());
        }

        String rename(String source, String target, boolean replace) {
            RenameEncoder rename = new RenameEncoder()
                    .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                    .correlationId(1)
                    .sourceBaseId(Wire.ROOT_ID)
                    .targetBaseId(Wire.ROOT_ID);
            rename.flags().clear().replace(replace);
            return ask(rename.source(source).target(target).limit());
        }

        String rmdir(String path) {
            return ask(new RmdirEncoder()
                    .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                    .correlationId(1)
                    .baseId(Wire.ROOT_ID)
                    .path(path)
                    .limit());
        }

        String mkdir(String path, int mode, boolean parents) {
            MkdirEncoder mkdir = new MkdirEncoder()
                    .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                    .correlationId(1)
                    .baseId(Wire.ROOT_ID)
                    .mode(mode)
                    .unmaskedMode(mode);
            mkdir.flags().clear().createParents(parents);
            return ask(mkdir.path(path).limit());
        }

        String create(String path) {
            CreateEncoder create = new CreateEncoder()
                    .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                    .correlationId(1)
                    .baseId(Wire.ROOT_ID)
                    .mode(0644)
                    .parentMode(0755)
                    .unmaskedMode(0644);
            create.flags().clear();
            return ask(create.path(path).limit());
        }
    }

    @Override
    public void close() {
        metrics.close();
        real.close();
    }
}
