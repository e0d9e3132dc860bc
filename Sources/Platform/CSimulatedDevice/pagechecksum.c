// SPDX-License-Identifier: Apache-2.0

#include "CSimulatedDevice.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const page_checksum_vfs = "lab-checksum";
const int page_checksum_reserved = 8;

enum { SMALLEST_PAGE = 512, LARGEST_PAGE = 65536, LOG_HEADER = 32, FRAME_HEADER = 24 };

static uint32_t native(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, 4);
    return value;
}

static uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/// The checksum of SQLite's log, over a multiple of 8 bytes, continued from `sum`. Both orders of bytes occur in the
/// format; the one of this machine is the one that SQLite writes on it.
static void add_to_sum(uint32_t sum[2], const uint8_t *bytes, size_t count) {
    for (size_t at = 0; at < count; at += 8) {
        sum[0] += native(bytes + at) + sum[1];
        sum[1] += native(bytes + at + 4) + sum[0];
    }
}

// MARK: Files

enum kind { OTHER, DATABASE, LOG };

/// The file of SQLite's own layer follows in memory.
struct checked_file {
    sqlite3_file base;
    enum kind kind;
    uint8_t *page;  // room for a page that is written, LARGEST_PAGE bytes; only for a database
};

static sqlite3_file *below(sqlite3_file *file) { return (sqlite3_file *)((struct checked_file *)file + 1); }

static int is_page(int count, sqlite3_int64 offset) {
    return count >= SMALLEST_PAGE && count <= LARGEST_PAGE && (count & (count - 1)) == 0 && offset % count == 0;
}

static void seal(const uint8_t *page, int count, sqlite3_int64 offset, uint8_t out[8]) {
    // The place is part of the sum: a page is not taken for another one.
    uint32_t sum[2] = {(uint32_t)(offset / count) + 1, (uint32_t)count};
    add_to_sum(sum, page, (size_t)count - 8);
    memcpy(out, sum, 8);
}

static int refuse(const char *what, sqlite3_int64 offset) {
    sqlite3_log(SQLITE_IOERR_DATA, "%s at offset %lld does not match its checksum", what, offset);
    return SQLITE_IOERR_DATA;
}

static int read_page_of_database(sqlite3_file *file, uint8_t *page, int count, sqlite3_int64 offset, int code) {
    if (code == SQLITE_IOERR_SHORT_READ) {
        // SQLite reads missing bytes as zeros. Only a database that is still empty has a missing page.
        sqlite3_int64 size = 0;
        int result = below(file)->pMethods->xFileSize(below(file), &size);
        if (result != SQLITE_OK) return result;
        return size == 0 ? code : refuse("database: missing end of a page", offset);
    }
    uint8_t expected[8];
    seal(page, count, offset, expected);
    return memcmp(expected, page + count - 8, 8) == 0 ? SQLITE_OK : refuse("database: page", offset);
}

/// Frame headers carry the sum over the whole log so far, so that a frame can be judged with the one before it.
static int read_page_of_log(sqlite3_file *file, const uint8_t *page, int count, sqlite3_int64 offset) {
    sqlite3_int64 start = offset - FRAME_HEADER;
    if (start < LOG_HEADER || (start - LOG_HEADER) % (count + FRAME_HEADER) != 0) return SQLITE_OK;
    uint8_t header[FRAME_HEADER], before[8];
    sqlite3_int64 previous = start == LOG_HEADER ? LOG_HEADER - 8 : start - count - 8;
    int code = below(file)->pMethods->xRead(below(file), header, FRAME_HEADER, start);
    if (code == SQLITE_OK) code = below(file)->pMethods->xRead(below(file), before, 8, previous);
    if (code != SQLITE_OK) return code;
    uint32_t sum[2] = {big_endian(before), big_endian(before + 4)};
    add_to_sum(sum, header, 8);
    add_to_sum(sum, page, (size_t)count);
    return sum[0] == big_endian(header + 16) && sum[1] == big_endian(header + 20) ? SQLITE_OK
                                                                                  : refuse("log: frame", start);
}

static int checked_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    struct checked_file *self = (struct checked_file *)file;
    int code = below(file)->pMethods->xRead(below(file), buffer, count, offset);
    if (self->kind == DATABASE && (code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ) && is_page(count, offset))
        return read_page_of_database(file, buffer, count, offset, code);
    if (self->kind == LOG && code == SQLITE_OK && is_page(count, 0))
        return read_page_of_log(file, buffer, count, offset);
    return code;
}

static int checked_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    struct checked_file *self = (struct checked_file *)file;
    if (self->kind == DATABASE && is_page(count, offset)) {
        memcpy(self->page, buffer, (size_t)count);
        seal(self->page, count, offset, self->page + count - 8);
        buffer = self->page;
    }
    return below(file)->pMethods->xWrite(below(file), buffer, count, offset);
}

static int checked_close(sqlite3_file *file) {
    free(((struct checked_file *)file)->page);
    return below(file)->pMethods->xClose(below(file));
}

// The rest is the business of the layer below.
#define PASS(call, ...) return below(file)->pMethods->call(below(file), ##__VA_ARGS__)
static int checked_truncate(sqlite3_file *file, sqlite3_int64 size) { PASS(xTruncate, size); }
static int checked_sync(sqlite3_file *file, int flags) { PASS(xSync, flags); }
static int checked_size(sqlite3_file *file, sqlite3_int64 *size) { PASS(xFileSize, size); }
static int checked_lock(sqlite3_file *file, int lock) { PASS(xLock, lock); }
static int checked_unlock(sqlite3_file *file, int lock) { PASS(xUnlock, lock); }
static int checked_reserved(sqlite3_file *file, int *out) { PASS(xCheckReservedLock, out); }
static int checked_control(sqlite3_file *file, int op, void *argument) { PASS(xFileControl, op, argument); }
static int checked_sector(sqlite3_file *file) { PASS(xSectorSize); }
static int checked_device(sqlite3_file *file) { PASS(xDeviceCharacteristics); }
static int checked_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
    PASS(xShmMap, page, size, extend, out);
}
static int checked_map_lock(sqlite3_file *file, int offset, int n, int flags) { PASS(xShmLock, offset, n, flags); }
static void checked_barrier(sqlite3_file *file) { below(file)->pMethods->xShmBarrier(below(file)); }
static int checked_unmap(sqlite3_file *file, int remove) { PASS(xShmUnmap, remove); }

// Version 2: without the calls of memory-mapped pages, which would go past the checks.
static const sqlite3_io_methods methods = {
    2, checked_close, checked_read, checked_write, checked_truncate, checked_sync, checked_size, checked_lock,
    checked_unlock, checked_reserved, checked_control, checked_sector, checked_device, checked_map, checked_map_lock,
    checked_barrier, checked_unmap, NULL, NULL,
};

// MARK: The layer

static sqlite3_vfs layer;
static int registered = SQLITE_ERROR;

static int checked_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
    struct checked_file *self = (struct checked_file *)file;
    sqlite3_vfs *unix_layer = vfs->pAppData;
    memset(self, 0, sizeof *self);
    self->kind = flags & SQLITE_OPEN_MAIN_DB ? DATABASE : flags & SQLITE_OPEN_WAL ? LOG : OTHER;
    if (self->kind == DATABASE && !(self->page = malloc(LARGEST_PAGE))) return SQLITE_NOMEM;
    int code = unix_layer->xOpen(unix_layer, name, below(file), flags, out);
    if (code == SQLITE_OK) {
        self->base.pMethods = &methods;
    } else {
        // Without methods SQLite does not close the file.
        free(self->page);
    }
    return code;
}

static void register_once(void) {
    // The calls of the system's layer take its own object only for its name; a copy with another size and `xOpen` serves.
    sqlite3_vfs *unix_layer = sqlite3_vfs_find(NULL);
    if (!unix_layer) return;
    layer = *unix_layer;
    layer.pNext = NULL;
    layer.zName = page_checksum_vfs;
    layer.szOsFile = (int)sizeof(struct checked_file) + unix_layer->szOsFile;
    layer.pAppData = unix_layer;
    layer.xOpen = checked_open;
    registered = sqlite3_vfs_register(&layer, 0);
}

int page_checksum_register(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_once);
    return registered;
}

// MARK: The log and its index

/// The part of the index that states what is committed (WalIndexHdr in SQLite's documents).
struct index_header {
    uint32_t version, unused, change;
    uint8_t is_initialised, is_big_endian;
    uint16_t page_size;
    uint32_t frames, pages, frame_sum[2], salt[2], sum[2];
};
_Static_assert(sizeof(struct index_header) == 48, "the layout of SQLite");

static int is_valid(const struct index_header *header) {
    uint32_t sum[2] = {0, 0};
    add_to_sum(sum, (const uint8_t *)header, 40);
    return header->is_initialised && memcmp(sum, header->sum, 8) == 0;
}

/// Reads the index. It has its header twice, and a process that dies while it writes one leaves the other intact.
/// Returns 1 with a header, 0 when no process has made one yet, -1 when both are damaged, -errno.
static int read_index(int descriptor, struct index_header *out) {
    struct index_header both[2];
    memset(both, 0, sizeof both);
    ssize_t count = pread(descriptor, both, sizeof both, 0);
    if (count < 0) return -errno;
    for (int copy = 0; copy < 2; copy++) {
        if (!is_valid(&both[copy])) continue;
        *out = both[copy];
        return 1;
    }
    static const struct index_header empty[2];
    // A process that died while it rebuilt the index has left it empty; an earlier process made the log.
    return count < (ssize_t)sizeof both || memcmp(both, empty, sizeof both) == 0 ? 0 : -1;
}

static int found(struct page_checksum_damage *damage, const char *file, int64_t offset, const char *part) {
    *damage = (struct page_checksum_damage){file, offset, part};
    return 1;
}

/// Compares the committed frames of a log with the index.
static int walk(int log, const struct index_header *index, struct page_checksum_damage *damage) {
    uint8_t header[LOG_HEADER];
    if (pread(log, header, LOG_HEADER, 0) != LOG_HEADER) return found(damage, "-wal", 0, "missing header");
    uint32_t sum[2] = {0, 0};
    add_to_sum(sum, header, 24);
    uint32_t size = big_endian(header + 8);
    if ((big_endian(header) & ~1u) != 0x377f0682 || !is_page((int)size, 0) || sum[0] != big_endian(header + 24)
        || sum[1] != big_endian(header + 28) || memcmp(index->salt, header + 16, 8) != 0)
        return found(damage, "-wal", 0, "header");

    int64_t stride = (int64_t)size + FRAME_HEADER;
    uint8_t *frame = malloc((size_t)stride);
    if (!frame) return -ENOMEM;
    int result = 0;
    for (int64_t number = 0; result == 0 && number < index->frames; number++) {
        int64_t offset = LOG_HEADER + number * stride;
        if (pread(log, frame, (size_t)stride, offset) != stride) {
            result = found(damage, "-wal", offset, "missing frame");
            break;
        }
        add_to_sum(sum, frame, 8);
        add_to_sum(sum, frame + FRAME_HEADER, size);
        if (memcmp(frame + 8, index->salt, 8) != 0 || sum[0] != big_endian(frame + 16)
            || sum[1] != big_endian(frame + 20))
            result = found(damage, "-wal", offset, "frame");
    }
    if (result == 0 && memcmp(sum, index->frame_sum, 8) != 0)
        result = found(damage, "-wal", LOG_HEADER, "sum of all frames");
    free(frame);
    return result;
}

static int open_beside(const char *path, const char *suffix) {
    char name[4096];
    if (snprintf(name, sizeof name, "%s%s", path, suffix) >= (int)sizeof name) return -ENAMETOOLONG;
    int descriptor = open(name, O_RDONLY | O_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}

static int verify(int log, int index, struct page_checksum_damage *damage) {
    while (1) {
        struct index_header header, again;
        memset(&header, 0, sizeof header);
        memset(&again, 0, sizeof again);
        int known = read_index(index, &header), result = known;
        if (known == 1) result = header.frames == 0 ? 0 : walk(log, &header, damage);
        if (known == -1) result = found(damage, "-shm", 0, "header");
        if (result != 1) return result;
        // A process that writes meanwhile may have restarted the log: only a persistent mismatch is damage.
        if (read_index(index, &again) == known && memcmp(&header, &again, sizeof header) == 0) return 1;
    }
}

int page_checksum_verify_log(const char *path, struct page_checksum_damage *damage) {
    int log = open_beside(path, "-wal"), index = open_beside(path, "-shm"), result;
    if (log == -ENOENT || index == -ENOENT) {
        // Nothing is committed, or only the log shows it.
        result = 0;
    } else if (log < 0 || index < 0) {
        result = log < 0 ? log : index;
    } else {
        result = verify(log, index, damage);
    }
    if (index >= 0) close(index);
    if (log >= 0) close(log);
    return result;
}
