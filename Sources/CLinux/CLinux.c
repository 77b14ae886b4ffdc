#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

int kith_linux_pidfd_open(int pid) { return pidfd_open(pid, 0); }

int kith_linux_pidfd_send_signal(int pidfd, int signal) {
  return pidfd_send_signal(pidfd, signal, NULL, 0);
}

int kith_linux_pidfd_send_group_signal(int pidfd, int signal) {
  return pidfd_send_signal(pidfd, signal, NULL, 1 << 2);
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

// The structure and the numbers of PIDFD_GET_INFO are written out: Debian 12's headers do not know them.
int kith_linux_exit_status(int pidfd, int *by_signal, int *status) {
  struct {
    uint64_t mask;
    uint64_t cgroup;
    uint32_t ids[11];
    int32_t exit_code;
  } info;
  enum { exit_information = 1 << 3 };
  memset(&info, 0, sizeof info);
  info.mask = exit_information;
  if (ioctl(pidfd, _IOWR(0xFF, 11, info), &info) != 0) return 0;
  if ((info.mask & exit_information) == 0) return 0;
  *by_signal = WIFSIGNALED(info.exit_code);
  *status = WIFSIGNALED(info.exit_code) ? WTERMSIG(info.exit_code) : WEXITSTATUS(info.exit_code);
  return 1;
}

int kith_linux_punch_hole(int file, uint64_t offset, uint64_t length) {
  return fallocate(
      file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)length);
}

// Landlock's calls and structures are written out: Debian 12's headers know only the first versions of it.
enum { landlock_create_ruleset = 444, landlock_add_rule = 445, landlock_restrict_self = 446 };

int kith_linux_landlock_version(void) {
  return (int)syscall(landlock_create_ruleset, NULL, (size_t)0, 1);
}

int kith_linux_landlock_ruleset(uint64_t files, uint64_t ports, uint64_t scopes) {
  const uint64_t attributes[3] = {files, ports, scopes};
  // Kernels that do not know of scopes, or of ports, take only what comes before.
  const size_t size = scopes != 0 ? 24 : ports != 0 ? 16 : 8;
  return (int)syscall(landlock_create_ruleset, attributes, size, 0);
}

int kith_linux_landlock_allow_path(int ruleset, const char *path, uint64_t rights) {
  // Execute, write, read, truncate, and ioctl of a device.
  const uint64_t of_files = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15;
  const int place = open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
  struct stat status;
  int result = fstat(place, &status);
  if (result == 0) {
    struct __attribute__((packed)) {
      uint64_t rights;
      int32_t place;
    } rule = {S_ISDIR(status.st_mode) ? rights : rights & of_files, place};
    result = (int)syscall(landlock_add_rule, ruleset, 1, &rule, 0);
  }
  const int error = errno;
  close(place);
  errno = error;
  return result;
}

int kith_linux_landlock_allow_port(int ruleset, uint16_t port, uint64_t rights) {
  const uint64_t rule[2] = {rights, port};
  return (int)syscall(landlock_add_rule, ruleset, 2, rule, 0);
}

int kith_linux_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

// A launch as parent and child see it, who share their memory until the child has become another program.
struct birth {
  const struct kith_linux_launch *launch;
  // Whether the child was born in its control group.
  int is_in_group;
  // What /proc/self/uid_map and gid_map say of a user namespace in which there is only this process's own user.
  char users[32], groups[32];
  // What the child is about to do, and why it could not.
  const char *volatile step;
  // At which path; null where it is none.
  const char *volatile place;
  volatile int error;
};

static int write_file(const char *path, const char *text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t count = write(file, text, strlen(text));
  const int error = errno;
  close(file);
  errno = error;
  return count < 0 ? -1 : 0;
}

// What a mount may be used for, mount_setattr(2): written out, since Debian 12's C library does not know the call. All that is
// mounted below it too.
enum { to_read = 1, no_set_id = 2, no_devices = 4, no_programs = 8 };

static int set_mount(const char *path, uint64_t attributes) {
  const unsigned recursive = 0x8000;
  const uint64_t change[4] = {attributes, 0, 0, 0};
  return (int)syscall(SYS_mount_setattr, AT_FDCWD, path, recursive, change, sizeof change);
}

static int take_step(const struct kith_linux_root_step *step) {
  // Of the root that was, which is where this process works now: without the slash that it begins with.
  const char *before = step->path + 1;
  switch (step->kind) {
    case KITH_LINUX_FOLDER: return mkdir(step->path, 0755);
    case KITH_LINUX_FILE: return mknod(step->path, S_IFREG | 0644, 0);
    case KITH_LINUX_LINK: return symlink(step->target, step->path);
    default: break;
  }
  if (mount(before, step->path, NULL, MS_BIND | MS_REC, NULL) != 0) return -1;
  switch (step->kind) {
    case KITH_LINUX_SHOW_WRITABLE: return set_mount(step->path, no_set_id | no_devices);
    case KITH_LINUX_SHOW_DEVICE: return set_mount(step->path, no_set_id | no_programs);
    default: return set_mount(step->path, to_read | no_set_id | no_devices);
  }
}

// In the child: a file system of its own, in which there is only what `launch` says.
static int make_root(struct birth *birth) {
  const struct kith_linux_launch *launch = birth->launch;
  const char *volatile *step = &birth->step;
  *step = "make a mount namespace for";
  if (unshare(launch->own_users ? CLONE_NEWUSER | CLONE_NEWNS : CLONE_NEWNS) != 0) return -1;
  if (launch->own_users) {
    *step = "name the user in the namespace of";
    if (write_file("/proc/self/setgroups", "deny") != 0 && errno != ENOENT) return -1;
    if (write_file("/proc/self/uid_map", birth->users) != 0) return -1;
    if (write_file("/proc/self/gid_map", birth->groups) != 0) return -1;
    // Counted since Linux 5.14 for a user in a namespace, and this one has no others.
    const struct rlimit processes = {launch->processes, launch->processes};
    if (launch->processes != 0 && setrlimit(RLIMIT_NPROC, &processes) != 0) return -1;
  }
  *step = "make a private root for";
  // What is unmounted outside is unmounted here; nothing goes the other way.
  if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) return -1;
  // Any folder will do: what it hides is there again once the root has changed places with it.
  const char *place = "/usr";
  if (mount("kith", place, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m,nr_inodes=4k") != 0) {
    return -1;
  }
  const mode_t mask = umask(022);
  if (chdir(place) != 0 || mkdir(".before", 0700) != 0) return -1;
  if (syscall(SYS_pivot_root, ".", ".before") != 0) return -1;
  if (chdir("/.before") != 0) return -1;
  for (int index = 0; index < launch->root_step_count; index++) {
    const struct kith_linux_root_step *next = &launch->root_steps[index];
    birth->place = next->path;
    if (take_step(next) != 0) return -1;
  }
  birth->place = NULL;
  if (chdir("/") != 0 || umount2("/.before", MNT_DETACH) != 0) return -1;
  if (rmdir("/.before") != 0) return -1;
  const uint64_t change[4] = {to_read | no_set_id | no_devices | no_programs, 0, 0, 0};
  if (syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, change, sizeof change) != 0) return -1;
  umask(mask);
  return 0;
}

// In the child: none of root's powers, also where it is root and whatever program it becomes, and another user where there is
// to be one.
static int drop_powers(const struct kith_linux_launch *launch) {
  // Each refuses a process that may do nothing of it, which then has nothing to lose by it.
  const unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
      SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |
      SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  prctl(PR_SET_SECUREBITS, bits, 0, 0, 0);
  for (unsigned long capability = 0; capability < 64; capability++) {
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno == EINVAL) break;
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  // By their numbers: the C library's functions would have all threads of the parent follow, whose memory this is.
  if (launch->user != 0 &&
      (syscall(SYS_setgroups, 0, NULL) != 0 ||
       syscall(SYS_setresgid, launch->group, launch->group, launch->group) != 0 ||
       syscall(SYS_setresuid, launch->user, launch->user, launch->user) != 0)) {
    return -1;
  }
  const struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  const struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  return (int)syscall(SYS_capset, &header, none);
}

static int enter_group(int folder) {
  const int file = openat(folder, "cgroup.procs", O_WRONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t count = write(file, "0", 1);
  close(file);
  return count == 1 ? 0 : -1;
}

// In the child: only system calls. Does not return when it succeeds.
static void become(struct birth *birth) {
  const struct kith_linux_launch *launch = birth->launch;
  const char *volatile *step = &birth->step;
  *step = "reset the signals of";
  struct sigaction standard;
  memset(&standard, 0, sizeof standard);
  standard.sa_handler = SIG_DFL;
  // The two that no process may change, and those of the C library, answer with an error.
  for (int signal = 1; signal <= 64; signal++) sigaction(signal, &standard, NULL);

  // A session too: the kernel sends SIGHUP to a group with a stopped process when the group's last tie to its session dies.
  *step = "make a session for";
  if (setsid() < 0) return;

  *step = "limit the resources of";
  const struct rlimit none = {0, 0};
  if (setrlimit(RLIMIT_CORE, &none) != 0) return;
  const struct rlimit files = {launch->open_files, launch->open_files};
  if (launch->open_files != 0 && setrlimit(RLIMIT_NOFILE, &files) != 0) return;

  const struct rlimit data = {launch->data_bytes, launch->data_bytes};
  if (launch->data_bytes != 0 && setrlimit(RLIMIT_DATA, &data) != 0) return;

  *step = "move into its control group";
  if (launch->control_group >= 0 && !birth->is_in_group && enter_group(launch->control_group) != 0) {
    return;
  }

  *step = "count the processes of";
  if (launch->process_group >= 0 && enter_group(launch->process_group) != 0) return;

  if (launch->root_steps != NULL && make_root(birth) != 0) return;

  *step = "enter the folder of";
  if (chdir(launch->directory) != 0) return;

  *step = "hand the descriptors to";
  for (int number = 0; number < launch->descriptor_count; number++) {
    if (dup2(launch->descriptors[number], number) < 0) return;
  }

  *step = "confine";
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  if (drop_powers(launch) != 0) return;
  if (launch->ruleset >= 0 && syscall(landlock_restrict_self, launch->ruleset, 0) != 0) return;
  if (syscall(SYS_close_range, launch->descriptor_count, ~0U, 0) != 0) return;
  // Last: it may refuse what came before.
  const struct sock_fprog filter = {(unsigned short)launch->filter_length, launch->filter};
  if (launch->filter != NULL && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) {
    return;
  }
  if (launch->executable == NULL) _exit(0);

  *step = "start";
  sigset_t unblocked;
  sigemptyset(&unblocked);
  sigprocmask(SIG_SETMASK, &unblocked, NULL);
  execve(launch->executable, launch->arguments, launch->environment);
}

static void be_born(struct birth *birth) {
  become(birth);
  birth->error = errno;
  _exit(127);
}

// A child in its control group from its first instruction on; -1 where that cannot be had. To move a process that runs
// takes the kernel some ten milliseconds: it waits until no processor of the machine is in the middle of a fork or an exit.
#if defined(__x86_64__)
static pid_t bear_in_group(struct birth *birth) {
  enum { stack_bytes = 64 << 10 };
  // A stack of its own: what returns twice from a call of the C library must not share one.
  char *stack =
      mmap(NULL, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return -1;
  // struct clone_args up to the member cgroup, whose flag Debian 12's C library does not know.
  const uint64_t into_group = 1ULL << 33;
  const uint64_t arguments[11] = {
      CLONE_VM | CLONE_VFORK | into_group, 0, 0, 0, SIGCHLD, (uint64_t)(uintptr_t)stack, stack_bytes, 0,
      0, 0, (uint64_t)birth->launch->control_group};
  birth->is_in_group = 1;
  long result;
  __asm__ volatile(
      "syscall\n\t"
      "testq %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "movq %[birth], %%rdi\n\t"
      "callq *%[child]\n\t"
      "ud2\n"
      "1:"
      : "=a"(result)
      : "0"((long)SYS_clone3), "D"(arguments), "S"(sizeof arguments), [birth] "r"(birth),
        [child] "r"(be_born)
      : "rcx", "r11", "memory", "cc");
  munmap(stack, stack_bytes);
  if (result > 0) return (pid_t)result;
  birth->is_in_group = 0;
  return -1;
}
#else
static pid_t bear_in_group(struct birth *birth) {
  (void)birth;
  return -1;
}
#endif

int kith_linux_launch(
    const struct kith_linux_launch *launch, const char **step, const char **place) {
  struct birth birth = {.launch = launch, .step = "create a process for"};
  snprintf(birth.users, sizeof birth.users, "%u %u 1", geteuid(), geteuid());
  snprintf(birth.groups, sizeof birth.groups, "%u %u 1", getegid(), getegid());
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pid_t pid = launch->control_group >= 0 ? bear_in_group(&birth) : -1;
  if (pid < 0) {
    pid = vfork();
    if (pid == 0) be_born(&birth);
    if (pid < 0) birth.error = errno;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (birth.error == 0) return pid;
  if (pid > 0) waitpid(pid, NULL, 0);
  *step = birth.step;
  *place = birth.place;
  errno = birth.error;
  return -1;
}

void kith_linux_become(
    const char *program, char *const *arguments, char *const *environment, const int *kept, int count) {
  enum { close_on_exec = 1 << 2 };
  syscall(SYS_close_range, 3, ~0U, close_on_exec);
  for (int index = 0; index < count; index++) fcntl(kept[index], F_SETFD, 0);
  sigset_t unblocked, before;
  sigemptyset(&unblocked);
  pthread_sigmask(SIG_SETMASK, &unblocked, &before);
  execve(program, arguments, environment);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
}

int kith_linux_is_delegated(const char *group) {
  char value = 0;
  return (getxattr(group, "trusted.delegate", &value, 1) == 1 && value == '1') ||
         (getxattr(group, "user.delegate", &value, 1) == 1 && value == '1');
}

int64_t kith_linux_wall_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int kith_linux_clock_is_kept(void) {
  struct timex state = {.modes = 0};
  int result = adjtimex(&state);
  return result < 0 ? -1 : result != TIME_ERROR;
}

void kith_linux_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
