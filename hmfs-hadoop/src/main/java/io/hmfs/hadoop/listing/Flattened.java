package io.hmfs.hadoop.listing;

import java.io.IOException;
import java.util.NoSuchElementException;
import org.apache.hadoop.fs.RemoteIterator;
import org.jspecify.annotations.Nullable;

/** All that the elements of an iterator stand for, one element after the other. For one thread. */
public final class Flattened<S, T> implements RemoteIterator<T> {
    /** Finds what one element stands for; null for nothing. */
    @FunctionalInterface
    public interface Expansion<S, T> {
        @Nullable
        RemoteIterator<T> of(S element) throws IOException;
    }

    private final RemoteIterator<S> elements;
    private final Expansion<S, T> expansion;
    private @Nullable RemoteIterator<T> inner;

    public Flattened(RemoteIterator<S> elements, Expansion<S, T> expansion) {
        this.elements = elements;
        this.expansion = expansion;
    }

    @Override
    public boolean hasNext() throws IOException {
        while (inner == null || !inner.hasNext()) {
            if (!elements.hasNext()) {
                return false;
            }
            inner = expansion.of(elements.next());
        }
        return true;
    }

    @Override
    public T next() throws IOException {
        if (!hasNext() || inner == null) {
            throw new NoSuchElementException("No more files");
        }
        return inner.next();
    }
}
