package io.hmfs.client.transport.rdma.disni;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import io.hmfs.client.transport.rdma.Verbs;
import java.io.IOException;
import java.lang.reflect.Constructor;

/** What {@code VerbsLoader} makes through {@code DisniLoader}: loads the native library, and opens verbs with it. */
public final class DisniOpener implements VerbsLoader.Opener {
    private final NativeDispatcher dispatcher;

    /** Loads the library, and finds that it has DiSNI's version and our own methods. */
    public DisniOpener() throws ReflectiveOperationException {
        Constructor<NativeDispatcher> constructor = NativeDispatcher.class.getDeclaredConstructor();
        constructor.setAccessible(true); // DiSNI's package only: what DiSNI shows hides the calls that allocate nothing
        dispatcher = constructor.newInstance();
        Natives.live();
    }

    @Override
    public Verbs open() throws IOException {
        int devices = Natives.devices();
        if (devices < 0) {
            throw new IOException("its devices cannot be listed (errno " + -devices + ")");
        }
        if (devices == 0) {
            throw new IOException("no RDMA device");
        }
        return new DisniVerbs(dispatcher);
    }
}
