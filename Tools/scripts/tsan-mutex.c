// SPDX-License-Identifier: Apache-2.0

// Declares to Thread Sanitizer the ordering of Swift's `Mutex` under contention.
//
// `Mutex` takes and releases an uncontended lock in code that the compiler puts into its caller, where the sanitizer
// sees it. A contended one goes through the three functions below, which are in libswiftSynchronization; that library
// is not built with the sanitizer, so that the sanitizer misses their ordering and reports a race on whatever the mutex
// guards. A loop of four threads that append to one array under a mutex is enough to see it. Preloaded, this library
// stands before Swift's: it calls the original and adds the ordering.
//
// The compiler passes the mutex as the context of Swift's calling convention.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// Absent in programs that are not sanitized, such as the `swift` that starts the tests.
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK_SLOW);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK_SLOW);

static __typeof__(lock_slow) *original_lock;
static __typeof__(try_lock_slow) *original_try_lock;
static __typeof__(unlock_slow) *original_unlock;

__attribute__((constructor)) static void find_originals(void) {
    original_lock = (__typeof__(original_lock))dlsym(RTLD_NEXT, LOCK_SLOW);
    original_try_lock = (__typeof__(original_try_lock))dlsym(RTLD_NEXT, TRY_LOCK_SLOW);
    original_unlock = (__typeof__(original_unlock))dlsym(RTLD_NEXT, UNLOCK_SLOW);
}

SWIFT void lock_slow(uint32_t thread, SELF) {
    original_lock(thread, self);
    if (__tsan_acquire) { __tsan_acquire(self); }
}

SWIFT bool try_lock_slow(SELF) {
    bool taken = original_try_lock(self);
    if (taken && __tsan_acquire) { __tsan_acquire(self); }
    return taken;
}

SWIFT void unlock_slow(SELF) {
    if (__tsan_release) { __tsan_release(self); }
    original_unlock(self);
}
