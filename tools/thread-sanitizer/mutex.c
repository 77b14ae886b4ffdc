// Tells the thread sanitizer of the waits of Swift's `Mutex`, which it does not see: their slow path is in the standard
// library, which is not built for it, and without this every lock that was contended once looks like a race.
//
// tools/check builds this into a library that is loaded before the others (LD_PRELOAD). The names are those of
// Synchronization._MutexHandle._lockSlow(_:) and ._unlockSlow() on Linux; a toolchain that calls them otherwise shows as
// the same false races again, not as silence.
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// In programs that are built for the sanitizer; nothing in all others.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

typedef SWIFT void (*lock_function)(uint32_t thread, SELF void *mutex);
typedef SWIFT void (*unlock_function)(SELF void *mutex);

SWIFT void kith_lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void kith_unlock(SELF void *mutex) __asm__(UNLOCK);

SWIFT void kith_lock(uint32_t thread, SELF void *mutex) {
  static lock_function next;
  if (next == NULL) next = (lock_function)dlsym(RTLD_NEXT, LOCK);
  next(thread, mutex);
  if (__tsan_acquire != NULL) __tsan_acquire(mutex);
}

SWIFT void kith_unlock(SELF void *mutex) {
  static unlock_function next;
  if (next == NULL) next = (unlock_function)dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release != NULL) __tsan_release(mutex);
  next(mutex);
}
