/*
 * Goal: the machine does what hmfs.h says.
 * Method: includes hmfs.c, so that every write-back instruction that this processor has is run, not only the chosen one.
 */
#define WINDOW ((uint64_t)4 << 20) /* so that a small file has several */
#include "hmfs.c"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define THREADS 4
#define ROUNDS 5000000 /* long enough that a swap without its lock is found in most runs */

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                    \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static _Alignas(64) uint64_t pair[2];

static void cas16_swaps_both_halves_or_none(void) {
    pair[0] = 1, pair[1] = 2;
    CHECK(hmfs_cas16(pair, 1, 3, 10, 20) == 0);
    CHECK(hmfs_cas16(pair, 3, 2, 10, 20) == 0);
    CHECK(pair[0] == 1 && pair[1] == 2);
    CHECK(hmfs_cas16(pair, 1, 2, 10, 20) == 1);
    CHECK(pair[0] == 10 && pair[1] == 20);
}

static void *count_up(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t low, high;
        do {
            low = __atomic_load_n(&pair[0], __ATOMIC_ACQUIRE);
            high = __atomic_load_n(&pair[1], __ATOMIC_ACQUIRE);
        } while (!hmfs_cas16(pair, low, high, low + 1, high + 2));
    }
    return unused;
}

static void cas16_loses_no_update_of_several_threads(void) {
    pthread_t threads[THREADS];
    pair[0] = pair[1] = 0;
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, count_up, NULL) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    CHECK(pair[0] == (uint64_t)THREADS * ROUNDS && pair[1] == 2 * pair[0]);
}

static void every_instruction_leaves_the_content(void) {
    static _Alignas(64) unsigned char lines[5 * HMFS_LINE];
    for (int with = HMFS_CLFLUSH; with <= (int)instruction; with++) {
        memset(lines, 40 + with, sizeof lines);
        write_back_with((enum hmfs_instruction)with, lines + 63, 130);
        hmfs_fence();
        for (size_t i = 0; i < sizeof lines; i++) {
            CHECK(lines[i] == 40 + with);
        }
    }
    hmfs_write_back(lines + sizeof lines, 0); /* an empty range behind the end touches nothing */
    CHECK(hmfs_write_back_instruction() == (int)instruction);
}

static void a_prefetch_of_any_address_does_nothing(void) {
    hmfs_prefetch(pair, sizeof pair);
    hmfs_prefetch(NULL, 3 * HMFS_LINE);
    hmfs_prefetch((const void *)UINTPTR_MAX, 3 * HMFS_LINE);
    hmfs_prefetch((const void *)((uintptr_t)1 << 63), 1);
}

/* Leaves free memory behind that is not zero. */
static void soil(uint64_t size) {
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(map != MAP_FAILED);
    (void)hmfs_prefer_huge_pages(map, size);
    memset(map, 0xd0, size);
    CHECK(munmap(map, size) == 0);
}

static void a_reserved_file_has_its_blocks_and_can_be_populated(const char *path, int descriptor) {
    uint64_t size = (11 << 20) + 12288; /* so that huge pages lie within, and something is left at the end */
    soil(8 * size);
    CHECK(hmfs_reserve(descriptor, size) == 0);
    struct stat status;
    CHECK(stat(path, &status) == 0);
    CHECK((uint64_t)status.st_size == size);
    CHECK((uint64_t)status.st_blocks * 512 >= size);
    unsigned char *read_only = mmap(NULL, size, PROT_READ, MAP_SHARED, descriptor, 0);
    CHECK(read_only != MAP_FAILED);
    for (uint64_t i = 0; i < size; i++) {
        CHECK(read_only[i] == 0);
    }
    CHECK(munmap(read_only, size) == 0);

    unsigned char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    CHECK(map != MAP_FAILED);
    (void)hmfs_prefer_huge_pages(map, size);
    CHECK(hmfs_prefer_huge_pages(map + 1, 4096) == EINVAL);
    map[70000] = 7;
    CHECK(hmfs_populate(map + 5000, size - 5000) == 0);
    CHECK(hmfs_populate(map, size) == 0);
    touch((uintptr_t)map, (uintptr_t)map + size, 4096);
    for (uint64_t i = 0; i < size; i++) {
        CHECK(map[i] == (i == 70000 ? 7 : 0));
    }
    CHECK(ftruncate(descriptor, 4096) == 0);
    CHECK(hmfs_populate(map + 8192, 4096) == EFAULT);
    CHECK(munmap(map, size) == 0);
    CHECK(hmfs_truncate(descriptor, 0) == 0);
    CHECK(stat(path, &status) == 0 && status.st_size == 0);
}

static void a_file_grows_within_its_mapping(int descriptor) {
    uint64_t size = 5 << 20, more = 11 << 20, room = 64 << 20;
    CHECK(hmfs_reserve(descriptor, size) == 0);
    int64_t address = hmfs_map(descriptor, room, HUGE_PAGE, 0);
    CHECK(address > 0 && (uintptr_t)address % HUGE_PAGE == 0);
    unsigned char *map = (unsigned char *)address;
    map[size - 1] = 7;
    CHECK(hmfs_populate(map + size, 4096) == EFAULT); /* not reserved yet */
    soil(8 * more);
    CHECK(hmfs_reserve(descriptor, more) == 0);
    CHECK(hmfs_populate(map, more) == 0);
    struct stat status;
    CHECK(fstat(descriptor, &status) == 0);
    CHECK(status.st_size == (off_t)more && status.st_blocks * 512 >= (off_t)more);
    for (uint64_t i = 0; i < more; i++) {
        CHECK(map[i] == (i == size - 1 ? 7 : 0));
    }
    CHECK(hmfs_sync(descriptor) == 0);
    CHECK(hmfs_truncate(descriptor, size) == 0);
    CHECK(hmfs_populate(map + size, 4096) == EFAULT);
    CHECK(hmfs_unmap(map, room) == 0);
    CHECK(hmfs_truncate(descriptor, 0) == 0);
}

static void what_was_written_is_told_from_what_was_not(int descriptor) {
    uint64_t size = 8 << 20, at = 3 << 20;
    CHECK(hmfs_reserve(descriptor, size) == 0);
    CHECK(pwrite(descriptor, "x", 1, (off_t)at) == 1);
    int64_t data = hmfs_seek(descriptor, 0, 0);
    CHECK(data >= 0 && data <= (int64_t)at);
    int64_t hole = hmfs_seek(descriptor, at, 1);
    CHECK(hole > (int64_t)at && hole <= (int64_t)size);
    int64_t next = hmfs_seek(descriptor, at + 1, 0);
    CHECK(next == (int64_t)at + 1);
    CHECK(hmfs_seek(descriptor, size, 0) == -ENXIO);
    CHECK(hmfs_truncate(descriptor, 0) == 0);
}

static void holes_are_counted_and_filled(int descriptor) {
    off_t size = 8 << 20, at = 3 << 20;
    CHECK(ftruncate(descriptor, size) == 0);
    CHECK(pwrite(descriptor, "x", 1, at) == 1);
    CHECK(hmfs_holes(descriptor) > size / 2 && hmfs_holes(descriptor) < size);
    CHECK(hmfs_fill_holes(descriptor) == 0);
    CHECK(hmfs_holes(descriptor) == 0);
    struct stat status;
    CHECK(fstat(descriptor, &status) == 0);
    CHECK(status.st_size == size && status.st_blocks * 512 >= size);
    char kept = 0, filled = 1;
    CHECK(pread(descriptor, &kept, 1, at) == 1 && kept == 'x');
    CHECK(pread(descriptor, &filled, 1, size - 1) == 1 && filled == 0);
    CHECK(hmfs_truncate(descriptor, 0) == 0);
}

/* Device DAX with pages of 1 GiB is mapped at a multiple of that, or not at all. */
static void a_mapping_begins_where_it_was_asked_to(int descriptor) {
    uint64_t size = 4 << 20, align = 1 << 30;
    CHECK(hmfs_reserve(descriptor, size) == 0);
    int64_t address = hmfs_map(descriptor, size, align, 0);
    CHECK(address > 0 && (uint64_t)address % align == 0);
    *(unsigned char *)address = 7;
    unsigned char first;
    CHECK(pread(descriptor, &first, 1, 0) == 1 && first == 7);
    CHECK(hmfs_unmap((void *)address, size) == 0);
    CHECK(hmfs_truncate(descriptor, 0) == 0);
}

/* The kernel says of an open file whether it is DAX, and then, and only then, it is mapped so. */
static void dax_is_mapped_where_it_is_and_refused_elsewhere(int descriptor) {
    struct statx file;
    CHECK(hmfs_reserve(descriptor, 1 << 20) == 0);
    CHECK(statx(descriptor, "", AT_EMPTY_PATH, STATX_TYPE, &file) == 0);
    int64_t address = hmfs_map(descriptor, 1 << 20, HUGE_PAGE, 1);
    if (file.stx_attributes & STATX_ATTR_DAX) {
        CHECK(address > 0 && hmfs_unmap((void *)address, 1 << 20) == 0);
    } else {
        CHECK(address == -EOPNOTSUPP);
    }
    CHECK(hmfs_truncate(descriptor, 0) == 0);
}

/* Each byte that was reserved has one place on the device, and a hole has none. */
static void the_places_of_a_file_are_told(int descriptor) {
    uint64_t size = 6 << 20, hole = 3 << 20, extent[3];
    CHECK(hmfs_reserve(descriptor, size) == 0);
    int error = hmfs_extent(descriptor, 0, extent);
    if (error == EOPNOTSUPP) {
        CHECK(hmfs_truncate(descriptor, 0) == 0);
        return;
    }
    uint64_t at = 0, before = UINT64_MAX;
    while (at < size) {
        CHECK(hmfs_extent(descriptor, at, extent) == 0);
        CHECK(extent[0] <= at && extent[0] + extent[2] > at && extent[1] != before);
        before = extent[1];
        at = extent[0] + extent[2];
    }
    CHECK(hmfs_extent(descriptor, at, extent) == ENXIO);
    CHECK(hmfs_truncate(descriptor, 0) == 0);
    CHECK(hmfs_truncate(descriptor, size) == 0); /* longer, without space */
    CHECK(pwrite(descriptor, "x", 1, (off_t)hole) == 1);
    CHECK(hmfs_extent(descriptor, 0, extent) == 0);
    CHECK(extent[0] == hole && extent[2] > 0 && extent[2] < size);
    CHECK(hmfs_extent(descriptor, extent[0] + extent[2], extent) == ENXIO);
    CHECK(hmfs_truncate(descriptor, 0) == 0);
}

/* Past the cache where the filesystem can, and then with a place, a count or memory that is in the middle of a block. */
static void a_file_is_read_past_the_cache(int descriptor) {
    static unsigned char page[2 * 4096] __attribute__((aligned(4096)));
    static unsigned char block[4096];
    for (int i = 0; i < 4096; i++) {
        block[i] = (unsigned char)(i * 7);
    }
    CHECK(pwrite(descriptor, block, 4096, 0) == 4096 && pwrite(descriptor, block, 100, 4096) == 100);
    int error = hmfs_bypass_cache(descriptor);
    CHECK(error == 0 || error == EINVAL);
    CHECK(hmfs_read(descriptor, page, 2 * 4096, 0) == 4096 + 100);
    CHECK(memcmp(page, block, 4096) == 0 && memcmp(page + 4096, block, 100) == 0);
    CHECK(hmfs_read(descriptor, page, 4096, 2 * 4096) == 0);
    CHECK(hmfs_read(descriptor, page + 1, 9, 3) == 9 && memcmp(page + 1, block + 3, 9) == 0);
    CHECK(hmfs_read(descriptor, page, 4096, 0) == 4096 && memcmp(page, block, 4096) == 0);
    CHECK(hmfs_truncate(descriptor, 0) == 0);
}

static void a_locked_file_is_refused_here_and_in_another_process(const char *path) {
    CHECK(hmfs_lock(path) == -EAGAIN);
    int other = open(path, O_RDONLY);
    CHECK(other >= 0 && close(other) == 0); /* would drop a lock of the process */
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        _exit(hmfs_lock(path) == -EAGAIN ? 0 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void errors_are_errnos(int descriptor) {
    CHECK(hmfs_lock("/no/such/directory/file") == -ENOENT);
    CHECK(hmfs_lock("/") == -EISDIR);
    CHECK(hmfs_reserve(descriptor, UINT64_MAX) == EFBIG);
    int too_large = hmfs_reserve(descriptor, INT64_MAX);
    CHECK(too_large == EFBIG || too_large == ENOSPC); /* the latter is what tmpfs says */
    CHECK(hmfs_truncate(-1, 0) == EBADF);
    CHECK(hmfs_sync(-1) == EBADF);
    CHECK(hmfs_bypass_cache(-1) == EBADF);
    CHECK(hmfs_read(-1, NULL, 1, 0) == -EBADF);
    CHECK(hmfs_holes(-1) == -EBADF);
    CHECK(hmfs_fill_holes(-1) == EBADF);
    CHECK(hmfs_map(-1, 4096, HUGE_PAGE, 0) == -EBADF);
    CHECK(hmfs_unmap((void *)1, 4096) == EINVAL);
    CHECK(hmfs_seek(-1, 0, 0) == -EBADF);
    CHECK(hmfs_seek(descriptor, UINT64_MAX, 0) == -EINVAL);
    uint64_t extent[3];
    CHECK(hmfs_extent(-1, 0, extent) == EBADF);
    CHECK(hmfs_close(-1) == EBADF);
}

static void check_files(char *path) {
    int made = mkstemp(path);
    CHECK(made >= 0 && close(made) == 0);
    int descriptor = hmfs_lock(path);
    CHECK(descriptor >= 0);
    a_reserved_file_has_its_blocks_and_can_be_populated(path, descriptor);
    a_file_grows_within_its_mapping(descriptor);
    what_was_written_is_told_from_what_was_not(descriptor);
    holes_are_counted_and_filled(descriptor);
    a_mapping_begins_where_it_was_asked_to(descriptor);
    dax_is_mapped_where_it_is_and_refused_elsewhere(descriptor);
    the_places_of_a_file_are_told(descriptor);
    a_file_is_read_past_the_cache(descriptor);
    a_locked_file_is_refused_here_and_in_another_process(path);
    errors_are_errnos(descriptor);
    CHECK(hmfs_close(descriptor) == 0);
    descriptor = hmfs_lock(path);
    CHECK(descriptor >= 0 && hmfs_close(descriptor) == 0);
    CHECK(unlink(path) == 0);
}

int main(void) {
    cas16_swaps_both_halves_or_none();
    cas16_loses_no_update_of_several_threads();
    every_instruction_leaves_the_content();
    a_prefetch_of_any_address_does_nothing();

    check_files((char[]){"hmfs-native-test-XXXXXX"});
    if (access("/dev/shm", W_OK) == 0) {
        check_files((char[]){"/dev/shm/hmfs-native-test-XXXXXX"});
    }

    static const char *const names[] = {"CLFLUSH", "CLFLUSHOPT", "CLWB"};
    printf("native test passed; write-back by %s\n", names[hmfs_write_back_instruction()]);
    return 0;
}
