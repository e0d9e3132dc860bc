// SPDX-License-Identifier: Apache-2.0

// What Swift cannot call or must not do by itself: starting a program between fork and exec, system
// calls without a portable wrapper, and atomic access to memory that other processes map too.
//
// Every function that may fail returns 0 (or a descriptor, or a count) on success and -errno on failure,
// so that the caller never reads `errno` after something else has changed it.

#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/types.h>

// Starting a program

struct csystem_spawn_request {
    const char *executable;          // path, not searched in PATH
    char *const *arguments;          // NULL-terminated, arguments[0] included
    char *const *environment;        // NULL-terminated
    const char *directory;           // working directory, or NULL to keep the parent's
    int standard_streams[3];         // descriptors that become 0, 1 and 2; -1 opens /dev/null, -2 inherits
    int new_process_group;           // non-zero: the child leads a process group of its own
    int new_session;                 // non-zero: the child leads a session of its own
    int death_signal;                // signal the child gets when the spawning *thread* ends; 0 for none
};

/// Starts a program. Only async-signal-safe calls run between fork and exec; the child gets default
/// signal dispositions, an empty signal mask and no descriptor above 2.
/// Returns the child's pid, or -errno of the step that failed, named by `*failed_step` (a static string).
pid_t csystem_spawn(const struct csystem_spawn_request *request, const char **failed_step);

// Processes

// The process that has made a connection of a Unix socket, by SO_PEERCRED; 0 if unknown.
pid_t csystem_peer_pid(int socket);

int csystem_pidfd_open(pid_t pid);
int csystem_pidfd_send_signal(int pidfd, int signal);

/// Waits for the child behind `pidfd`. Returns 1 when it has ended (and is reaped), 0 when it still runs and `block` is
/// zero, -errno on failure. `*signaled` states whether `*status` is a signal or an exit code.
int csystem_wait(int pidfd, int block, int *signaled, int *status);

// Events

/// `ppoll` with the time in nanoseconds; a negative one waits without end. Returns the number of ready entries.
int csystem_poll(struct pollfd *entries, size_t count, int64_t timeout_ns);

int csystem_eventfd(void);
int csystem_inotify_init(void);
int csystem_inotify_add(int descriptor, const char *path, uint32_t mask);

/// Descriptor that reports the signals of `set`; the signals must be blocked in every thread.
int csystem_signalfd(const sigset_t *set);
/// Reads one pending signal number, 0 when none is pending.
int csystem_signalfd_read(int descriptor);

// Files

/// `pipe2` with O_CLOEXEC: the reading end, then the writing end.
int csystem_pipe(int ends[2]);

/// `renameat2` with RENAME_NOREPLACE: fails with EEXIST instead of replacing `to`.
int csystem_rename_exclusive(const char *from, const char *to);

// Threads

int csystem_gettid(void);
int csystem_set_thread_name(const char *name);

// Terminals

/// The columns of the terminal at `descriptor`; 0 if it is not a terminal or does not report them.
int csystem_terminal_columns(int descriptor);
/// The columns that a character takes on a terminal, -1 for one that is not printable.
int csystem_character_columns(uint32_t character);

// Futex on memory shared between processes

/// Waits until `*word` is not `expected`, or a wake, or the absolute CLOCK_MONOTONIC time `deadline_ns`; a negative
/// deadline waits without end.
/// Returns 0 after a wake or when the value differs already, -ETIMEDOUT, -EINTR, or another -errno.
int csystem_futex_wait(uint32_t *word, uint32_t expected, int64_t deadline_ns);
/// Wakes up to `count` waiters of any process; returns how many.
int csystem_futex_wake(uint32_t *word, int count);

// Atomic access to mapped memory

static inline uint32_t csystem_load_relaxed_32(const uint32_t *word) {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}
static inline uint32_t csystem_load_acquire_32(const uint32_t *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
static inline void csystem_store_relaxed_32(uint32_t *word, uint32_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}
static inline void csystem_store_release_32(uint32_t *word, uint32_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
static inline uint32_t csystem_fetch_add_32(uint32_t *word, uint32_t value) {
    return __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL);
}
static inline void csystem_or_32(uint32_t *word, uint32_t mask) {
    __atomic_fetch_or(word, mask, __ATOMIC_ACQ_REL);
}
static inline uint32_t csystem_exchange_32(uint32_t *word, uint32_t value) {
    return __atomic_exchange_n(word, value, __ATOMIC_ACQ_REL);
}
static inline int csystem_compare_exchange_32(uint32_t *word, uint32_t expected, uint32_t desired) {
    return __atomic_compare_exchange_n(word, &expected, desired, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
static inline uint64_t csystem_load_relaxed_64(const uint64_t *word) {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}
static inline uint64_t csystem_load_acquire_64(const uint64_t *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
static inline void csystem_store_relaxed_64(uint64_t *word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}
static inline void csystem_store_release_64(uint64_t *word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
static inline void csystem_fence_acquire(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
static inline void csystem_fence_release(void) { __atomic_thread_fence(__ATOMIC_RELEASE); }

#endif
