/*
 * What HMFS needs from the machine and Java does not give: a 16-byte compare-and-swap, cache-line
 * write-back, and really reserved files. No policy and no allocation here; callers check bounds.
 */
#ifndef HMFS_H
#define HMFS_H

#include <stdint.h>

#define HMFS_LINE 64

/* What hmfs_write_back executes, chosen once by CPUID. */
enum hmfs_instruction { HMFS_CLFLUSH = 0, HMFS_CLFLUSHOPT = 1, HMFS_CLWB = 2 };

/* Compares and swaps the 16 aligned bytes at `at`, sequentially consistent: 1 if they were swapped, else 0. */
int hmfs_cas16(void *at, uint64_t expected_low, uint64_t expected_high, uint64_t low, uint64_t high);

/* Starts the write-back of each line that [at, at + count) touches; hmfs_fence waits for it. */
void hmfs_write_back(const void *at, uint64_t count);

/* Asks for the lines of [at, at + count), `at` the first byte of one, ahead of their use: waits for nothing, and does not fault whatever the address. */
void hmfs_prefetch(const void *at, uint64_t count);

/* Returns when the write-backs that this thread started, and its stores, are ordered before what follows. */
void hmfs_fence(void);

/* Which enum hmfs_instruction hmfs_write_back uses on this processor. */
int hmfs_write_back_instruction(void);

/* Asks for huge pages behind [at, at + count), page-aligned, from now on: 0 or an errno. Changes no content. */
int hmfs_prefer_huge_pages(void *at, uint64_t count);

/*
 * Makes the pages of [at, at + count) present and writable, changing no content: 0 or an errno. What the kernel can make huge
 * pages of becomes huge pages, if it will.
 */
int hmfs_populate(void *at, uint64_t count);

/* Opens a file and locks it against every other opener, in this process too: a descriptor, or -errno (EAGAIN: locked). */
int hmfs_lock(const char *path);

/* Cuts the file to `size` bytes: 0 or an errno. */
int hmfs_truncate(int descriptor, uint64_t size);

/* Makes the file `size` bytes long, unless it is longer, by zeros of really reserved space; what it has is not touched: 0 or an errno. */
int hmfs_reserve(int descriptor, uint64_t size);

/*
 * Bytes of the file that have no space: of a copy with holes, those. 0 if it has space for all, or more than it is long, -errno. What the filesystem keeps for
 * itself counts as space of the file, so some holes of a few pages are not noticed.
 */
int64_t hmfs_holes(int descriptor);

/* Reads of this open file go past the page cache from now on, if its filesystem can: 0 or an errno. */
int hmfs_bypass_cache(int descriptor);

/*
 * Reads into memory: bytes that were read, 0 behind the end of the file, -errno. Past the cache, memory, count and place are multiples of the device's
 * block; where they are not, or a read fails for anything else, it is done again through the cache, and so are later ones.
 */
int64_t hmfs_read(int descriptor, void *to, uint64_t count, uint64_t from);

/* Gives the holes of the file space, changing no content: 0 or an errno (EOPNOTSUPP: the filesystem reserves nothing). */
int hmfs_fill_holes(int descriptor);

/* Makes what the file holds, and its size, durable: 0 or an errno. */
int hmfs_sync(int descriptor);

/*
 * Maps `size` bytes of the file at a multiple of `align`, which is at least a huge page and a power of two: the address, or -errno.
 * May be more than the file has: what is behind its end is not to be touched until it is reserved. A device takes multiples of its
 * own alignment only (else EINVAL). With `dax` only where stores need no kernel to be durable (else EOPNOTSUPP).
 */
int64_t hmfs_map(int descriptor, uint64_t size, uint64_t align, int dax);

/* Takes a mapping away: 0 or an errno. */
int hmfs_unmap(void *at, uint64_t size);

/*
 * Where the first byte that was written (or, with `hole`, the first that was not) stands at or behind `at`: its offset, -ENXIO where
 * there is none up to the end, or another -errno. A filesystem that does not keep such records says that all was written.
 */
int64_t hmfs_seek(int descriptor, uint64_t at, int hole);

/*
 * Where the filesystem keeps the first part of the file that ends behind `at` and has a place on the device: extent[0] is its offset in
 * the file, extent[1] that on the device, extent[2] its bytes. 0, ENXIO where there is none up to the end, EOPNOTSUPP where the
 * filesystem does not tell, or another errno.
 */
int hmfs_extent(int descriptor, uint64_t at, uint64_t extent[3]);

/* Closes a descriptor of hmfs_lock, which unlocks the file: 0 or an errno. */
int hmfs_close(int descriptor);

#endif
