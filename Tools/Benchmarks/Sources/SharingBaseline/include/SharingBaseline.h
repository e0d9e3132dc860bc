// SPDX-License-Identifier: Apache-2.0

// The least that apps which share an activation can do for a task: a file lock, a look at shared memory, and, when the
// task changes the state, one update of a row.
#pragma once
#include <stddef.h>

typedef struct sharing_baseline sharing_baseline;

// Makes lock file, memory and database in a directory. NULL when the system refuses.
sharing_baseline *sharing_baseline_open(const char *directory, size_t state_bytes);

void sharing_baseline_close(sharing_baseline *);

// flock, one load from the memory, flock. Returns 0, or the line that failed.
int sharing_baseline_read(sharing_baseline *, long rounds);

// flock, one load and one store, one update of a row with the keychain's settings of SQLite, flock.
int sharing_baseline_write(sharing_baseline *, long rounds);
