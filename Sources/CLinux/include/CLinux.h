// Linux calls that Swift's Glibc module leaves out, because it is built without _GNU_SOURCE. Only importers: KithHost,
// and KithCommands, which starts it.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

// pidfd_open(2). Not in the Glibc module.
int kith_linux_pidfd_open(int pid);

// pidfd_send_signal(2). Not in the Glibc module.
int kith_linux_pidfd_send_signal(int pidfd, int signal);

// As above to the process's group, with PIDFD_SIGNAL_PROCESS_GROUP, Linux 6.9; EINVAL before.
int kith_linux_pidfd_send_group_signal(int pidfd, int signal);

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

// How a process that is no child of the caller ended, by PIDFD_GET_INFO: ioctl(2), Linux 6.15. As kith_linux_wait; 0 when
// the kernel does not say, or not yet, since nobody has waited for it.
int kith_linux_exit_status(int pidfd, int *by_signal, int *status);

// fallocate(2) with FALLOC_FL_PUNCH_HOLE: gives a part of a file back to the file system. GNU extension. 0, or -1 with
// errno.
int kith_linux_punch_hole(int file, uint64_t offset, uint64_t length);

// One thing to do in the empty file system that a private root begins as.
struct kith_linux_root_step {
  enum kith_linux_root_kind {
    KITH_LINUX_FOLDER,
    KITH_LINUX_FILE,
    KITH_LINUX_LINK,
    // The file or folder of the same path outside, with all that is mounted below it.
    KITH_LINUX_SHOW,
    KITH_LINUX_SHOW_WRITABLE,
    KITH_LINUX_SHOW_DEVICE,
  } kind;
  // Absolute, and through no links.
  const char *path;
  // Of a link.
  const char *target;
};

// What a process is started with, and what it can never get rid of.
struct kith_linux_launch {
  // Null to try out how far a process gets: it then ends with exit code 0.
  const char *executable;
  // Both end with a null pointer.
  char *const *arguments;
  char *const *environment;
  const char *directory;
  // What it finds as descriptors 0, 1, 2, ...; each number at least `descriptor_count`.
  const int *descriptors;
  int descriptor_count;
  // How many files it may have open; 0 for as many as the caller.
  uint64_t open_files;
  // How much writable memory of its own each process may have reserved, in bytes; 0 for as much as the caller.
  uint64_t data_bytes;
  // The folder of its control group, its number at least `descriptor_count`; -1 for the caller's group.
  int control_group;
  // A Landlock ruleset, its number at least `descriptor_count`; -1 for none.
  int ruleset;
  // A program that decides of each system call (seccomp(2)); null for none.
  struct sock_filter *filter;
  int filter_length;
  // The folder of a control group of version 1 that counts its processes, as `control_group`; -1 for none.
  int process_group;
  // The files that there are for it; null for all.
  const struct kith_linux_root_step *root_steps;
  int root_step_count;
  // Whether it has them in a user namespace of its own, which takes no privileges.
  int own_users;
  // How many processes and threads there may be in that namespace; 0 for as many as the caller may have.
  uint64_t processes;
  // The user and the group that it becomes, without any of the caller's other groups; 0 to stay what the caller is.
  uint32_t user, group;
};

// Starts a process as the leader of a session and a process group, with no signal blocked or ignored, no core files, no
// capabilities and none to gain, and confined as `launch` says. Returns its pid; -1 with errno, and then `step` names in
// English what failed, and `place` the path at which, where there is one.
//
// posix_spawn(3) cannot confine. Between vfork(2) and execve(2) there are only calls that are safe there, and no handler of
// pthread_atfork runs: a library with threads of its own does not notice.
int kith_linux_launch(
    const struct kith_linux_launch *launch, const char **step, const char **place);

// Becomes another program: execve(2) with all signals unblocked and, of the descriptors above 2, only those of `kept`.
// Returns only when it fails, with errno; the descriptors are then as they were, but for what execve would have closed.
void kith_linux_become(
    const char *program, char *const *arguments, char *const *environment, const int *kept, int count);

// Landlock, landlock(7): the version of its interface that the kernel has, or -1.
int kith_linux_landlock_version(void);

// A ruleset that forbids these rights on files and TCP ports where no rule allows them, and all reach beyond the scopes: a
// descriptor, or -1.
int kith_linux_landlock_ruleset(uint64_t files, uint64_t ports, uint64_t scopes);

// Allows rights on all beneath a folder, or those that a file can have on a file. 0, also when there is nothing at the
// path; -1 with errno.
int kith_linux_landlock_allow_path(int ruleset, const char *path, uint64_t rights);

// Allows rights on a TCP port. 0, or -1 with errno.
int kith_linux_landlock_allow_port(int ruleset, uint16_t port, uint64_t rights);

// prctl(2) PR_SET_CHILD_SUBREAPER: descendants whose parents have ended become children of the calling process.
int kith_linux_adopt_orphans(void);

// Whether systemd has given a control group away: getxattr(2) of trusted.delegate or user.delegate. Not in the Glibc module.
int kith_linux_is_delegated(const char *group);

// What clock_gettime(2) tells of CLOCK_REALTIME, in milliseconds. Where a library brings Foundation along, `timespec` is no
// longer Glibc's.
int64_t kith_linux_wall_milliseconds(void);

// Whether something keeps the machine's clock right, by adjtimex(2), which then changes nothing: 1 or 0, -1 when the kernel does
// not tell. Not in the Glibc module.
int kith_linux_clock_is_kept(void);

// prctl(2) PR_SET_NAME for the calling thread. Variadic in C.
void kith_linux_name_thread(const char *name);
