#define _GNU_SOURCE /* F_OFD_SETLK */
#include "hmfs.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
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

#define HUGE_PAGE ((uintptr_t)2 << 20)

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

void hmfs_prefetch(const void *at) {
    __builtin_prefetch(at);
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
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
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

int hmfs_truncate(int descriptor) {
    return ftruncate(descriptor, 0) == 0 ? 0 : errno;
}

int hmfs_reserve(int descriptor, uint64_t size) {
    int error;
    if (size > INT64_MAX) {
        return EFBIG;
    }
    do {
        error = posix_fallocate(descriptor, 0, (off_t)size);
    } while (error == EINTR);
    return error;
}

int hmfs_close(int descriptor) {
    return close(descriptor) == 0 ? 0 : errno;
}
