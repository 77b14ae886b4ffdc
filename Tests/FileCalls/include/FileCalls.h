#ifndef FILE_CALLS_H
#define FILE_CALLS_H

// What a process does to the files below a folder, in order: its own definitions of fsync, fdatasync, rename, link, unlink,
// pwrite and ftruncate stand before those of the C library in every program that links this, SQLite's calls included. They do the same, and note
// it while somebody listens.

// Notes from now on what is done below a folder; answers a number for the calls below, -1 when too many listen.
int file_calls_begin(const char *folder);

// Has the fsync or fdatasync of that number, from 1, fail with EIO and do nothing; 0 lets all succeed.
void file_calls_fail(int listener, int number);

// Calls a function, with the listener's number, before each of those calls, writes included, while the files are as a process
// leaves them that is killed at that instruction.
void file_calls_before_each(int listener, void (*step)(int listener));

// Ends it; answers what was done, a line each, which the caller frees: `fsync a`, `rename a b`, paths below the folder, `.` for
// the folder itself.
char *file_calls_end(int listener);

#endif
