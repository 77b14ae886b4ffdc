// What a hostile worker asks of the kernel and Swift cannot: calls by number, processes without a C library's leave, sockets
// without a path. Only importers: Tests/HostileWorker, and IntegrationTests for the sockets that it is to reach.
#pragma once

#include <stdint.h>
#include <sys/syscall.h>

// Makes a system call: its result, or -errno.
long hostile_call(long number, long a, long b, long c, long d, long e, long f);

// Makes a child with these flags of clone(2), which ends at once. 0, or -errno.
int hostile_clone(unsigned long flags);

// getpid(2) by its number of another architecture: its result, -errno, or -ENOSYS where this machine knows no other.
long hostile_foreign_call(void);

// Makes so many processes that wait, ends them all and answers how many there were. `killed` is 0 when one of them could not be
// signalled.
int hostile_processes(int most, int *killed);

// Makes so many threads that wait, ends them all and answers how many there were.
int hostile_threads(int most);

// A stream socket that listens at, or is connected to, a path; or, with `is_abstract`, a name without one. -errno when it cannot.
int hostile_listen(const char *path, int is_abstract);
int hostile_connect(const char *path, int is_abstract);

// Sends a descriptor along with a byte (SCM_RIGHTS). 0, or -errno.
int hostile_send_descriptor(int socket, int descriptor);

// What a bare connection gets in the way of descriptors within a tenth of a second, after it has sent a byte: the number of
// them, each closed.
int hostile_received_descriptors(int socket);
