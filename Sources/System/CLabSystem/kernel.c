// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CLabSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// `P_PIDFD` is missing from older C libraries; the kernel's value is fixed.
#define IDTYPE_PIDFD ((idtype_t)3)

static int result_of(long value) { return value < 0 ? -errno : (int)value; }

pid_t csystem_peer_pid(int socket) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    int result = getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size);
    return result < 0 ? -errno : peer.pid;
}

int csystem_pidfd_open(pid_t pid) { return result_of(syscall(SYS_pidfd_open, pid, 0)); }

int csystem_pidfd_send_signal(int pidfd, int signal) {
    return result_of(syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0));
}

int csystem_wait(int pidfd, int block, int *signaled, int *status) {
    siginfo_t info = {0};
    int outcome;
    do {
        outcome = waitid(IDTYPE_PIDFD, (id_t)pidfd, &info, WEXITED | (block ? 0 : WNOHANG));
    } while (outcome < 0 && errno == EINTR);
    if (outcome < 0) { return -errno; }
    if (info.si_pid == 0) { return 0; }
    *signaled = info.si_code != CLD_EXITED;
    *status = info.si_status;
    return 1;
}

int csystem_poll(struct pollfd *entries, size_t count, int64_t timeout_ns) {
    struct timespec timeout = {.tv_sec = timeout_ns / 1000000000, .tv_nsec = timeout_ns % 1000000000};
    return result_of(ppoll(entries, count, timeout_ns < 0 ? NULL : &timeout, NULL));
}

int csystem_eventfd(void) { return result_of(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int csystem_inotify_init(void) { return result_of(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)); }

int csystem_inotify_add(int descriptor, const char *path, uint32_t mask) {
    return result_of(inotify_add_watch(descriptor, path, mask));
}

int csystem_signalfd(const sigset_t *set) { return result_of(signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK)); }

int csystem_signalfd_read(int descriptor) {
    struct signalfd_siginfo info;
    ssize_t count;
    do {
        count = read(descriptor, &info, sizeof info);
    } while (count < 0 && errno == EINTR);
    if (count < 0) { return errno == EAGAIN ? 0 : -errno; }
    return count == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

int csystem_pipe(int ends[2]) { return result_of(pipe2(ends, O_CLOEXEC)); }

int csystem_rename_exclusive(const char *from, const char *to) {
    return result_of(renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE));
}

int csystem_gettid(void) { return (int)syscall(SYS_gettid); }

int csystem_set_thread_name(const char *name) { return -pthread_setname_np(pthread_self(), name); }

int csystem_futex_wait(uint32_t *word, uint32_t expected, int64_t deadline_ns) {
    struct timespec deadline = {.tv_sec = deadline_ns / 1000000000, .tv_nsec = deadline_ns % 1000000000};
    long outcome = syscall(
        SYS_futex, word, FUTEX_WAIT_BITSET, expected, deadline_ns < 0 ? NULL : &deadline, NULL,
        FUTEX_BITSET_MATCH_ANY);
    if (outcome < 0 && errno != EAGAIN) { return -errno; }
    return 0;
}

int csystem_futex_wake(uint32_t *word, int count) {
    return result_of(syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0));
}
