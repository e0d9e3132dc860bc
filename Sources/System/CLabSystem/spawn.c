// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CLabSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// What the child reports to its parent through a close-on-exec pipe if it fails to start the new program.
struct failure {
    int error;
    int step;
};

enum step { STEP_FORK, STEP_STREAMS, STEP_DIRECTORY, STEP_SESSION, STEP_DEATH_SIGNAL, STEP_PARENT, STEP_EXEC };

static const char *const step_names[] = {
    "fork", "dup2", "chdir", "setsid", "prctl(PR_SET_PDEATHSIG)", "getppid", "execve",
};

__attribute__((noreturn)) static void give_up(int channel, enum step step) {
    struct failure failure = {.error = errno, .step = step};
    ssize_t written = write(channel, &failure, sizeof failure);
    (void)written;
    _exit(127);
}

// Puts the requested descriptors at 0, 1 and 2. The sources are first moved above 2, so that no dup2
// overwrites a source that is still needed; the copies are close-on-exec, the three streams are not.
static int place_streams(const int streams[3]) {
    int sources[3];
    for (int target = 0; target < 3; target++) {
        if (streams[target] == -2) {
            sources[target] = -2;
        } else if (streams[target] == -1) {
            int null = open("/dev/null", (target == 0 ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
            if (null < 0) { return -1; }
            sources[target] = fcntl(null, F_DUPFD_CLOEXEC, 3);
        } else {
            sources[target] = fcntl(streams[target], F_DUPFD_CLOEXEC, 3);
        }
        if (sources[target] == -1) { return -1; }
    }
    for (int target = 0; target < 3; target++) {
        if (sources[target] >= 0 && dup2(sources[target], target) < 0) { return -1; }
    }
    return 0;
}

// Runs in the child, which may share the parent's memory (vfork): it changes kernel state only.
__attribute__((noreturn)) static void become(const struct csystem_spawn_request *request, pid_t parent, int channel) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) {
        sigaction(number, &standard, NULL);  // fails for SIGKILL and SIGSTOP, which cannot be changed anyway
    }
    if (request->new_session) {
        if (setsid() < 0) { give_up(channel, STEP_SESSION); }
    } else if (request->new_process_group) {
        if (setpgid(0, 0) < 0) { give_up(channel, STEP_SESSION); }
    }
    if (request->death_signal != 0) {
        if (prctl(PR_SET_PDEATHSIG, request->death_signal) < 0) { give_up(channel, STEP_DEATH_SIGNAL); }
        // The parent may have ended before the call above; then the signal would never be sent.
        if (getppid() != parent) {
            errno = ESRCH;
            give_up(channel, STEP_PARENT);
        }
    }
    if (place_streams(request->standard_streams) < 0) { give_up(channel, STEP_STREAMS); }
    if (request->directory != NULL && chdir(request->directory) < 0) { give_up(channel, STEP_DIRECTORY); }
    // A library may have opened a descriptor without O_CLOEXEC; an old kernel without the call is harmless.
    syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(request->executable, request->arguments, request->environment);
    give_up(channel, STEP_EXEC);
}

pid_t csystem_spawn(const struct csystem_spawn_request *request, const char **failed_step) {
    int channel[2];
    *failed_step = "pipe2";
    if (pipe2(channel, O_CLOEXEC) < 0) { return -errno; }
    // A descriptor of the channel at 0..2 would be overwritten by the child's streams.
    for (int end = 0; end < 2; end++) {
        if (channel[end] > 2) { continue; }
        int moved = fcntl(channel[end], F_DUPFD_CLOEXEC, 3);
        int error = errno;
        close(channel[end]);
        if (moved < 0) {
            close(channel[1 - end]);
            return -error;
        }
        channel[end] = moved;
    }

    // No handler of the parent may run in the child while both share memory.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t parent = getpid();
    pid_t child = vfork();
    if (child == 0) { become(request, parent, channel[1]); }
    int fork_error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);

    close(channel[1]);
    if (child < 0) {
        close(channel[0]);
        *failed_step = step_names[STEP_FORK];
        return -fork_error;
    }
    struct failure failure;
    ssize_t count;
    do {
        count = read(channel[0], &failure, sizeof failure);
    } while (count < 0 && errno == EINTR);
    close(channel[0]);
    if (count != (ssize_t)sizeof failure) { return child; }

    siginfo_t ignored;
    while (waitid(P_PID, (id_t)child, &ignored, WEXITED) < 0 && errno == EINTR) {}
    *failed_step = step_names[failure.step];
    return -failure.error;
}
