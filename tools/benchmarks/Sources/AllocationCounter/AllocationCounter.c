// Counts the calls of malloc and its kin in the process that this library is preloaded into.
//
// The count is in a file that is mapped into the process, named by KITH_BENCH_ALLOCATIONS: its first eight bytes, so that
// the benchmark reads it whenever it likes, while the process runs and without a word to it.

#include "AllocationCounter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// glibc's allocator under the names that nobody replaces: asking the linker for the next `malloc` would allocate itself.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

// What is allocated before the file is mapped is counted here, and so lost: nothing is measured that early.
static _Atomic unsigned long early;
static _Atomic unsigned long *counter = &early;

__attribute__((constructor)) static void mapCounter(void) {
  const char *path = getenv("KITH_BENCH_ALLOCATIONS");
  if (path == NULL) return;
  // Not for what this process starts: only the process that was asked about counts.
  const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (ftruncate(file, sizeof(*counter)) == 0) {
    void *page = mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) counter = page;
  }
  close(file);
}

static void count(void) { atomic_fetch_add_explicit(counter, 1, memory_order_relaxed); }

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  count();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  count();
  void *result = __libc_memalign(alignment, size);
  if (result == NULL) return ENOMEM;
  *memory = result;
  return 0;
}
