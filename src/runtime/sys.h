/* System calls made directly: libc's wrappers are cancellation points, may be interposed by the program, and set errno. Each
 * returns the result or a negative errno. */
#ifndef NORN_RUNTIME_SYS_H
#define NORN_RUNTIME_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static inline long norn_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
	        : "=a"(result)
	        : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
	        : "rcx", "r11", "memory");
	return result;
}

/* Anonymous zeroed memory that takes no room until touched and stays out of core dumps; NULL if there is none. */
void *norn_sys_memory(size_t bytes);
/* Maps bytes of fd for reading and writing, shared. NULL on failure. */
void *norn_sys_map(int fd, size_t bytes);
void norn_sys_unmap(void *memory, size_t bytes);
int norn_sys_open(const char *path, int flags, int mode);
/* True if a file belongs to the user as whom this program was started; or_root: to root will do. */
bool norn_sys_is_own(int fd, bool or_root);
/* Opens a plain file, through no link, that belongs to this user or root and that no other may write; -EPERM: it is not so. */
int norn_sys_open_own(const char *path, int flags);
/* Moves fd out of the way of the program's own numbers. */
int norn_sys_high(int fd);
void norn_sys_close(int fd);
/* Writes all of it, 0 or a negative errno. */
int norn_sys_pwrite(int fd, const void *from, size_t bytes, uint64_t offset);
/* Identity of an open file: device and inode; negative errno if fd is closed. */
int norn_sys_identity(int fd, uint64_t *ret_device, uint64_t *ret_inode);
uint64_t norn_sys_size(int fd); /* of a file; 0: it has none */
int norn_sys_reserve(int fd, uint64_t offset, uint64_t bytes); /* fallocate */
int norn_sys_set_size(int fd, uint64_t bytes); /* ftruncate */
/* Waits a little for another thread, for the waits-th time in a row: at first by yielding, then by sleeping, since a real-time
 * thread yields to no thread below it. */
void norn_sys_yield(unsigned waits);
/* Holds off all signals, those by which libc cancels threads, too; returns the mask to set afterwards. */
uint64_t norn_sys_block(void);
void norn_sys_unblock(uint64_t mask);
int norn_sys_pid(void);
bool norn_sys_readable(const void *from, size_t bytes);
/* A copy of memory that another thread may take away meanwhile; false: it is not there. */
bool norn_sys_copy(void *to, const void *from, size_t bytes); /* at most a page */

#endif
