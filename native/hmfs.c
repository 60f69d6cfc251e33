#define _GNU_SOURCE /* F_OFD_SETLK */
#include "hmfs.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#if !defined(__x86_64__) || !defined(__linux__)
#error "hmfs.c knows x86-64 Linux only"
#endif

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; older headers do not name it */
#endif

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif

#define TMPFS 0x01021994

#define HUGE_PAGE ((uintptr_t)2 << 20)

#ifndef WINDOW
#define WINDOW ((uint64_t)1 << 30) /* what is mapped at a time while space is reserved */
#endif

#define REFUSALS_MAX 8 /* huge pages in a row that the kernel has none for: memory is in pieces, and each try costs */

static enum hmfs_instruction instruction;

__attribute__((constructor)) static void choose_instruction(void) {
    unsigned int a, b = 0, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        b = 0;
    }
    /* CLWB keeps the line in the cache; CLFLUSHOPT evicts it; CLFLUSH also waits for the one before. */
    instruction = b & (1u << 24) ? HMFS_CLWB : b & (1u << 23) ? HMFS_CLFLUSHOPT : HMFS_CLFLUSH;
}

int hmfs_cas16(void *at, uint64_t expected_low, uint64_t expected_high, uint64_t low, uint64_t high) {
    unsigned char swapped;
    __asm__ __volatile__("lock cmpxchg16b %1\n\tsete %0"
                         : "=q"(swapped), "+m"(*(unsigned __int128 *)at), "+a"(expected_low), "+d"(expected_high)
                         : "b"(low), "c"(high)
                         : "cc", "memory");
    return swapped;
}

static void write_back_with(enum hmfs_instruction with, const void *at, uint64_t count) {
    if (count == 0) {
        return;
    }
    uintptr_t line = (uintptr_t)at & ~(uintptr_t)(HMFS_LINE - 1);
    uintptr_t end = (uintptr_t)at + count;
    /* In assembly, so that the library compiles for the baseline processor and needs no flag. */
    switch (with) {
    case HMFS_CLWB:
        for (; line < end; line += HMFS_LINE) {
            __asm__ __volatile__("clwb %0" : "+m"(*(volatile char *)line)::"memory");
        }
        break;
    case HMFS_CLFLUSHOPT:
        for (; line < end; line += HMFS_LINE) {
            __asm__ __volatile__("clflushopt %0" : "+m"(*(volatile char *)line)::"memory");
        }
        break;
    case HMFS_CLFLUSH:
        for (; line < end; line += HMFS_LINE) {
            __asm__ __volatile__("clflush %0" : "+m"(*(volatile char *)line)::"memory");
        }
        break;
    }
}

void hmfs_write_back(const void *at, uint64_t count) {
    write_back_with(instruction, at, count);
}

void hmfs_prefetch(const void *at, uint64_t count) {
    for (uint64_t offset = 0; offset < count; offset += HMFS_LINE) {
        __builtin_prefetch((const void *)((uintptr_t)at + offset));
    }
}

void hmfs_fence(void) {
    __asm__ __volatile__("sfence" ::: "memory");
}

int hmfs_write_back_instruction(void) {
    return instruction;
}

/* An atomic add of 0 needs the page writable, and a store that another thread makes meanwhile is not lost. */
static void touch(uintptr_t page, uintptr_t end, uintptr_t page_size) {
    for (; page < end; page += page_size) {
        __atomic_fetch_add((unsigned char *)page, 0, __ATOMIC_RELAXED);
    }
}

int hmfs_prefer_huge_pages(void *at, uint64_t count) {
    return madvise(at, count, MADV_HUGEPAGE) == 0 ? 0 : errno;
}

/*
 * The huge pages that lie wholly within, whatever the mount says of new pages; a kernel that cannot leaves all as it is. Only of
 * pages that are present: of a page that is reserved and was never touched, Linux 6.18 maps what was in the memory before, not zeros.
 */
static void collapse(uintptr_t at, uintptr_t end) {
    uintptr_t first = (at + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    uintptr_t last = end & ~(HUGE_PAGE - 1);
    if (first < last) {
        (void)madvise((void *)first, last - first, MADV_COLLAPSE);
    }
}

int hmfs_populate(void *at, uint64_t count) {
    if (count == 0) {
        return 0;
    }
    uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t page = (uintptr_t)at & ~(page_size - 1);
    uintptr_t end = (uintptr_t)at + count;
    int result;
    do {
        result = madvise((void *)page, end - page, MADV_POPULATE_WRITE);
    } while (result != 0 && (errno == EINTR || errno == EAGAIN));
    if (result == 0) {
        collapse((uintptr_t)at, end);
        return 0;
    }
    if (errno != EINVAL) {
        return errno; /* such as EFAULT behind the end of the file: touching it would kill the process */
    }
    touch(page, end, page_size);
    return 0;
}

int hmfs_lock(const char *path) {
    int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) {
        return -errno;
    }
    /* A lock of the open file, not of the process: this process closing the file elsewhere does not drop it. */
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(descriptor, F_OFD_SETLK, &whole) != 0) {
        int error = errno == EACCES ? EAGAIN : errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

int hmfs_truncate(int descriptor, uint64_t size) {
    return ftruncate(descriptor, (off_t)size) == 0 ? 0 : errno;
}

int hmfs_sync(int descriptor) {
    return fsync(descriptor) == 0 ? 0 : errno;
}

/* A mapping of a part of a file, or of what the file has yet to grow to, at a multiple of `align`; or NULL. */
static unsigned char *map_aligned(int descriptor, uint64_t from, uint64_t count, uint64_t align, int flags) {
    uint64_t room = count + align;
    unsigned char *place = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) {
        return NULL;
    }
    unsigned char *first = (unsigned char *)(((uintptr_t)place + align - 1) & ~(uintptr_t)(align - 1));
    void *map = mmap(first, count, PROT_READ | PROT_WRITE, flags | MAP_FIXED, descriptor, (off_t)from);
    int error = errno;
    (void)munmap(place, (size_t)(first - place));
    (void)munmap(first + count, room - count - (size_t)(first - place));
    if (map == MAP_FAILED) {
        (void)munmap(first, count);
        errno = error;
        return NULL;
    }
    return map;
}

int64_t hmfs_map(int descriptor, uint64_t size, uint64_t align, int dax) {
    void *map = map_aligned(descriptor, 0, size, align, dax ? MAP_SHARED_VALIDATE | MAP_SYNC : MAP_SHARED);
    return map == NULL ? -errno : (int64_t)map;
}

int hmfs_unmap(void *at, uint64_t size) {
    return munmap(at, size) == 0 ? 0 : errno;
}

/*
 * Huge pages for those parts of a tmpfs file, from `begin` on, that it can have them for: nothing was there before. One small page is made present, the collapse makes it a
 * huge one and clears the rest: no page is copied, and none was reserved before it was cleared (see collapse). Stops at the first
 * part that has no room, and where the kernel cannot.
 */
static void reserve_huge_pages(int descriptor, uint64_t begin, uint64_t size) {
    int refusals = 0;
    for (uint64_t from = (begin + HUGE_PAGE - 1) & ~(uint64_t)(HUGE_PAGE - 1); from + HUGE_PAGE <= size; from += WINDOW) {
        uint64_t rest = (size - from) & ~(uint64_t)(HUGE_PAGE - 1);
        uint64_t count = rest < WINDOW ? rest : WINDOW;
        unsigned char *map = map_aligned(descriptor, from, count, HUGE_PAGE, MAP_SHARED);
        if (map == NULL) {
            return;
        }
        int going = 1;
        for (uint64_t at = 0; going && at < count; at += HUGE_PAGE) {
            if (madvise(map + at, 1, MADV_POPULATE_WRITE) != 0) {
                going = 0;
            } else if (madvise(map + at, HUGE_PAGE, MADV_COLLAPSE) == 0) {
                refusals = 0;
            } else {
                going = errno != EINVAL && ++refusals < REFUSALS_MAX;
            }
        }
        (void)munmap(map, count);
        if (!going) {
            return;
        }
    }
}

/* Whether a tmpfs has room for `count` bytes more. */
static int is_tmpfs_with_room(int descriptor, uint64_t count) {
    struct statfs fs;
    return fstatfs(descriptor, &fs) == 0 && fs.f_type == TMPFS && count / (uint64_t)fs.f_bsize <= fs.f_bavail;
}

int hmfs_reserve(int descriptor, uint64_t size) {
    int error;
    struct stat file;
    if (size > INT64_MAX) {
        return EFBIG;
    }
    if (fstat(descriptor, &file) != 0) {
        return errno;
    }
    uint64_t begin = (uint64_t)file.st_size;
    if (begin >= size) {
        return 0;
    }
    if (is_tmpfs_with_room(descriptor, size - begin)) {
        if (ftruncate(descriptor, (off_t)size) != 0) {
            return errno;
        }
        reserve_huge_pages(descriptor, begin, size);
    }
    do { /* from the old end on: without fallocate, glibc writes back what it has read, over stores through a mapping */
        error = posix_fallocate(descriptor, (off_t)begin, (off_t)(size - begin));
    } while (error == EINTR);
    return error;
}

static int set_direct(int descriptor, int direct) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 || fcntl(descriptor, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT) != 0 ? errno : 0;
}

int hmfs_bypass_cache(int descriptor) {
    return set_direct(descriptor, 1);
}

static int64_t read_from(int descriptor, void *to, uint64_t count, uint64_t from) {
    ssize_t result;
    do {
        result = pread(descriptor, to, count, (off_t)from);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

int64_t hmfs_read(int descriptor, void *to, uint64_t count, uint64_t from) {
    int64_t result = read_from(descriptor, to, count, from);
    return result < 0 && set_direct(descriptor, 0) == 0 ? read_from(descriptor, to, count, from) : result;
}

int64_t hmfs_holes(int descriptor) {
    struct stat file;
    if (fstat(descriptor, &file) != 0) {
        return -errno;
    }
    int64_t space = (int64_t)file.st_blocks * 512;
    return space < file.st_size ? file.st_size - space : 0;
}

int hmfs_fill_holes(int descriptor) {
    struct stat file;
    int result;
    if (fstat(descriptor, &file) != 0) {
        return errno;
    }
    do { /* not posix_fallocate: see hmfs_reserve */
        result = fallocate(descriptor, 0, 0, file.st_size);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

int64_t hmfs_seek(int descriptor, uint64_t at, int hole) {
    if (at > INT64_MAX) {
        return -EINVAL;
    }
    off_t found = lseek(descriptor, (off_t)at, hole ? SEEK_HOLE : SEEK_DATA);
    return found < 0 ? -errno : (int64_t)found;
}

int hmfs_extent(int descriptor, uint64_t at, uint64_t extent[3]) {
    union {
        struct fiemap map;
        unsigned char room[sizeof(struct fiemap) + sizeof(struct fiemap_extent)];
    } asked = {.map = {.fm_start = at, .fm_length = FIEMAP_MAX_OFFSET - at, .fm_flags = FIEMAP_FLAG_SYNC, .fm_extent_count = 1}};
    if (ioctl(descriptor, FS_IOC_FIEMAP, &asked.map) != 0) {
        return errno == ENOTTY || errno == EBADR ? EOPNOTSUPP : errno;
    }
    if (asked.map.fm_mapped_extents == 0) {
        return ENXIO;
    }
    const struct fiemap_extent *found = asked.map.fm_extents;
    if (found->fe_flags & (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_NOT_ALIGNED)) {
        return EOPNOTSUPP;
    }
    extent[0] = found->fe_logical;
    extent[1] = found->fe_physical;
    extent[2] = found->fe_length;
    return 0;
}

int hmfs_close(int descriptor) {
    return close(descriptor) == 0 ? 0 : errno;
}
