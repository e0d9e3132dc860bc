// SPDX-License-Identifier: Apache-2.0

// Declares to Thread Sanitizer that code before the resumption of a continuation happens before code after its await.
//
// Swift's runtime declares this when the task has been waiting: the resumption releases the task, and the thread
// that runs it again acquires it. When the continuation was resumed before the task came to wait, `swift_continuation_await`
// continues at once and acquires nothing, so that the sanitizer reports a race on the result. A task whose continuation
// another thread resumes at once is enough to see it, some hundred times. This library lets the function continue
// through one of its own, which acquires the task.
//
// `withCheckedContinuation` is in the library of the function and calls it without looking for its name, so that another
// function of that name would not be asked. The first instructions of the function itself are replaced by a jump instead.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Absent in programs that are not sanitized, such as the `swift` that starts the tests.
void __tsan_acquire(void *address) __attribute__((weak));

#define ASYNC __attribute__((swiftasynccall))

// The begin of what Swift calls ContinuationAsyncContext.
typedef struct context context;
typedef ASYNC void continuation_function(__attribute__((swift_async_context)) context *self);
struct context {
    context *parent;
    continuation_function *resume;
    uintptr_t flags;
};
enum { SWITCHES_EXECUTOR = 2 };

typedef ASYNC void await_function(context *self);
static await_function *original_await;
static void *(*current_task)(void) __attribute__((swiftcall));

// The continuation of the await on this thread: if it need not wait, it continues at once and on this thread.
static _Thread_local continuation_function *next;

static ASYNC void go_on(__attribute__((swift_async_context)) context *self) {
    self->resume = next;
    __tsan_acquire(current_task());
    __attribute__((musttail)) return self->resume(self);
}

// A task that has to wait has stored its continuation function, and does not look here. One that must continue on
// another executor is put into its queue, which the sanitizer sees.
static ASYNC void observed_await(context *self) {
    if (!(self->flags & SWITCHES_EXECUTOR)) {
        next = self->resume;
        self->resume = go_on;
    }
    __attribute__((musttail)) return original_await(self);
}

#ifdef __x86_64__
// push %rbp; mov %rsp,%rbp; push %r15; push %r12; push %rbx; sub $0x38,%rsp; mov %rdi,%r14: they can stand anywhere.
static const uint8_t begin[] = {0x55, 0x48, 0x89, 0xE5, 0x41, 0x57, 0x41, 0x54, 0x53, 0x48, 0x83, 0xEC, 0x38, 0x49, 0x89, 0xFE};
enum { JUMP = 14 };

static void write_jump(uint8_t *code, const void *target) {
    // jmp *0(%rip), and behind it the address.
    memcpy(code, (uint8_t[]){0xFF, 0x25, 0, 0, 0, 0}, 6);
    memcpy(code + 6, &target, sizeof target);
}

// Moves the first instructions of a function elsewhere and lets it begin with a jump to another function.
// Returns what does the same as the function did; null when the function begins in another way.
static void *redirect(uint8_t *function, const void *target) {
    _Static_assert(sizeof begin >= JUMP, "a jump must fit");
    if (memcmp(function, begin, sizeof begin) != 0) { return NULL; }
    uint8_t *moved = mmap(NULL, sizeof begin + JUMP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (moved == MAP_FAILED) { return NULL; }
    memcpy(moved, begin, sizeof begin);
    write_jump(moved + sizeof begin, function + sizeof begin);
    uintptr_t page = (uintptr_t)function & ~((uintptr_t)getpagesize() - 1);
    size_t length = (uintptr_t)function + JUMP - page;
    if (mprotect(moved, sizeof begin + JUMP, PROT_READ | PROT_EXEC) != 0
        || mprotect((void *)page, length, PROT_READ | PROT_WRITE) != 0) {
        return NULL;
    }
    write_jump(function, target);
    mprotect((void *)page, length, PROT_READ | PROT_EXEC);
    return moved;
}
#else
static void *redirect(uint8_t *function, const void *target) { return NULL; }
#endif

__attribute__((constructor)) static void observe_awaits(void) {
    uint8_t *function = dlsym(RTLD_NEXT, "swift_continuation_await");
    if (!function || !__tsan_acquire) { return; }
    current_task = (__typeof__(current_task))dlsym(RTLD_NEXT, "swift_task_getCurrent");
    original_await = (await_function *)redirect(function, observed_await);
    if (!original_await) {
        fprintf(stderr, "Tools/scripts/tsan-continuation.c does not know this version of Swift: "
                        "a race that is reported after an await may be none\n");
    }
}
