#define _GNU_SOURCE
#include "HostileCalls.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

long hostile_call(long number, long a, long b, long c, long d, long e, long f) {
  const long result = syscall(number, a, b, c, d, e, f);
  return result == -1 ? -errno : result;
}

// Without the C library, whose fork runs what libraries have registered for it.
static pid_t bear(unsigned long flags) { return (pid_t)syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0); }

int hostile_clone(unsigned long flags) {
  const pid_t pid = bear(flags);
  if (pid == 0) _exit(0);
  if (pid < 0) return -errno;
  waitpid(pid, NULL, 0);
  return 0;
}

long hostile_foreign_call(void) {
#if defined(__x86_64__)
  // i386: getpid is 20.
  long result = 20;
  __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
  return (int)result;
#else
  return -ENOSYS;
#endif
}

int hostile_processes(int most, int *killed) {
  pid_t *pids = calloc((size_t)most, sizeof *pids);
  int count = 0;
  *killed = 1;
  while (count < most) {
    const pid_t pid = bear(0);
    if (pid == 0) {
      // Not for ever, should nothing else end it.
      struct pollfd none = {-1, 0, 0};
      poll(&none, 0, 20000);
      _exit(0);
    }
    if (pid < 0) break;
    pids[count++] = pid;
  }
  for (int index = 0; index < count; index++) {
    if (kill(pids[index], SIGKILL) != 0) *killed = 0;
  }
  for (int index = 0; index < count; index++) waitpid(pids[index], NULL, 0);
  free(pids);
  return count;
}

static void *wait_for_end(void *pipe) {
  char byte;
  while (read(*(int *)pipe, &byte, 1) < 0 && errno == EINTR) {}
  return NULL;
}

int hostile_threads(int most) {
  pthread_t *threads = calloc((size_t)most, sizeof *threads);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  int pipes[2];
  int count = 0;
  if (pipe(pipes) != 0) return 0;
  while (count < most && pthread_create(&threads[count], &small, wait_for_end, &pipes[0]) == 0) count++;
  close(pipes[1]);
  for (int index = 0; index < count; index++) pthread_join(threads[index], NULL);
  close(pipes[0]);
  pthread_attr_destroy(&small);
  free(threads);
  return count;
}

static int use(
    const char *path, int is_abstract, int (*function)(int, const struct sockaddr *, socklen_t)) {
  const int number = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (number < 0) return -errno;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const size_t first = is_abstract ? 1 : 0;
  strncpy(address.sun_path + first, path, sizeof address.sun_path - 2);
  const socklen_t size = (socklen_t)(
      is_abstract ? offsetof(struct sockaddr_un, sun_path) + 1 + strlen(path) : sizeof address);
  if (function(number, (const struct sockaddr *)&address, size) != 0) {
    const int error = errno;
    close(number);
    return -error;
  }
  return number;
}

int hostile_listen(const char *path, int is_abstract) {
  const int number = use(path, is_abstract, bind);
  if (number >= 0) listen(number, 16);
  return number;
}

int hostile_connect(const char *path, int is_abstract) { return use(path, is_abstract, connect); }

int hostile_send_descriptor(int number, int descriptor) {
  char byte = 0;
  struct iovec part = {&byte, 1};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  memset(&control, 0, sizeof control);
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  return sendmsg(number, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int hostile_received_descriptors(int number) {
  char bytes[4096];
  struct iovec part = {bytes, sizeof bytes};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(16 * sizeof(int))];
  } control;
  int count = 0;
  struct pollfd entry = {number, POLLIN, 0};
  while (poll(&entry, 1, 100) > 0) {
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    if (recvmsg(number, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) <= 0) break;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
      if (header->cmsg_type != SCM_RIGHTS) continue;
      const size_t received = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (size_t index = 0; index < received; index++) {
        int descriptor;
        memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof descriptor);
        close(descriptor);
        count++;
      }
    }
  }
  return count;
}
