// Linux calls that Swift's Glibc module leaves out, because it is built without _GNU_SOURCE. Only importers: KithHost,
// and KithCommands, which starts it.
#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>

// pidfd_open(2). Not in the Glibc module.
int kith_linux_pidfd_open(int pid);

// pidfd_send_signal(2). Not in the Glibc module.
int kith_linux_pidfd_send_signal(int pidfd, int signal);

// pipe2(2) with O_CLOEXEC. GNU extension.
int kith_linux_pipe(int descriptors[2]);

// posix_spawn_file_actions_addclosefrom_np(3). GNU extension. `actions` is a posix_spawn_file_actions_t: named here, the
// type would belong to this module in some builds and to Glibc in others, and Swift checks which one is imported.
int kith_linux_spawn_close_from(void *actions, int first);

// posix_spawn_file_actions_addchdir_np(3). GNU extension.
int kith_linux_spawn_change_directory(void *actions, const char *path);

// The flag POSIX_SPAWN_SETSID of posix_spawnattr_setflags(3). GNU extension.
short kith_linux_spawn_new_session(void);

// memfd_create(2) with MFD_CLOEXEC: a file that is nowhere but in memory. GNU extension.
int kith_linux_memory_file(const char *name);

// waitid(2) with P_PIDFD, which the Glibc module lacks, and out of siginfo_t's unions, which Swift sees under private
// names. Leaves the process a zombie when `peek` is not 0. Returns 1 when the process has ended, 0 when not yet, -1 with
// errno. `by_signal` is 1 when `status` is a signal's number and 0 when it is an exit code.
int kith_linux_wait(int pidfd, int peek, int *by_signal, int *status);

// prlimit(2) of RLIMIT_NOFILE, soft and hard, for another process. GNU extension.
int kith_linux_limit_open_files(int pid, unsigned long long count);

// prctl(2) PR_SET_NAME for the calling thread. Variadic in C.
void kith_linux_name_thread(const char *name);
