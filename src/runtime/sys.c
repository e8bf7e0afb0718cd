#include "runtime/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>

#define YIELDS 32u /* before sleeping */

static int failed(long result)
{
	return result < 0 && result > -4096;
}

static void *map(size_t bytes, int flags, int fd)
{
	long result = norn_syscall(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (failed(result))
		return NULL;
	norn_syscall(SYS_madvise, result, (long)bytes, MADV_DONTDUMP, 0, 0, 0);
	return (void *)result;
}

void *norn_sys_memory(size_t bytes)
{
	return map(bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

void *norn_sys_map(int fd, size_t bytes)
{
	return map(bytes, MAP_SHARED | MAP_NORESERVE, fd);
}

void norn_sys_unmap(void *memory, size_t bytes)
{
	norn_syscall(SYS_munmap, (long)memory, (long)bytes, 0, 0, 0, 0);
}

int norn_sys_open(const char *path, int flags, int mode)
{
	return (int)norn_syscall(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, mode, 0, 0);
}

bool norn_sys_is_own(int fd, bool or_root)
{
	struct stat st;
	return !failed(norn_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0)) &&
	       (st.st_uid == getauxval(AT_EUID) || (or_root && st.st_uid == 0));
}

int norn_sys_open_own(const char *path, int flags)
{
	struct stat st;
	int fd = norn_sys_open(path, flags | O_NOFOLLOW | O_NONBLOCK, 0), error = 0;
	if (fd < 0)
		return fd;
	if (failed(norn_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0)) || !S_ISREG(st.st_mode) ||
	        (st.st_mode & (S_IWGRP | S_IWOTH)) || !norn_sys_is_own(fd, true))
		error = -EPERM;
	if (error)
		norn_sys_close(fd);
	return error ? error : fd;
}

int norn_sys_high(int fd)
{
	struct rlimit limit = {.rlim_cur = 1024};
	norn_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit, 0, 0);
	uint64_t top = limit.rlim_cur < 65536 ? limit.rlim_cur : 65536;
	if (fd < 0)
		return fd;
	uint64_t from = top < 64 ? top - top / 4 : top - 16;
	long moved = norn_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, (long)from, 0, 0, 0);
	if (failed(moved))
		return fd;
	norn_sys_close(fd);
	return (int)moved;
}

void norn_sys_close(int fd)
{
	norn_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* True if this process may write a file up to end: if not, the attempt would bring the program SIGXFSZ. */
static int within_limit(uint64_t end)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
	norn_syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0);
	return end <= limit.rlim_cur;
}

int norn_sys_pwrite(int fd, const void *from, size_t bytes, uint64_t offset)
{
	if (!within_limit(offset + bytes))
		return -EFBIG;
	const char *p = from;
	while (bytes) {
		long n = norn_syscall(SYS_pwrite64, fd, (long)p, (long)bytes, (long)offset, 0, 0);
		if (n == -EINTR)
			continue;
		if (n <= 0)
			return n ? (int)n : -EIO;
		p += n;
		bytes -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

int norn_sys_identity(int fd, uint64_t *ret_device, uint64_t *ret_inode)
{
	struct stat st;
	long result = norn_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0);
	if (result < 0)
		return (int)result;
	*ret_device = st.st_dev;
	*ret_inode = st.st_ino;
	return 0;
}

uint64_t norn_sys_size(int fd)
{
	struct stat st;
	return norn_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) < 0 ? 0 : (uint64_t)st.st_size;
}

int norn_sys_reserve(int fd, uint64_t offset, uint64_t bytes)
{
	if (offset + bytes > norn_sys_size(fd) && !within_limit(offset + bytes))
		return -EFBIG;
	return (int)norn_syscall(SYS_fallocate, fd, 0, (long)offset, (long)bytes, 0, 0);
}

int norn_sys_set_size(int fd, uint64_t bytes)
{
	return within_limit(bytes) ? (int)norn_syscall(SYS_ftruncate, fd, (long)bytes, 0, 0, 0, 0) : -EFBIG;
}

void norn_sys_yield(unsigned waits)
{
	const struct timespec nap = {.tv_nsec = 50000};
	if (waits < YIELDS)
		norn_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	else
		norn_syscall(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
}

uint64_t norn_sys_block(void)
{
	uint64_t all = UINT64_MAX, mask = 0;
	norn_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&mask, sizeof mask, 0, 0);
	return mask;
}

void norn_sys_unblock(uint64_t mask)
{
	norn_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof mask, 0, 0);
}

int norn_sys_pid(void)
{
	return (int)norn_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

/* The kernel looks at the set before it says that there is no such way to change a mask. */
static bool set_readable(uintptr_t at)
{
	return norn_syscall(SYS_rt_sigprocmask, -1, (long)(at & ~7ul), 0, 8, 0, 0) != -EFAULT;
}

bool norn_sys_readable(const void *from, size_t bytes)
{
	return set_readable((uintptr_t)from) && set_readable((uintptr_t)from + bytes - 1);
}

bool norn_sys_copy(void *to, const void *from, size_t bytes)
{
	struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)from, bytes};
	long result = norn_syscall(SYS_process_vm_readv, norn_sys_pid(), (long)&here, 1, (long)&there, 1, 0);
	if (result >= 0 || result == -EFAULT)
		return result == (long)bytes;
	memcpy(to, from, bytes); /* a sandbox forbids the call */
	return true;
}
