#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int kith_linux_pidfd_open(int pid) { return pidfd_open(pid, 0); }

int kith_linux_pidfd_send_signal(int pidfd, int signal) {
  return pidfd_send_signal(pidfd, signal, NULL, 0);
}

int kith_linux_pipe(int descriptors[2]) { return pipe2(descriptors, O_CLOEXEC); }

int kith_linux_spawn_close_from(void *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int kith_linux_spawn_change_directory(void *actions, const char *path) {
  return posix_spawn_file_actions_addchdir_np(actions, path);
}

short kith_linux_spawn_new_session(void) { return POSIX_SPAWN_SETSID; }

int kith_linux_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int kith_linux_wait(int pidfd, int peek, int *by_signal, int *status) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  int result;
  do {
    result = waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG | (peek ? WNOWAIT : 0));
  } while (result != 0 && errno == EINTR);
  if (result != 0) return -1;
  if (info.si_pid == 0) return 0;
  *by_signal = info.si_code != CLD_EXITED;
  *status = info.si_status;
  return 1;
}

int kith_linux_limit_open_files(int pid, unsigned long long count) {
  struct rlimit limit = {.rlim_cur = count, .rlim_max = count};
  return prlimit(pid, RLIMIT_NOFILE, &limit, NULL);
}

void kith_linux_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
