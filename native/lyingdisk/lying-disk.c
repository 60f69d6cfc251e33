/*
 * A filesystem for tests: shows a directory of another filesystem, and does on command what disks do that fail (docs/testing.md, ADR 0223).
 *
 *   lying-disk BACKING MOUNTPOINT       prints "mounted"; goes away at the end of its input, or with it
 *
 * BACKING holds what programs see. What a power cut can take back is kept beside that, in memory: of each file the sectors and sizes that it had
 * before, until it is synced; of each directory the names that came or went, until the directory is synced. Nothing is cached by the kernel, so
 * that each read and write of a program comes here as it is.
 *
 * Commands, a line each; each is answered by a line that begins with "ok" or "error":
 *
 *   rule WHAT OPERATION PATTERN SKIP COUNT
 *                     the operation fails or lies: WHAT is a number of errno, or flip (a bit of what is read or written), short (a part of it),
 *                     lie (a sync that does nothing and says that it did). PATTERN: of the path, as of a shell, where * takes slashes too.
 *                     SKIP: so many matches go well first; COUNT: so many do not, 0: all from there on
 *   clear             no rules, room without end
 *   room BYTES        files may become longer by so many bytes in all, then ENOSPC; -1: without end
 *   dice SEED         what is drawn (which bit, how short) begins anew
 *   freeze N          N further changes are done, and no more: each then waits, the first of them done or not done
 *   state             "ok running" or "ok frozen"
 *   cut SEED          power is cut: what was not synced stays or goes, by sectors. Changes that wait fail, and so do further ones. Programs were
 *                     killed before; they end now
 *   on                power is back
 *   settle            all that is there is as good as synced
 *   stats             "ok" and counts: reads, writes, syncs, and how often a rule was followed
 */
#define _GNU_SOURCE
#define FUSE_USE_VERSION 31

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <fuse.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { SECTOR = 512, PAGE_SECTORS = 8, RULES_MAX = 64 };

enum operation { OP_OPEN, OP_CREATE, OP_READ, OP_WRITE, OP_SYNC, OP_SYNCDIR, OP_TRUNCATE, OP_ALLOCATE, OP_RENAME, OP_UNLINK, OP_LINK, OP_MKDIR, OPS };
static const char *const operations[OPS] = {
    "open", "create", "read", "write", "sync", "syncdir", "truncate", "allocate", "rename", "unlink", "link", "mkdir",
};

/* Not numbers of errno. */
enum { FLIP = -1, SHORT = -2, LIE = -3 };

struct rule {
    int what;
    enum operation operation;
    char pattern[256];
    long skip;
    long count; /* 0: without end */
};

/* What a sector or a size was before a change. Those of a file stand in the order of the changes. */
struct before {
    bool is_size;
    bool is_cut;    /* of a sector that a truncation took: goes and comes with it */
    bool is_doomed; /* its sync failed, and no later one tries again, unless the page is written again */
    off_t sector;   /* or the size before */
    off_t after;    /* the size after */
    unsigned char bytes[SECTOR];
};

/* A file of BACKING that is open or has something to take back. Its own descriptor keeps the inode's number from being used again. */
struct node {
    ino_t ino;
    uint64_t name; /* hash of the path by which it was known first: a seed does the same to it in each run */
    int fd;
    int handles;
    struct before *changes;
    size_t count;
    size_t room;
    struct node *next;
};

struct handle {
    int fd;
    struct node *node;
    char *path; /* as it was opened: the file may have another name since */
};

/* A name that came or went. `grave` is where the file went, if one did. */
struct naming {
    enum operation kind; /* OP_CREATE (or a link), OP_MKDIR, OP_UNLINK, OP_RENAME */
    char *path;
    char *from; /* of a rename */
    long grave; /* or 0 */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t thawed = PTHREAD_COND_INITIALIZER;

/* All of this is guarded by the lock. */
static int backing;
static int graves;
static struct rule rules[RULES_MAX];
static int rule_count;
static struct node *nodes;
static struct naming *namings;
static size_t naming_count;
static size_t naming_room;
static long last_grave;
static long long room = -1;
static long freeze_after = -1;
static bool frozen;
static bool is_off;
static unsigned long cuts; /* changes that wait belong to the time before one */
static long counts[OPS];
static long lies;
static uint64_t dice = 88172645463325252ULL;

static uint64_t hash(uint64_t value) {
    value ^= value >> 30;
    value *= 0xbf58476d1ce4e5b9ULL;
    value ^= value >> 27;
    value *= 0x94d049bb133111ebULL;
    return value ^ value >> 31;
}

static uint64_t throw_dice(void) {
    dice += 0x9e3779b97f4a7c15ULL;
    return hash(dice);
}

static void *grown(void *array, size_t count, size_t *room_of_it, size_t size) {
    if (count < *room_of_it) {
        return array;
    }
    *room_of_it = count == 0 ? 16 : 2 * count;
    array = realloc(array, *room_of_it * size);
    if (array == NULL) {
        abort();
    }
    return array;
}

static const char *relative(const char *path) {
    return path[1] == 0 ? "." : path + 1;
}

/* --- Rules and the freeze --------------------------------------------------------------------------------- */

/* Returns what the next such operation is to do: 0, a number of errno, FLIP, SHORT or LIE. */
static int rule_for(enum operation operation, const char *path) {
    counts[operation]++;
    for (int i = 0; i < rule_count; i++) {
        struct rule *rule = &rules[i];
        if (rule->operation != operation || rule->count < 0 || path == NULL || fnmatch(rule->pattern, path, 0) != 0) {
            continue;
        }
        if (rule->skip > 0) {
            rule->skip--;
            continue;
        }
        if (rule->count == 1) {
            rule->count = -1; /* used up */
        } else if (rule->count > 1) {
            rule->count--;
        }
        lies++;
        return rule->what;
    }
    return 0;
}

/* Waits until the power has been cut. Returns -EIO. */
static int wait_for_cut(void) {
    unsigned long before = cuts;
    while (cuts == before) {
        pthread_cond_wait(&thawed, &lock);
    }
    return -EIO;
}

/* Takes the lock. Before a change: waits if the disk is frozen. *last: this change is the last one, and is done, but never answered. */
static int begin_change(bool *last) {
    pthread_mutex_lock(&lock);
    *last = false;
    if (is_off) {
        return -EIO;
    }
    if (!frozen && freeze_after >= 0 && freeze_after-- == 0) {
        frozen = true;
        *last = throw_dice() % 2 == 0;
        if (*last) {
            return 0;
        }
    }
    return frozen ? wait_for_cut() : 0;
}

static int end_change(bool last, int result) {
    if (last) {
        result = wait_for_cut();
    }
    pthread_mutex_unlock(&lock);
    return result;
}

#define CHANGE(statement) \
    do { \
        bool is_last; \
        int outcome = begin_change(&is_last); \
        if (outcome == 0) { \
            outcome = (statement); \
        } \
        return end_change(is_last, outcome); \
    } while (0)

/* --- What a power cut can take back ------------------------------------------------------------------------- */

static uint64_t hash_of(const char *text, size_t length, uint64_t seed) {
    for (size_t i = 0; i < length; i++) {
        seed = hash(seed + (unsigned char)text[i] + 1);
    }
    return seed;
}

static struct node *node_of(int fd, const char *path) {
    struct stat status;
    if (fstat(fd, &status) != 0) {
        abort();
    }
    for (struct node *node = nodes; node != NULL; node = node->next) {
        if (node->ino == status.st_ino) {
            return node;
        }
    }
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    struct node *node = calloc(1, sizeof *node);
    if (node == NULL || (node->fd = open(self, O_RDWR)) < 0) {
        abort();
    }
    node->ino = status.st_ino;
    node->name = hash_of(path, strlen(path), 1);
    node->next = nodes;
    nodes = node;
    return node;
}

static void drop_unused(void) {
    struct node **place = &nodes;
    while (*place != NULL) {
        struct node *node = *place;
        if (node->handles == 0 && node->count == 0) {
            *place = node->next;
            close(node->fd);
            free(node->changes);
            free(node);
        } else {
            place = &node->next;
        }
    }
}

static struct before *note(struct node *node) {
    node->changes = grown(node->changes, node->count, &node->room, sizeof *node->changes);
    struct before *before = &node->changes[node->count++];
    memset(before, 0, sizeof *before);
    return before;
}

static off_t size_of(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 ? status.st_size : 0;
}

static void note_size(struct node *node, off_t before, off_t after) {
    if (before != after) {
        struct before *change = note(node);
        change->is_size = true;
        change->sector = before;
        change->after = after;
    }
}

static void note_sectors(struct node *node, off_t from, off_t end, bool is_cut) {
    for (off_t sector = from / SECTOR; sector * SECTOR < end; sector++) {
        struct before *change = note(node);
        change->sector = sector;
        change->is_cut = is_cut;
        if (pread(node->fd, change->bytes, SECTOR, sector * SECTOR) < 0) {
            abort();
        }
    }
}

/* A sync that went well. What an earlier one has lost comes to the disk only where its page was written again. */
static void synced(struct node *node) {
    size_t kept = 0;
    for (size_t i = 0; i < node->count; i++) {
        bool stays = node->changes[i].is_doomed && !node->changes[i].is_size;
        for (size_t j = i + 1; stays && j < node->count; j++) {
            const struct before *other = &node->changes[j];
            stays = other->is_doomed || other->is_size || other->sector / PAGE_SECTORS != node->changes[i].sector / PAGE_SECTORS;
        }
        if (stays) {
            node->changes[kept++] = node->changes[i];
        }
    }
    node->count = kept;
    if (kept == 0) {
        free(node->changes);
        node->changes = NULL;
        node->room = 0;
    }
}

static void doom(struct node *node) {
    for (size_t i = 0; i < node->count; i++) {
        node->changes[i].is_doomed = true;
    }
}

static void grave_name(char *name, size_t size, long number) {
    snprintf(name, size, "%ld", number);
}

/* Moves a file out of the way, so that its name can come back. Returns 0 or a negative errno. */
static int bury(const char *path, long *grave) {
    char name[32];
    grave_name(name, sizeof name, ++last_grave);
    *grave = last_grave;
    return renameat(backing, relative(path), graves, name) == 0 ? 0 : -errno;
}

static void note_name(enum operation kind, const char *path, const char *from, long grave) {
    namings = grown(namings, naming_count, &naming_room, sizeof *namings);
    namings[naming_count++] = (struct naming) {kind, strdup(path), from == NULL ? NULL : strdup(from), grave};
}

static bool is_in(const char *path, const char *directory) {
    size_t length = (size_t)(strrchr(path, '/') - path);
    return strcmp(directory, "/") == 0 ? length == 0 : strlen(directory) == length && strncmp(path, directory, length) == 0;
}

static void forget(struct naming *naming) {
    if (naming->grave != 0) {
        char name[32];
        grave_name(name, sizeof name, naming->grave);
        int fd = openat(graves, name, O_RDWR);
        if (fd >= 0) { /* nothing of a file without a name can come back */
            struct node *node = node_of(fd, naming->path);
            node->count = 0;
            close(fd);
        }
        unlinkat(graves, name, 0);
    }
    free(naming->path);
    free(naming->from);
}

/* NULL: all directories. */
static void synced_names(const char *directory) {
    size_t kept = 0;
    for (size_t i = 0; i < naming_count; i++) {
        struct naming *naming = &namings[i];
        if (directory == NULL || is_in(naming->path, directory) || (naming->from != NULL && is_in(naming->from, directory))) {
            forget(naming);
        } else {
            namings[kept++] = *naming;
        }
    }
    naming_count = kept;
}

static void remove_tree(int parent, const char *name) {
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (directory != NULL) {
        for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlinkat(fd, entry->d_name, 0) != 0) {
                remove_tree(fd, entry->d_name);
            }
        }
        closedir(directory);
    }
    unlinkat(parent, name, AT_REMOVEDIR);
}

static void take_back(const struct naming *naming) {
    char name[32];
    grave_name(name, sizeof name, naming->grave);
    switch (naming->kind) {
    case OP_MKDIR:
        remove_tree(backing, relative(naming->path));
        break;
    case OP_CREATE:
        unlinkat(backing, relative(naming->path), 0);
        break;
    case OP_RENAME:
        renameat(backing, relative(naming->path), backing, relative(naming->from));
        break;
    default:
        break;
    }
    if (naming->grave != 0) {
        renameat(graves, name, backing, relative(naming->path));
    }
}

/* Of so many steps in a row: how many stay. In three cuts of eight none does, in one all do. */
static size_t staying(uint64_t seed, uint64_t by, size_t count) {
    uint64_t drawn = hash(seed ^ by);
    switch (seed % 8 < 3 ? 0 : seed % 8 == 3 ? 1 : drawn % 3) {
    case 0: return 0;
    case 1: return count;
    default: return (size_t)(hash(drawn) % (count + 1));
    }
}

/* Of what was done in one directory a first part stays. */
static long cut_names(uint64_t seed) {
    long gone = 0;
    for (size_t i = naming_count; i-- > 0;) {
        if (i >= staying(seed, hash_of(namings[i].path, (size_t)(strrchr(namings[i].path, '/') - namings[i].path), 1), naming_count)) {
            take_back(&namings[i]);
            gone++;
            free(namings[i].path);
            free(namings[i].from);
        } else {
            forget(&namings[i]);
        }
    }
    naming_count = 0;
    return gone;
}

/*
 * Sizes are metadata: of their changes a first part stays. A truncation that does not takes with it all that came later. Of what was written before
 * that, each sector is as it was at some time since the last sync; mostly those of a page go together.
 */
static long cut_file(struct node *node, uint64_t seed) {
    size_t count = node->count;
    size_t stay = staying(seed, node->name, count);
    off_t size = size_of(node->fd);
    size_t end = count;
    for (size_t i = count; i-- > stay;) {
        struct before *change = &node->changes[i];
        if (change->is_size) {
            size = change->sector;
            if (change->after < change->sector) {
                end = i;
            }
        }
    }
    long gone = 0;
    off_t limit = LLONG_MAX; /* behind it stands nothing of before a truncation */
    for (size_t i = count; i-- > 0;) {
        struct before *change = &node->changes[i];
        if (change->is_size) {
            if (i < end && change->after < change->sector && change->after < limit) {
                limit = change->after;
            }
            continue;
        }
        bool is_back = i >= end;
        if (!is_back && !change->is_cut && change->sector * SECTOR < limit) {
            uint64_t page = hash(seed ^ hash(node->name + (uint64_t)(change->sector / PAGE_SECTORS)));
            is_back = i >= staying(seed, page % 4 > 0 ? page : hash(page + (uint64_t)change->sector), count);
            off_t rest = limit - change->sector * SECTOR;
            if (rest < SECTOR) {
                memset(change->bytes + rest, 0, (size_t)(SECTOR - rest));
            }
        }
        if (is_back) {
            if (pwrite(node->fd, change->bytes, SECTOR, change->sector * SECTOR) != SECTOR) {
                abort();
            }
            gone++;
        }
    }
    if (ftruncate(node->fd, size) != 0) {
        abort();
    }
    node->count = 0;
    return gone;
}

static void cut(uint64_t seed, long *sectors, long *names) {
    *sectors = 0;
    for (struct node *node = nodes; node != NULL; node = node->next) {
        *sectors += cut_file(node, seed);
    }
    *names = cut_names(seed);
    drop_unused();
    freeze_after = -1;
    frozen = false;
    is_off = true;
    cuts++;
    pthread_cond_broadcast(&thawed);
}

/* --- Files -------------------------------------------------------------------------------------------------- */

static struct handle *handle_of(const struct fuse_file_info *info) {
    return (struct handle *)(uintptr_t)info->fh;
}

static int keep_handle(const char *path, int fd, struct fuse_file_info *info) {
    struct handle *handle = malloc(sizeof *handle);
    if (handle == NULL) {
        abort();
    }
    handle->fd = fd;
    handle->path = strdup(path);
    handle->node = node_of(fd, path);
    handle->node->handles++;
    info->fh = (uint64_t)(uintptr_t)handle;
    info->direct_io = 1;
    return 0;
}

/* The kernel asks for a truncation of its own, so that it is seen here as one. */
static int flags_of(const struct fuse_file_info *info) {
    return (info->flags & ~(O_TRUNC | O_APPEND | O_DIRECT | O_CREAT | O_EXCL)) | O_CLOEXEC;
}

static int disk_open(const char *path, struct fuse_file_info *info) {
    pthread_mutex_lock(&lock);
    int result = rule_for(OP_OPEN, path);
    if (result == 0) {
        int fd = openat(backing, relative(path), flags_of(info));
        result = fd < 0 ? errno : -keep_handle(path, fd, info);
    }
    pthread_mutex_unlock(&lock);
    return -result;
}

static int create(const char *path, mode_t mode, struct fuse_file_info *info) {
    int error = rule_for(OP_CREATE, path);
    if (error == 0 && room == 0) {
        error = ENOSPC;
    }
    if (error != 0) {
        return -error;
    }
    int fd = openat(backing, relative(path), flags_of(info) | O_CREAT | O_EXCL, mode);
    if (fd < 0) {
        return -errno;
    }
    note_name(OP_CREATE, path, NULL, 0);
    return keep_handle(path, fd, info);
}

static int disk_create(const char *path, mode_t mode, struct fuse_file_info *info) {
    CHANGE(create(path, mode, info));
}

static int disk_release(const char *path, struct fuse_file_info *info) {
    (void)path;
    pthread_mutex_lock(&lock);
    struct handle *handle = handle_of(info);
    handle->node->handles--;
    close(handle->fd);
    free(handle->path);
    free(handle);
    drop_unused();
    pthread_mutex_unlock(&lock);
    return 0;
}

static void flip(char *bytes, size_t count) {
    if (count > 0) {
        uint64_t drawn = throw_dice();
        bytes[drawn / 8 % count] ^= (char)(1 << drawn % 8);
    }
}

static int disk_read(const char *path, char *buffer, size_t count, off_t at, struct fuse_file_info *info) {
    (void)path;
    pthread_mutex_lock(&lock);
    int what = rule_for(OP_READ, handle_of(info)->path);
    ssize_t result = -what;
    if (what <= 0) {
        result = pread(handle_of(info)->fd, buffer, what == SHORT && count > 1 ? 1 + throw_dice() % (count - 1) : count, at);
        result = result < 0 ? -errno : result;
        if (what == FLIP && result > 0) {
            flip(buffer, (size_t)result);
        }
    }
    pthread_mutex_unlock(&lock);
    return (int)result;
}

static int change_bytes(const char *buffer, size_t count, off_t at, struct fuse_file_info *info) {
    struct handle *handle = handle_of(info);
    int what = rule_for(OP_WRITE, handle->path);
    if (what > 0) {
        return -what;
    }
    if (what == SHORT && count > 1) {
        count = 1 + throw_dice() % (count - 1);
    }
    off_t before = size_of(handle->fd);
    off_t end = at + (off_t)count;
    if (room >= 0 && end > before && end - before > room) {
        end = before + room; /* what there is room for */
        if (end <= at) {
            return -ENOSPC;
        }
        count = (size_t)(end - at);
    }
    char *changed = NULL;
    if (what == FLIP) {
        changed = malloc(count);
        if (changed == NULL) {
            abort();
        }
        memcpy(changed, buffer, count);
        flip(changed, count);
        buffer = changed;
    }
    note_sectors(handle->node, at, end, false);
    ssize_t result = pwrite(handle->fd, buffer, count, at);
    result = result < 0 ? -errno : result;
    free(changed);
    off_t after = size_of(handle->fd);
    note_size(handle->node, before, after);
    if (room >= 0) {
        room -= after - before;
    }
    return (int)result;
}

static int disk_write(const char *path, const char *buffer, size_t count, off_t at, struct fuse_file_info *info) {
    (void)path;
    CHANGE(change_bytes(buffer, count, at, info));
}

static int sync_file(const struct handle *handle) {
    struct node *node = handle->node;
    int what = rule_for(OP_SYNC, handle->path);
    if (what == LIE) {
        return 0;
    }
    if (what > 0) {
        doom(node);
        return -what;
    }
    synced(node);
    return 0;
}

static int disk_sync(const char *path, int data_only, struct fuse_file_info *info) {
    (void)path;
    (void)data_only; /* the size belongs to what is needed to read the data */
    CHANGE(sync_file(handle_of(info)));
}

static int resize(const char *path, off_t size, struct fuse_file_info *info) {
    int what = rule_for(OP_TRUNCATE, info != NULL ? handle_of(info)->path : path);
    if (what > 0) {
        return -what;
    }
    int fd = info != NULL ? dup(handle_of(info)->fd) : openat(backing, relative(path), O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    struct node *node = node_of(fd, path == NULL ? "" : path);
    off_t before = size_of(fd);
    note_size(node, before, size);
    if (size < before) {
        note_sectors(node, size, before, true);
    }
    int result = ftruncate(fd, size) == 0 ? 0 : -errno;
    if (room >= 0) {
        room = room + before - size < 0 ? 0 : room + before - size;
    }
    close(fd);
    return result;
}

static int disk_truncate(const char *path, off_t size, struct fuse_file_info *info) {
    CHANGE(resize(path, size, info));
}

static int allocate(int mode, off_t at, off_t count, struct fuse_file_info *info) {
    struct handle *handle = handle_of(info);
    int what = rule_for(OP_ALLOCATE, handle->path);
    if (what > 0) {
        return -what;
    }
    if ((mode & ~FALLOC_FL_KEEP_SIZE) != 0) {
        return -EOPNOTSUPP; /* nothing that takes bytes away */
    }
    off_t before = size_of(handle->fd);
    if (room >= 0 && at + count - before > room) {
        return -ENOSPC;
    }
    int result = fallocate(handle->fd, mode, at, count) == 0 ? 0 : -errno;
    off_t after = size_of(handle->fd);
    note_size(handle->node, before, after);
    if (room >= 0) {
        room -= after - before;
    }
    return result;
}

static int disk_allocate(const char *path, int mode, off_t at, off_t count, struct fuse_file_info *info) {
    (void)path;
    CHANGE(allocate(mode, at, count, info));
}

static off_t disk_seek(const char *path, off_t at, int whence, struct fuse_file_info *info) {
    (void)path;
    off_t result = lseek(handle_of(info)->fd, at, whence);
    return result < 0 ? -errno : result;
}

/* --- Names -------------------------------------------------------------------------------------------------- */

static int unlink_name(const char *path) {
    int what = rule_for(OP_UNLINK, path);
    long grave;
    if (what > 0) {
        return -what;
    }
    int result = bury(path, &grave);
    if (result == 0) {
        note_name(OP_UNLINK, path, NULL, grave);
    }
    return result;
}

static int disk_unlink(const char *path) {
    CHANGE(unlink_name(path));
}

/* What libfuse makes of a file that is removed while it is open. */
static bool is_removed(const char *name) {
    return strncmp(name, ".fuse_hidden", strlen(".fuse_hidden")) == 0;
}

static int rename_name(const char *from, const char *to, unsigned int flags) {
    int what = is_removed(strrchr(to, '/') + 1) ? rule_for(OP_UNLINK, from) : rule_for(OP_RENAME, to);
    long grave = 0;
    if (what > 0) {
        return -what;
    }
    if (flags != 0) {
        return -EINVAL;
    }
    if (faccessat(backing, relative(from), F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
        return -errno;
    }
    if (faccessat(backing, relative(to), F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        int result = bury(to, &grave);
        if (result != 0) {
            return result;
        }
    }
    if (renameat(backing, relative(from), backing, relative(to)) != 0) {
        return -errno;
    }
    note_name(OP_RENAME, to, from, grave);
    return 0;
}

static int disk_rename(const char *from, const char *to, unsigned int flags) {
    CHANGE(rename_name(from, to, flags));
}

static int link_name(const char *from, const char *to) {
    int what = rule_for(OP_LINK, to);
    if (what > 0) {
        return -what;
    }
    if (linkat(backing, relative(from), backing, relative(to), 0) != 0) {
        return -errno;
    }
    note_name(OP_CREATE, to, NULL, 0);
    return 0;
}

static int disk_link(const char *from, const char *to) {
    CHANGE(link_name(from, to));
}

static int make_directory(const char *path, mode_t mode) {
    int what = rule_for(OP_MKDIR, path);
    if (what > 0) {
        return -what;
    }
    if (mkdirat(backing, relative(path), mode) != 0) {
        return -errno;
    }
    note_name(OP_MKDIR, path, NULL, 0);
    return 0;
}

static int disk_mkdir(const char *path, mode_t mode) {
    CHANGE(make_directory(path, mode));
}

static int remove_directory(const char *path) {
    return unlinkat(backing, relative(path), AT_REMOVEDIR) == 0 ? 0 : -errno; /* durable at once: HMFS removes none */
}

static int disk_rmdir(const char *path) {
    CHANGE(remove_directory(path));
}

static int sync_directory(const char *path) {
    int what = rule_for(OP_SYNCDIR, path);
    if (what > 0) {
        return -what;
    }
    if (what != LIE) {
        synced_names(path);
    }
    return 0;
}

static int disk_syncdir(const char *path, int data_only, struct fuse_file_info *info) {
    (void)path;
    (void)data_only;
    CHANGE(sync_directory((const char *)(uintptr_t)info->fh));
}

static int disk_opendir(const char *path, struct fuse_file_info *info) {
    info->fh = (uint64_t)(uintptr_t)strdup(path);
    return 0;
}

static int disk_releasedir(const char *path, struct fuse_file_info *info) {
    (void)path;
    free((char *)(uintptr_t)info->fh);
    return 0;
}

static int disk_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t at, struct fuse_file_info *info, enum fuse_readdir_flags flags) {
    (void)path;
    (void)at;
    (void)flags;
    int fd = openat(backing, relative((const char *)(uintptr_t)info->fh), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (directory == NULL) {
        return -errno;
    }
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (!is_removed(entry->d_name)) {
            fill(buffer, entry->d_name, NULL, 0, 0);
        }
    }
    closedir(directory);
    return 0;
}

/* --- Attributes, which no power cut changes -------------------------------------------------------------- */

static int disk_getattr(const char *path, struct stat *status, struct fuse_file_info *info) {
    int result = info != NULL ? fstat(handle_of(info)->fd, status) : fstatat(backing, relative(path), status, AT_SYMLINK_NOFOLLOW);
    return result == 0 ? 0 : -errno;
}

static int disk_chmod(const char *path, mode_t mode, struct fuse_file_info *info) {
    int result = info != NULL ? fchmod(handle_of(info)->fd, mode) : fchmodat(backing, relative(path), mode, 0);
    return result == 0 ? 0 : -errno;
}

static int disk_chown(const char *path, uid_t user, gid_t group, struct fuse_file_info *info) {
    int result = info != NULL ? fchown(handle_of(info)->fd, user, group)
                              : fchownat(backing, relative(path), user, group, AT_SYMLINK_NOFOLLOW);
    return result == 0 ? 0 : -errno;
}

static int disk_utimens(const char *path, const struct timespec times[2], struct fuse_file_info *info) {
    int result = info != NULL ? futimens(handle_of(info)->fd, times) : utimensat(backing, relative(path), times, AT_SYMLINK_NOFOLLOW);
    return result == 0 ? 0 : -errno;
}

static int disk_statfs(const char *path, struct statvfs *status) {
    (void)path;
    if (fstatvfs(backing, status) != 0) {
        return -errno;
    }
    pthread_mutex_lock(&lock);
    if (room >= 0) {
        status->f_bavail = status->f_bfree = (fsblkcnt_t)room / status->f_frsize;
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

/* --- Commands ----------------------------------------------------------------------------------------------- */

static bool add_rule(const char *line) {
    struct rule rule = {0};
    int kept = 0;
    for (int i = 0; i < rule_count; i++) {
        if (rules[i].count >= 0) { /* not used up */
            rules[kept++] = rules[i];
        }
    }
    rule_count = kept;
    char what[16];
    char operation[16];
    if (sscanf(line, "rule %15s %15s %255s %ld %ld", what, operation, rule.pattern, &rule.skip, &rule.count) != 5 || rule_count == RULES_MAX) {
        return false;
    }
    rule.what = strcmp(what, "flip") == 0 ? FLIP : strcmp(what, "short") == 0 ? SHORT : strcmp(what, "lie") == 0 ? LIE : atoi(what);
    for (int i = 0; i < OPS; i++) {
        if (strcmp(operations[i], operation) == 0) {
            rule.operation = (enum operation)i;
            rules[rule_count++] = rule;
            return rule.what != 0;
        }
    }
    return false;
}

static void settle(void) {
    for (struct node *node = nodes; node != NULL; node = node->next) {
        node->count = 0;
    }
    synced_names(NULL);
    drop_unused();
}

static void answer(const char *line) {
    long long number;
    if (strncmp(line, "rule ", 5) == 0 && add_rule(line)) {
        printf("ok\n");
    } else if (strcmp(line, "clear") == 0) {
        rule_count = 0;
        room = -1;
        printf("ok\n");
    } else if (sscanf(line, "room %lld", &number) == 1) {
        room = number;
        printf("ok\n");
    } else if (sscanf(line, "dice %lld", &number) == 1) {
        dice = (uint64_t)number;
        printf("ok\n");
    } else if (sscanf(line, "freeze %lld", &number) == 1) {
        freeze_after = (long)number;
        printf("ok\n");
    } else if (strcmp(line, "state") == 0) {
        printf("ok %s\n", frozen ? "frozen" : "running");
    } else if (sscanf(line, "cut %lld", &number) == 1) {
        long sectors;
        long names;
        cut(hash((uint64_t)number), &sectors, &names);
        printf("ok %ld sectors and %ld names went\n", sectors, names);
    } else if (strcmp(line, "on") == 0) {
        is_off = false;
        printf("ok\n");
    } else if (strcmp(line, "settle") == 0) {
        settle();
        printf("ok\n");
    } else if (strcmp(line, "stats") == 0) {
        printf("ok %ld reads %ld writes %ld syncs %ld lies\n", counts[OP_READ], counts[OP_WRITE], counts[OP_SYNC], lies);
    } else {
        printf("error: %s\n", line);
    }
    fflush(stdout);
}

static void *obey(void *mountpoint) {
    char line[512];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        pthread_mutex_lock(&lock);
        answer(line);
        pthread_mutex_unlock(&lock);
    }
    if (umount2(mountpoint, MNT_DETACH) != 0) {
        execlp("fusermount3", "fusermount3", "-u", "-z", mountpoint, (char *)NULL);
    }
    _exit(0); /* whoever waits for this disk gets an error */
}

static void *disk_init(struct fuse_conn_info *connection, struct fuse_config *config) {
    connection->want &= ~(unsigned)FUSE_CAP_ATOMIC_O_TRUNC;
    config->use_ino = 1;
    config->attr_timeout = config->entry_timeout = config->negative_timeout = 0;
    config->nullpath_ok = 1;
    printf("mounted\n");
    fflush(stdout);
    return NULL;
}

static const struct fuse_operations disk = {
    .init = disk_init,
    .open = disk_open,
    .create = disk_create,
    .release = disk_release,
    .read = disk_read,
    .write = disk_write,
    .fsync = disk_sync,
    .truncate = disk_truncate,
    .fallocate = disk_allocate,
    .lseek = disk_seek,
    .unlink = disk_unlink,
    .rename = disk_rename,
    .link = disk_link,
    .mkdir = disk_mkdir,
    .rmdir = disk_rmdir,
    .fsyncdir = disk_syncdir,
    .opendir = disk_opendir,
    .releasedir = disk_releasedir,
    .readdir = disk_readdir,
    .getattr = disk_getattr,
    .chmod = disk_chmod,
    .chown = disk_chown,
    .utimens = disk_utimens,
    .statfs = disk_statfs,
};

static int open_directory(const char *path) {
    mkdir(path, 0700);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        perror(path);
        exit(2);
    }
    return fd;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: lying-disk BACKING MOUNTPOINT\n");
        return 2;
    }
    char buried[PATH_MAX];
    snprintf(buried, sizeof buried, "%s.gone", argv[1]);
    backing = open_directory(argv[1]);
    graves = open_directory(buried);
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    umask(0);
    signal(SIGTERM, SIG_IGN); /* the end of its input is what ends it: nothing else would unmount it */
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    char *own[] = {argv[0], "-odefault_permissions,fsname=lying-disk", NULL};
    struct fuse_args arguments = FUSE_ARGS_INIT(2, own);
    struct fuse *fuse = fuse_new(&arguments, &disk, sizeof disk, NULL);
    if (fuse == NULL || fuse_mount(fuse, argv[2]) != 0) {
        return 3;
    }
    pthread_t commands;
    if (pthread_create(&commands, NULL, obey, argv[2]) != 0) {
        return 4;
    }
    fuse_loop_mt(fuse, 0);
    return 0;
}
