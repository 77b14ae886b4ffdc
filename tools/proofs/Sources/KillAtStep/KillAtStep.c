// Preloaded into a worker: kills it with SIGKILL before the nth call by which something leaves the process, a write to a
// file, a wait for the disk or a message on a socket. What a process has done to the world is what these calls did, so
// that a death between two of them is the same as a death at any instruction between them.
//
// The count is a 64-bit number in the file that KILL_AT_STEP names: whoever runs the worker sets it, and 0 is for never.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static _Atomic long *countdown;

__attribute__((constructor)) static void kill_at_step_begin(void) {
  const char *path = getenv("KILL_AT_STEP");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *page = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (page != MAP_FAILED) countdown = page;
}

static void step(void) {
  if (!countdown || atomic_load(countdown) <= 0) return;
  if (atomic_fetch_sub(countdown, 1) == 1) kill(getpid(), SIGKILL);
}

#define REAL(name, ...)                                        \
  static __typeof__(&name) real;                               \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
  step();                                                      \
  return real(__VA_ARGS__)

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  REAL(pwrite64, file, bytes, count, offset);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  REAL(pwrite, file, bytes, count, offset);
}
ssize_t write(int file, const void *bytes, size_t count) { REAL(write, file, bytes, count); }
ssize_t writev(int file, const struct iovec *parts, int count) {
  REAL(writev, file, parts, count);
}
ssize_t sendmsg(int file, const struct msghdr *message, int flags) {
  REAL(sendmsg, file, message, flags);
}
int fsync(int file) { REAL(fsync, file); }
int fdatasync(int file) { REAL(fdatasync, file); }
int ftruncate64(int file, off64_t length) { REAL(ftruncate64, file, length); }
int unlink(const char *path) { REAL(unlink, path); }
