// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "SharingBaseline.h"
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHECK(condition) \
    if (!(condition)) return __LINE__

struct sharing_baseline {
    int lock;
    volatile uint64_t *memory;
    uint64_t seen;
    sqlite3 *database;
    sqlite3_stmt *update;
    unsigned char *state;
    size_t state_bytes;
};

static const char schema[] =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;"
    "CREATE TABLE item (account TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;"
    "INSERT INTO item VALUES ('benchmark', x'00')";

static int prepare(sharing_baseline *it, const char *directory) {
    char path[4096];
    snprintf(path, sizeof path, "%s/lock", directory);
    CHECK((it->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600)) >= 0);
    snprintf(path, sizeof path, "%s/memory", directory);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    CHECK(file >= 0);
    CHECK(ftruncate(file, 4096) == 0);
    it->memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(it->memory != MAP_FAILED);
    close(file);
    snprintf(path, sizeof path, "%s/database", directory);
    CHECK(sqlite3_open(path, &it->database) == SQLITE_OK);
    CHECK(sqlite3_exec(it->database, schema, NULL, NULL, NULL) == SQLITE_OK);
    CHECK(sqlite3_prepare_v2(
              it->database, "UPDATE item SET value = ? WHERE account = 'benchmark'", -1, &it->update, NULL)
          == SQLITE_OK);
    return 0;
}

sharing_baseline *sharing_baseline_open(const char *directory, size_t state_bytes) {
    sharing_baseline *it = calloc(1, sizeof *it);
    it->state_bytes = state_bytes;
    it->state = calloc(1, state_bytes);
    if (prepare(it, directory) == 0) return it;
    sharing_baseline_close(it);
    return NULL;
}

void sharing_baseline_close(sharing_baseline *it) {
    sqlite3_finalize(it->update);
    sqlite3_close(it->database);
    if (it->memory && it->memory != MAP_FAILED) munmap((void *)it->memory, 4096);
    if (it->lock > 0) close(it->lock);
    free(it->state);
    free(it);
}

int sharing_baseline_read(sharing_baseline *it, long rounds) {
    for (long i = 0; i < rounds; i++) {
        CHECK(flock(it->lock, LOCK_EX) == 0);
        it->seen = *it->memory;
        CHECK(flock(it->lock, LOCK_UN) == 0);
    }
    return 0;
}

int sharing_baseline_write(sharing_baseline *it, long rounds) {
    for (long i = 0; i < rounds; i++) {
        CHECK(flock(it->lock, LOCK_EX) == 0);
        it->seen = *it->memory;
        *it->memory = it->seen + 1;
        it->state[i % it->state_bytes]++;
        CHECK(sqlite3_bind_blob(it->update, 1, it->state, (int)it->state_bytes, SQLITE_STATIC) == SQLITE_OK);
        CHECK(sqlite3_step(it->update) == SQLITE_DONE);
        CHECK(sqlite3_reset(it->update) == SQLITE_OK);
        CHECK(flock(it->lock, LOCK_UN) == 0);
    }
    return 0;
}
