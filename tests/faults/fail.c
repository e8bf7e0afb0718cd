/* Preloaded into the command: one call of a kind fails, as it does on a machine that has no more of something.
 *
 *   FAULT_KIND=alloc|open|write|mmap|truncate|sync|rename FAULT_AT=N: the N-th such call fails; FAULT_COUNT=FILE: how many there are
 *
 * Only calls of the command itself are seen, not those that libc makes within its functions; nor those of programs that it starts. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *const kinds[] = {"alloc", "open", "write", "mmap", "truncate", "sync", "rename"};
enum kind { ALLOC, OPEN, WRITE, MMAP, TRUNCATE, SYNC, RENAME, KINDS };

static bool here; /* this is the command */
static pid_t own;
static enum kind wanted = KINDS;
static unsigned long fails_at;
static const char *count_file;
static atomic_ulong calls;

static void note_count(void)
{
	char text[32];
	int fd = (int)syscall(SYS_openat, AT_FDCWD, count_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int length = snprintf(text, sizeof text, "%lu\n", atomic_load(&calls));
	if (getpid() == own && fd >= 0)
		syscall(SYS_write, fd, text, length);
}

__attribute__((constructor)) static void start(void)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	const char *kind = getenv("FAULT_KIND"), *at = getenv("FAULT_AT");
	if (length < 5 || strncmp(path + length - 5, "/norn", 5) || !kind)
		return;
	for (wanted = 0; wanted < KINDS && strcmp(kinds[wanted], kind); wanted++)
		;
	own = getpid();
	fails_at = at ? strtoul(at, NULL, 10) : 0;
	count_file = getenv("FAULT_COUNT");
	if (count_file)
		atexit(note_count);
	here = true;
}

static bool fails(enum kind kind, int error)
{
	if (!here || kind != wanted || atomic_fetch_add(&calls, 1) + 1 != fails_at || getpid() != own)
		return false;
	errno = error;
	return true;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* ---- memory: glibc's own names, since dlsym allocates ---- */

/* elfutils' own functions do not outlive it all: what they ask for they get. */
static bool alloc_fails(const void *caller)
{
	Dl_info info;
	return fails(ALLOC, ENOMEM) && !(dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "/libdw"));
}

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes)
{
	return alloc_fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	return alloc_fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
	return alloc_fails(__builtin_return_address(0)) ? NULL : __libc_realloc(block, bytes);
}

void *reallocarray(void *block, size_t count, size_t bytes)
{
	size_t all;
	if (__builtin_mul_overflow(count, bytes, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return alloc_fails(__builtin_return_address(0)) ? NULL : __libc_realloc(block, all);
}

FILE *open_memstream(char **text, size_t *length)
{
	return alloc_fails(__builtin_return_address(0)) ? NULL : NEXT(open_memstream)(text, length);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	return alloc_fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	return fails(MMAP, ENOMEM) ? MAP_FAILED : NEXT(mmap)(at, bytes, protection, flags, fd, offset);
}

/* ---- files ---- */

int open(const char *path, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	unsigned mode = va_arg(arguments, unsigned);
	va_end(arguments);
	return fails(OPEN, EMFILE) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	unsigned mode = va_arg(arguments, unsigned);
	va_end(arguments);
	return fails(OPEN, EMFILE) ? -1 : (int)syscall(SYS_openat, directory, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	return fails(OPEN, EMFILE) ? NULL : NEXT(fopen)(path, mode);
}

FILE *fdopen(int fd, const char *mode)
{
	return fails(OPEN, ENOMEM) ? NULL : NEXT(fdopen)(fd, mode);
}

int mkstemp(char *template)
{
	return fails(OPEN, EMFILE) ? -1 : NEXT(mkstemp)(template);
}

ssize_t write(int fd, const void *from, size_t bytes)
{
	return fails(WRITE, ENOSPC) ? -1 : syscall(SYS_write, fd, from, bytes);
}

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t offset)
{
	return fails(WRITE, ENOSPC) ? -1 : syscall(SYS_pwrite64, fd, from, bytes, offset);
}

/* Or a stream into memory, whose failures are those of allocations. */
static bool is_file(FILE *file)
{
	return !file || fileno(file) >= 0;
}

/* The stream knows of its failure (ferror), too. */
static void spoil(FILE *file)
{
	if (file)
		file->_flags |= 0x20;
}

size_t fwrite(const void *from, size_t size, size_t count, FILE *to)
{
	return is_file(to) && fails(WRITE, ENOSPC) ? (spoil(to), 0) : NEXT(fwrite)(from, size, count, to);
}

int fflush(FILE *file)
{
	return is_file(file) && fails(WRITE, ENOSPC) ? (spoil(file), EOF) : NEXT(fflush)(file);
}

int fclose(FILE *file)
{
	bool fail = is_file(file) && fails(WRITE, ENOSPC);
	int result = NEXT(fclose)(file);
	if (fail)
		errno = ENOSPC;
	return fail ? EOF : result;
}

int ftruncate(int fd, off_t bytes)
{
	return fails(TRUNCATE, ENOSPC) ? -1 : (int)syscall(SYS_ftruncate, fd, bytes);
}

int posix_fallocate(int fd, off_t offset, off_t bytes)
{
	return fails(TRUNCATE, 0) ? ENOSPC : NEXT(posix_fallocate)(fd, offset, bytes);
}

int fsync(int fd)
{
	return fails(SYNC, EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to)
{
	return fails(RENAME, EACCES) ? -1 : (int)syscall(SYS_rename, from, to);
}

/* ---- the same, as programs for large files call them ---- */

void *mmap64(void *at, size_t bytes, int protection, int flags, int fd, off_t offset) __attribute__((alias("mmap")));
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int directory, const char *path, int flags, ...) __attribute__((alias("openat")));
FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));
int mkstemp64(char *template) __attribute__((alias("mkstemp")));
ssize_t pwrite64(int fd, const void *from, size_t bytes, off_t offset) __attribute__((alias("pwrite")));
int ftruncate64(int fd, off_t bytes) __attribute__((alias("ftruncate")));
int posix_fallocate64(int fd, off_t offset, off_t bytes) __attribute__((alias("posix_fallocate")));
