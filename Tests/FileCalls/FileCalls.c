#define _GNU_SOURCE
#include "FileCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { most_listeners = 64 };

struct listener {
  char *folder;
  char *text;
  size_t length;
  int syncs;
  int failing;
  void (*step)(int);
};

static struct listener listeners[most_listeners];
static atomic_int listening;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// The path below a listener's folder; NULL when it is elsewhere.
static const char *below(const struct listener *listener, const char *path) {
  size_t length = strlen(listener->folder);
  if (strncmp(path, listener->folder, length) != 0) return NULL;
  if (path[length] == 0) return ".";
  return path[length] == '/' ? path + length + 1 : NULL;
}

static void note(struct listener *listener, const char *call, const char *one, const char *two) {
  char line[2 * PATH_MAX];
  int count = snprintf(line, sizeof line, two ? "%s %s %s\n" : "%s %s\n", call, one, two);
  if (count < 0 || (size_t)count >= sizeof line) return;
  char *text = realloc(listener->text, listener->length + (size_t)count + 1);
  if (!text) return;
  memcpy(text + listener->length, line, (size_t)count + 1);
  listener->text = text;
  listener->length += (size_t)count;
}

// Tells those who listen to a path that something is about to be done there.
static void before(const char *path) {
  void (*steps[most_listeners])(int) = {0};
  pthread_mutex_lock(&lock);
  for (int i = 0; i < most_listeners; i++)
    if (listeners[i].folder && listeners[i].step && below(&listeners[i], path)) steps[i] = listeners[i].step;
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < most_listeners; i++)
    if (steps[i]) steps[i](i);
}

static void before_descriptor(int descriptor) {
  if (atomic_load(&listening) == 0) return;
  int saved = errno;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, path, sizeof path - 1);
  if (count > 0) {
    path[count] = 0;
    before(path);
  }
  errno = saved;
}

static void noted(const char *call, const char *one, const char *two) {
  if (atomic_load(&listening) == 0) return;
  int saved = errno;
  before(one);
  pthread_mutex_lock(&lock);
  for (int i = 0; i < most_listeners; i++) {
    if (!listeners[i].folder) continue;
    const char *first = below(&listeners[i], one);
    const char *second = two ? below(&listeners[i], two) : NULL;
    if (first && (!two || second)) note(&listeners[i], call, first, second);
  }
  pthread_mutex_unlock(&lock);
  errno = saved;
}

// Notes the wait for a file; answers whether it is to fail.
static bool synced(const char *call, int descriptor) {
  if (atomic_load(&listening) == 0) return false;
  int saved = errno;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, path, sizeof path - 1);
  bool fails = false;
  if (count > 0) {
    path[count] = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < most_listeners; i++) {
      const char *name = listeners[i].folder ? below(&listeners[i], path) : NULL;
      if (!name) continue;
      listeners[i].syncs++;
      if (listeners[i].syncs == listeners[i].failing) fails = true;
      note(&listeners[i], fails ? "failed" : call, name, NULL);
    }
    pthread_mutex_unlock(&lock);
  }
  errno = saved;
  return fails;
}

int file_calls_begin(const char *folder) {
  int found = -1;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < most_listeners && found < 0; i++) {
    if (listeners[i].folder) continue;
    listeners[i] = (struct listener){.folder = strdup(folder)};
    found = i;
    atomic_fetch_add(&listening, 1);
  }
  pthread_mutex_unlock(&lock);
  return found;
}

void file_calls_fail(int number, int sync) {
  pthread_mutex_lock(&lock);
  listeners[number].failing = sync;
  pthread_mutex_unlock(&lock);
}

char *file_calls_end(int number) {
  pthread_mutex_lock(&lock);
  char *text = listeners[number].text ? listeners[number].text : strdup("");
  free(listeners[number].folder);
  listeners[number] = (struct listener){0};
  atomic_fetch_sub(&listening, 1);
  pthread_mutex_unlock(&lock);
  return text;
}

void file_calls_before_each(int number, void (*step)(int)) {
  pthread_mutex_lock(&lock);
  listeners[number].step = step;
  pthread_mutex_unlock(&lock);
}

int fsync(int descriptor) {
  before_descriptor(descriptor);
  if (synced("fsync", descriptor)) {
    errno = EIO;
    return -1;
  }
  return (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
  before_descriptor(descriptor);
  if (synced("fsync", descriptor)) {
    errno = EIO;
    return -1;
  }
  return (int)syscall(SYS_fdatasync, descriptor);
}

int rename(const char *from, const char *to) {
  noted("rename", from, to);
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int link(const char *from, const char *to) {
  noted("link", from, to);
  return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path) {
  noted("unlink", path, NULL);
  return unlinkat(AT_FDCWD, path, 0);
}

// SQLite and Swift take one or the other, by how they were built.
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  before_descriptor(descriptor);
  return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

int ftruncate64(int descriptor, off64_t length) {
  before_descriptor(descriptor);
  return (int)syscall(SYS_ftruncate, descriptor, length);
}

int ftruncate(int descriptor, off_t length) { return ftruncate64(descriptor, length); }
