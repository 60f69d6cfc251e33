package io.hmfs.core.sim;

import io.hmfs.core.lock.LockOrder;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.Pmem;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Persistent memory that can lose power. What threads see is one view; what is durable is another, tracked by line as x86
 * does it: the stores to one line reach the medium in their order (an aligned 16-byte swap as one), those to different lines
 * in any order and at any time, and for certain only when the thread that wrote the line back has fenced. {@link #images}
 * gives all that a power loss could leave now.
 *
 * <p>With {@link Persistence#PROCESS} every store is durable at once, which is what the death of a process alone leaves.
 *
 * <p>A copy is one array, because tests open tens of thousands of them: what is durable is what threads see, except in the lines that
 * have a {@link LineLog}.
 *
 * <p>Safe for several threads. Loads are volatile ones, which Lincheck sees; stores are serial.
 */
public final class SimPmem extends Pmem {
    private static final int LINE_WORDS = (int) (LINE / 8);
    private static final int NONE = -1;
    private static final VarHandle WORD =
            MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

    private final Persistence persistence;
    private final long[] cache;
    private volatile long size;

    /** By line, those that have stores in flight. */
    private final TreeMap<Integer, LineLog> logs = new TreeMap<>();

    private final WriteBacks started = new WriteBacks();
    private Runnable hook = SimPmem::nothing;
    private LongConsumer loadHook = SimPmem::nothing;
    private LongConsumer changeHook = SimPmem::nothing;
    private long stores;
    private long writeBacks;
    private long fences;
    private long cas16s;

    /** First word of the pair that a 16-byte swap is storing now: no thread may see one half new and then the other half old. */
    private volatile int swapping = NONE;

    /** All reads in this memory, or in a copy by {@link #killed}. */
    @Nullable
    ReadPath reads;

    /** Zeroed memory; {@code size} is a multiple of 64. */
    public SimPmem(long size) {
        this(size, Persistence.PMEM);
    }

    public SimPmem(long size, Persistence persistence) {
        this(new long[Math.toIntExact(size / 8)], persistence);
        if (size % LINE != 0) {
            throw new IllegalArgumentException(size + " bytes are not whole lines");
        }
    }

    private SimPmem(long[] image, Persistence persistence) {
        this.persistence = persistence;
        this.cache = image;
        size = image.length * 8L;
    }

    /** Lets the memory reach to here, within what it was made with. */
    public void resize(long newSize) {
        size = newSize;
    }

    /** A look that is not noted, and stores nothing. */
    public void aside(Runnable look) {
        ReadPath noted = reads;
        reads = null;
        try {
            look.run();
        } finally {
            reads = noted;
        }
    }

    /** Calls {@code hook} before each store, cas, write-back and fence: it may take images, or throw to stop the thread there. */
    public void beforeEachEvent(@Nullable Runnable hook) {
        this.hook = hook == null ? SimPmem::nothing : () -> LockOrder.apart(hook);
    }

    /** Calls {@code hook} before each load of a word, so that a test can let other threads run there. */
    public void beforeEachLoad(@Nullable Runnable hook) {
        this.loadHook = hook == null ? SimPmem::nothing : _ -> LockOrder.apart(hook);
    }

    /** The same, with the word that is about to be loaded. */
    public void beforeEachLoadOf(@Nullable LongConsumer hook) {
        this.loadHook = apart(hook);
    }

    /** Calls {@code hook} after each store of a word that changed it. */
    public void afterEachChangeOf(@Nullable LongConsumer hook) {
        this.changeHook = apart(hook);
    }

    /** Stores, successful swaps included, of 8 or 16 bytes. */
    public synchronized long stores() {
        return stores;
    }

    public synchronized long writeBacks() {
        return writeBacks;
    }

    public synchronized long fences() {
        return fences;
    }

    /** 16-byte swaps, failed ones included. */
    public synchronized long cas16s() {
        return cas16s;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Persistence persistence() {
        return persistence;
    }

    @Override
    public long get(long at) {
        loadHook.accept(at);
        return read(word(at));
    }

    @Override
    public long getAcquire(long at) {
        return get(at);
    }

    @Override
    public void set(long at, long value) {
        int word = word(at);
        hook.run();
        synchronized (this) {
            store(word, value);
        }
    }

    @Override
    public void setRelease(long at, long value) {
        set(at, value);
    }

    @Override
    public boolean cas8(long at, long expected, long value) {
        int word = word(at);
        hook.run();
        synchronized (this) {
            noteRead(word);
            if (load(word) != expected) {
                return false;
            }
            store(word, value);
            return true;
        }
    }

    @Override
    public boolean cas16(long at, long expectedLow, long expectedHigh, long low, long high) {
        if ((at & 15) != 0) {
            throw new IllegalArgumentException("cas16 needs a multiple of 16, not " + at);
        }
        int word = word(at);
        hook.run();
        synchronized (this) {
            noteRead(word);
            noteRead(word + 1);
            cas16s++;
            if (load(word) != expectedLow || load(word + 1) != expectedHigh) {
                return false;
            }
            stores++;
            boolean changed = low != expectedLow || high != expectedHigh;
            LineLog log = changed && persistence != Persistence.PROCESS ? log(word) : null;
            swapping = word;
            put(word, low);
            put(word + 1, high);
            swapping = NONE;
            if (log != null) {
                log.addPair(word, low, high, stores);
            }
            if (low != expectedLow) {
                changeHook.accept(word * 8L);
            }
            if (high != expectedHigh) {
                changeHook.accept(word * 8L + 8);
            }
            return true;
        }
    }

    @Override
    public void copyIn(byte[] source, int offset, long at, int count) {
        Objects.checkFromIndexSize(offset, count, source.length);
        Objects.checkFromIndexSize(at, count, size());
        long end = at + count;
        for (long from = at & -8; from < end; from += 8) {
            hook.run();
            synchronized (this) {
                if (from < at || from + 8 > end) {
                    noteRead(word(from));
                }
                long value = load(word(from));
                for (long b = Math.max(from, at); b < Math.min(from + 8, end); b++) {
                    int shift = (int) (b - from) * 8;
                    long bits = Byte.toUnsignedLong(source[offset + (int) (b - at)]);
                    value = (value & ~(0xFFL << shift)) | (bits << shift);
                }
                store(word(from), value);
            }
        }
    }

    @Override
    public void copyOut(long at, byte[] target, int offset, int count) {
        Objects.checkFromIndexSize(offset, count, target.length);
        Objects.checkFromIndexSize(at, count, size());
        for (int i = 0; i < count; i++) {
            long b = at + i;
            if (i == 0 || (b & 7) == 0) {
                loadHook.accept(b & -8);
            }
            target[offset + i] = (byte) (read((int) (b >>> 3)) >>> ((b & 7) * 8));
        }
    }

    @Override
    public void zero(long at, long count) {
        if (((at | count) & 7) != 0) {
            throw new IllegalArgumentException("zero needs multiples of 8, not " + at + " and " + count);
        }
        Objects.checkFromIndexSize(at, count, size());
        for (long word = at; word < at + count; word += 8) {
            set(word, 0);
        }
    }

    @Override
    public void writeBack(long at, long count) {
        Objects.checkFromIndexSize(at, count, size());
        if (persistence == Persistence.PROCESS || count == 0) {
            return;
        }
        hook.run();
        synchronized (this) {
            for (int line = (int) (at / LINE); line <= (at + count - 1) / LINE; line++) {
                writeBacks++;
                LineLog log = logs.get(line);
                if (log != null) {
                    started.ofThisThread().put(line, stores);
                }
            }
        }
    }

    @Override
    public void fence() {
        hook.run();
        synchronized (this) {
            fences++;
            started.ofThisThread().forEach((line, last) -> {
                LineLog log = logs.get(line);
                if (log != null && log.applyUpTo(last)) {
                    logs.remove(line);
                }
            });
            started.ofThisThread().clear();
        }
    }

    /** Whether power loss now would surely keep this range as it is seen. */
    public synchronized boolean isDurable(long at, long count) {
        Objects.checkFromIndexSize(at, count, size());
        for (int word = (int) (at / 8); word <= (at + count - 1) / 8; word++) {
            LineLog log = logs.get(word / LINE_WORDS);
            if (log != null && (log.durable(word) != load(word) || log.touches(word))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Hands out the images that a power loss now could leave: each one if there are at most {@code limit}, else that many
     * chosen by {@code seed}, among them nothing kept, everything kept, and each line alone kept or lost. True: all of them.
     */
    public boolean images(int limit, long seed, Consumer<CrashImage> consumer) {
        return allImages().forEach(limit, seed, consumer);
    }

    /** Hands out the images in which one line has kept a part of its stores, and all others everything. */
    public void cuts(Consumer<CrashImage> consumer) {
        allImages().cuts(consumer);
    }

    synchronized CrashImages allImages() {
        return new CrashImages(logs, this::load);
    }

    /** The memory after a power loss that left {@code image}: all of it durable, nothing in flight. */
    public synchronized SimPmem crashed(CrashImage image) {
        long[] words = cache.clone();
        logs.forEach((line, log) -> log.copyTo(words, 0));
        for (int i = 0; i < image.lines().length; i++) {
            LineLog log = logs.get(image.lines()[i]);
            if (log == null || log.count() < image.kept()[i]) {
                throw new IllegalStateException("the memory has changed since image " + image);
            }
            log.copyTo(words, image.kept()[i]);
        }
        return new SimPmem(words, persistence);
    }

    /**
     * The process died and the machine goes on: the process that opens the memory next sees all as before, but what was not fenced is as
     * little durable as before, and no fence of the dead will ever come.
     */
    public synchronized void processDied() {
        started.clear();
        hook = SimPmem::nothing;
        loadHook = SimPmem::nothing;
    }

    /** A copy for a process that opens the memory after this one has died while the machine goes on, see {@link #processDied}. */
    public synchronized SimPmem died() {
        SimPmem copy = new SimPmem(cache.clone(), persistence);
        copy.stores = stores;
        logs.forEach((line, log) -> copy.logs.put(line, log.copy()));
        return copy;
    }

    /** A copy of what is seen now, all of it durable: as after the death of the process alone. */
    public synchronized SimPmem killed() {
        SimPmem copy = new SimPmem(cache.clone(), persistence);
        copy.reads = reads == null ? null : reads.ofCopy();
        return copy;
    }

    /** A hook stands for other threads and other engines: the locks of the operation that it interrupts are not its own. */
    private static LongConsumer apart(@Nullable LongConsumer hook) {
        return hook == null ? SimPmem::nothing : at -> LockOrder.apart(() -> hook.accept(at));
    }

    private static void nothing() {}

    private static void nothing(long word) {}

    private void noteRead(int word) {
        ReadPath path = reads;
        if (path != null) {
            path.read(word, load(word));
        }
    }

    private long read(int word) {
        noteRead(word);
        long value = load(word);
        while (swapping == (word & -2)) {
            Thread.onSpinWait();
            value = load(word);
        }
        return value;
    }

    /** A store that changes nothing leaves no image of its own, so it is not logged. */
    private void store(int word, long value) {
        stores++;
        if (reads != null) {
            reads.written(word);
        }
        if (load(word) == value) {
            return;
        }
        if (persistence != Persistence.PROCESS) {
            log(word).add(word, value, stores);
        }
        put(word, value);
        changeHook.accept(word * 8L);
    }

    private LineLog log(int word) {
        return logs.computeIfAbsent(word / LINE_WORDS, line -> new LineLog(cache, line * LINE_WORDS));
    }

    private long load(int word) {
        return (long) WORD.getVolatile(cache, word);
    }

    private void put(int word, long value) {
        WORD.setVolatile(cache, word, value);
    }

    private int word(long at) {
        if ((at & 7) != 0 || at < 0 || at >= size) {
            Objects.checkFromIndexSize(at, 8, size());
            throw new IllegalArgumentException("a word stands at a multiple of 8, not at " + at);
        }
        return (int) (at >>> 3);
    }
}
