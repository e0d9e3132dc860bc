// SPDX-License-Identifier: Apache-2.0

// What the simulated device needs in C: the information dictionary of the main bundle, and the checksums of its databases.
#ifndef CSIMULATEDDEVICE_H
#define CSIMULATEDDEVICE_H

#include <stdbool.h>
#include <stdint.h>

// The main bundle

/// Sets an entry of the main bundle's information dictionary, both texts in UTF-8, which Foundation on Linux reads and does
/// not let others write. Call it before another thread reads the dictionary. Returns whether the entry is there.
bool main_bundle_set(const char *key, const char *value);

// The checksums of databases

// A file layer of SQLite (VFS) that notices a changed byte in a database and in its write-ahead log.
//
// SQLite itself has no checksum on the pages of a database, and checks those of the log only when the first process
// opens it, where a bad frame ends the log silently: the later transactions are lost. With this layer
//   - the last 8 bytes of each page of the database are a checksum of the page and its place; SQLite reserves them;
//   - each page read from the log is compared with the checksum of its frame;
//   - `page_checksum_verify_log`, called before a database is opened, compares the log with its index, which knows how
//     many frames are committed: a frame damaged anywhere, the last one included, is found, and an unfinished
//     transaction of a killed process is not taken for damage.
// A page that does not fit is SQLITE_IOERR_DATA.
//
// The formats of log and index are SQLite's own (sqlite.org/fileformat2.html and walformat.html).
// A foreign program may read and write such a database, but must not fold the log into it: it makes no checksums.

/// The name of the layer, for the parameter `vfs` of a database's URI.
extern const char *const page_checksum_vfs;

/// The bytes that a database must reserve in each page (SQLITE_FCNTL_RESERVE_BYTES).
extern const int page_checksum_reserved;

/// Makes the layer known to SQLite, once for the process. Any thread. Returns a result code of SQLite.
int page_checksum_register(void);

/// What is wrong with a log.
struct page_checksum_damage {
    const char *file;   // suffix of the damaged file: "-wal" or "-shm"
    int64_t offset;     // where in the file the damaged part begins, in bytes
    const char *part;   // what lies there, a static string
};

/// Compares the log of the database at `path` with what its processes have committed. It may be in use.
/// Returns 0 when they agree or there is no log, 1 when the log is damaged, -errno when it cannot be read.
int page_checksum_verify_log(const char *path, struct page_checksum_damage *damage);

#endif
