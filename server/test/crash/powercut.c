/*
 * A power cut for tests: remembers how to take back what a program wrote and did not sync.
 *
 * Preloaded (LD_PRELOAD) into a process, it watches the file named by POWERCUT_FILE and that file
 * with "-wal" behind it. Before a write or a truncation it appends to "<file>.undo" what stood there:
 * offset, count, size of the file, bytes. A sync that succeeded empties it. After the process was
 * killed, the harness (powercut.ts) plays the rest backwards: the disk is as if nothing that was
 * not synced had reached it. That is the worst a power cut may do to the contents of a file; that
 * names of new files may be lost with it is not played.
 *
 * The record stands before the change is made, and is taken away after the sync returned: wherever
 * in between a kill comes, no more is taken back than nobody was told to be safe.
 *
 * System calls are made directly: there is nothing to look up, and nothing that could call us again.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_FDS 65536
#define NONE 0
#define MAIN 1
#define WAL 2

static unsigned char watched[MOST_FDS];
static int undo_fd[3];
static int lock_word;

static void lock(void) {
  while (__atomic_exchange_n(&lock_word, 1, __ATOMIC_ACQUIRE)) {
  }
}

static void unlock(void) { __atomic_store_n(&lock_word, 0, __ATOMIC_RELEASE); }

static int which(const char *path) {
  const char *file = getenv("POWERCUT_FILE");
  size_t length = file ? strlen(file) : 0;
  if (length == 0 || strncmp(path, file, length) != 0) return NONE;
  if (path[length] == 0) return MAIN;
  return strcmp(path + length, "-wal") == 0 ? WAL : NONE;
}

static int kind_of(int fd) { return fd >= 0 && fd < MOST_FDS ? watched[fd] : NONE; }

static void undo_path(const char *path, char *result) {
  strcpy(result, path);
  strcat(result, ".undo");
}

static void watch(int fd, const char *path) {
  int kind = which(path);
  if (fd < 0 || fd >= MOST_FDS || kind == NONE || strlen(path) > 4000) return;
  lock();
  if (undo_fd[kind] == 0) {
    char name[4096];
    undo_path(path, name);
    undo_fd[kind] = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  watched[fd] = kind;
  unlock();
}

/* What cannot be remembered must not be written: the test would pass for the wrong reason. */
static void must(int holds) {
  if (!holds) abort();
}

/* Remembers what stands at [offset, offset + count), and how long the file is. */
static void remember(int fd, int kind, int64_t offset, int64_t count) {
  struct stat now;
  must(fstat(fd, &now) == 0);
  int64_t kept = now.st_size - offset;
  if (kept < 0) kept = 0;
  if (kept > count) kept = count;
  int64_t head[3] = {offset, kept, now.st_size};
  size_t size = sizeof head + kept;
  char *record = malloc(size);
  must(record != NULL);
  memcpy(record, head, sizeof head);
  if (kept > 0) must(syscall(SYS_pread64, fd, record + sizeof head, (size_t)kept, offset) == kept);
  must(syscall(SYS_write, undo_fd[kind], record, size) == (long)size);
  free(record);
}

static int open_any(int dir, const char *path, int flags, va_list arguments) {
  int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;
  int fd = syscall(SYS_openat, dir, path, flags, mode);
  watch(fd, path);
  return fd;
}

#define OPEN(name)                                     \
  int name(const char *path, int flags, ...) {         \
    va_list arguments;                                 \
    va_start(arguments, flags);                        \
    int fd = open_any(AT_FDCWD, path, flags, arguments); \
    va_end(arguments);                                 \
    return fd;                                         \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                   \
  int name(int dir, const char *path, int flags, ...) { \
    va_list arguments;                                 \
    va_start(arguments, flags);                        \
    int fd = open_any(dir, path, flags, arguments);    \
    va_end(arguments);                                 \
    return fd;                                         \
  }
OPENAT(openat)
OPENAT(openat64)

int close(int fd) {
  if (fd >= 0 && fd < MOST_FDS) watched[fd] = NONE;
  return syscall(SYS_close, fd);
}

static ssize_t write_at(int fd, const void *bytes, size_t count, int64_t offset) {
  int kind = kind_of(fd);
  if (kind == NONE) return syscall(SYS_pwrite64, fd, bytes, count, offset);
  lock();
  remember(fd, kind, offset, count);
  ssize_t written = syscall(SYS_pwrite64, fd, bytes, count, offset);
  unlock();
  return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  return write_at(fd, bytes, count, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
  return write_at(fd, bytes, count, offset);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  int kind = kind_of(fd);
  if (kind == NONE) return syscall(SYS_write, fd, bytes, count);
  lock();
  remember(fd, kind, syscall(SYS_lseek, fd, 0, SEEK_CUR), count);
  ssize_t written = syscall(SYS_write, fd, bytes, count);
  unlock();
  return written;
}

static int cut_to(int fd, int64_t size) {
  int kind = kind_of(fd);
  if (kind == NONE) return syscall(SYS_ftruncate, fd, size);
  lock();
  remember(fd, kind, size, INT64_MAX);
  int result = syscall(SYS_ftruncate, fd, size);
  unlock();
  return result;
}

int ftruncate(int fd, off_t size) { return cut_to(fd, size); }
int ftruncate64(int fd, off64_t size) { return cut_to(fd, size); }

static int sync_by(long call, int fd) {
  int kind = kind_of(fd);
  if (kind == NONE) return syscall(call, fd);
  lock();
  int result = syscall(call, fd);
  if (result == 0) must(syscall(SYS_ftruncate, undo_fd[kind], 0) == 0);
  unlock();
  return result;
}

int fsync(int fd) { return sync_by(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_by(SYS_fdatasync, fd); }

/* SQLite removes the log after it synced the database: there is nothing left to take back. */
int unlink(const char *path) {
  int kind = which(path);
  int result = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  if (kind == NONE || result != 0) return result;
  lock();
  if (undo_fd[kind] > 0) must(syscall(SYS_ftruncate, undo_fd[kind], 0) == 0);
  unlock();
  return result;
}
