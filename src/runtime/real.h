/* The real functions: what the interposed ones call.
 *
 * libnorn.so stands before libc (and before the program's own allocator, if it brings one) in the search order, so the next
 * definition after it is the one that the program would have got without Norn. All are looked up at once, by a constructor, or by
 * the first interposed call if that comes earlier: libraries that do not know of libnorn may be initialised before it.
 *
 * The pointers are written once, always with the same values; ready is set last (release), so a reader that sees it set sees all of
 * them. */
#ifndef NORN_RUNTIME_REAL_H
#define NORN_RUNTIME_REAL_H

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>

#define NORN_EXPORT __attribute__((visibility("default")))

/* X(result, name, parameters). The functions of the last list have older versions of the same name, with another layout of the
 * object, that a plain dlsym might give. */
#define NORN_REAL_ALLOC(X)                                                                                                         \
	X(void *, malloc, (size_t))                                                                                                \
	X(void *, calloc, (size_t, size_t))                                                                                        \
	X(void *, realloc, (void *, size_t))                                                                                       \
	X(void, free, (void *))                                                                                                    \
	X(int, posix_memalign, (void **, size_t, size_t))                                                                          \
	X(void *, aligned_alloc, (size_t, size_t))                                                                                 \
	X(void *, memalign, (size_t, size_t))                                                                                      \
	X(void *, valloc, (size_t))                                                                                                \
	X(void *, pvalloc, (size_t))                                                                                               \
	X(size_t, malloc_usable_size, (void *))

#define NORN_REAL_THREAD(X)                                                                                                        \
	X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))                                   \
	X(int, pthread_join, (pthread_t, void **))                                                                                 \
	X(int, pthread_tryjoin_np, (pthread_t, void **))                                                                           \
	X(int, pthread_timedjoin_np, (pthread_t, void **, const struct timespec *))                                                \
	X(int, pthread_clockjoin_np, (pthread_t, void **, clockid_t, const struct timespec *))                                     \
	X(void, pthread_exit, (void *))                                                                                            \
	X(void, thrd_exit, (int))                                                                                                  \
	X(int, pthread_detach, (pthread_t))                                                                                        \
	X(int, pthread_setcanceltype, (int, int *))                                                                                \
	X(int, pthread_once, (pthread_once_t *, void (*)(void)))                                                                   \
	X(int, thrd_create, (thrd_t *, thrd_start_t, void *))                                                                      \
	X(int, thrd_join, (thrd_t, int *))                                                                                         \
	X(int, thrd_detach, (thrd_t))                                                                                              \
	X(void, call_once, (once_flag *, void (*)(void)))

#define NORN_REAL_LOCK(X)                                                                                                          \
	X(int, pthread_mutex_init, (pthread_mutex_t *, const pthread_mutexattr_t *))                                               \
	X(int, pthread_mutex_destroy, (pthread_mutex_t *))                                                                         \
	X(int, pthread_mutex_lock, (pthread_mutex_t *))                                                                            \
	X(int, pthread_mutex_trylock, (pthread_mutex_t *))                                                                         \
	X(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *))                                              \
	X(int, pthread_mutex_clocklock, (pthread_mutex_t *, clockid_t, const struct timespec *))                                   \
	X(int, pthread_mutex_unlock, (pthread_mutex_t *))                                                                          \
	X(int, mtx_init, (mtx_t *, int))                                                                                           \
	X(void, mtx_destroy, (mtx_t *))                                                                                            \
	X(int, mtx_lock, (mtx_t *))                                                                                                \
	X(int, mtx_trylock, (mtx_t *))                                                                                             \
	X(int, mtx_timedlock, (mtx_t *, const struct timespec *))                                                                  \
	X(int, mtx_unlock, (mtx_t *))                                                                                              \
	X(int, pthread_rwlock_init, (pthread_rwlock_t *, const pthread_rwlockattr_t *))                                            \
	X(int, pthread_rwlock_destroy, (pthread_rwlock_t *))                                                                       \
	X(int, pthread_rwlock_rdlock, (pthread_rwlock_t *))                                                                        \
	X(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *))                                                                     \
	X(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *))                                          \
	X(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t *, clockid_t, const struct timespec *))                               \
	X(int, pthread_rwlock_wrlock, (pthread_rwlock_t *))                                                                        \
	X(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *))                                                                     \
	X(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *))                                          \
	X(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t *, clockid_t, const struct timespec *))                               \
	X(int, pthread_rwlock_unlock, (pthread_rwlock_t *))                                                                        \
	X(int, pthread_spin_init, (pthread_spinlock_t *, int))                                                                     \
	X(int, pthread_spin_destroy, (pthread_spinlock_t *))                                                                       \
	X(int, pthread_spin_lock, (pthread_spinlock_t *))                                                                          \
	X(int, pthread_spin_trylock, (pthread_spinlock_t *))                                                                       \
	X(int, pthread_spin_unlock, (pthread_spinlock_t *))

#define NORN_REAL_WAIT(X)                                                                                                          \
	X(int, pthread_barrier_init, (pthread_barrier_t *, const pthread_barrierattr_t *, unsigned))                               \
	X(int, pthread_barrier_destroy, (pthread_barrier_t *))                                                                     \
	X(int, pthread_barrier_wait, (pthread_barrier_t *))                                                                        \
	X(int, pthread_cond_clockwait, (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))                  \
	X(int, cnd_init, (cnd_t *))                                                                                                \
	X(void, cnd_destroy, (cnd_t *))                                                                                            \
	X(int, cnd_signal, (cnd_t *))                                                                                              \
	X(int, cnd_broadcast, (cnd_t *))                                                                                           \
	X(int, cnd_wait, (cnd_t *, mtx_t *))                                                                                       \
	X(int, cnd_timedwait, (cnd_t *, mtx_t *, const struct timespec *))                                                         \
	X(int, sem_init, (sem_t *, int, unsigned))                                                                                 \
	X(int, sem_destroy, (sem_t *))                                                                                             \
	X(sem_t *, sem_open, (const char *, int, ...))                                                                             \
	X(int, sem_close, (sem_t *))                                                                                               \
	X(int, sem_wait, (sem_t *))                                                                                                \
	X(int, sem_trywait, (sem_t *))                                                                                             \
	X(int, sem_timedwait, (sem_t *, const struct timespec *))                                                                  \
	X(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *))                                                       \
	X(int, sem_post, (sem_t *))

#define NORN_REAL_PROCESS(X)                                                                                                       \
	X(int, clone, (int (*)(void *), void *, int, void *, ...))                                                                 \
	X(pid_t, _Fork, (void))                                                                                                    \
	X(int, execve, (const char *, char *const[], char *const[]))                                                               \
	X(int, execvpe, (const char *, char *const[], char *const[]))                                                              \
	X(int, fexecve, (int, char *const[], char *const[]))                                                                       \
	X(int, execveat, (int, const char *, char *const[], char *const[], int))                                                   \
	X(void, _exit, (int))                                                                                                      \
	X(void, quick_exit, (int))                                                                                                 \
	X(void, abort, (void))                                                                                                     \
	X(void, __assert_fail, (const char *, const char *, unsigned, const char *))                                               \
	X(int, sigaction, (int, const struct sigaction *, struct sigaction *))                                                     \
	X(int, siginterrupt, (int, int))

#define NORN_REAL_IO(X)                                                                                                            \
	X(ssize_t, read, (int, void *, size_t))                                                                                    \
	X(ssize_t, readv, (int, const struct iovec *, int))                                                                        \
	X(ssize_t, pread, (int, void *, size_t, off_t))                                                                            \
	X(ssize_t, pread64, (int, void *, size_t, off64_t))                                                                        \
	X(ssize_t, preadv, (int, const struct iovec *, int, off_t))                                                                \
	X(ssize_t, preadv64, (int, const struct iovec *, int, off64_t))                                                            \
	X(ssize_t, preadv2, (int, const struct iovec *, int, off_t, int))                                                          \
	X(ssize_t, preadv64v2, (int, const struct iovec *, int, off64_t, int))                                                     \
	X(ssize_t, recv, (int, void *, size_t, int))                                                                               \
	X(ssize_t, recvfrom, (int, void *, size_t, int, __SOCKADDR_ARG, socklen_t *))                                              \
	X(ssize_t, recvmsg, (int, struct msghdr *, int))                                                                           \
	X(int, recvmmsg, (int, struct mmsghdr *, unsigned, int, struct timespec *))                                                \
	X(int, accept, (int, __SOCKADDR_ARG, socklen_t *))                                                                         \
	X(int, accept4, (int, __SOCKADDR_ARG, socklen_t *, int))                                                                   \
	X(int, poll, (struct pollfd *, nfds_t, int))                                                                               \
	X(int, ppoll, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))                                        \
	X(int, select, (int, fd_set *, fd_set *, fd_set *, struct timeval *))                                                      \
	X(int, pselect, (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *))                            \
	X(int, epoll_wait, (int, struct epoll_event *, int, int))                                                                  \
	X(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *))                                               \
	X(int, epoll_pwait2, (int, struct epoll_event *, int, const struct timespec *, const sigset_t *))                          \
	X(int, eventfd_read, (int, eventfd_t *))                                                                                   \
	X(ssize_t, __read_chk, (int, void *, size_t, size_t))                                                                      \
	X(ssize_t, __pread_chk, (int, void *, size_t, off_t, size_t))                                                              \
	X(ssize_t, __pread64_chk, (int, void *, size_t, off64_t, size_t))                                                          \
	X(ssize_t, __recv_chk, (int, void *, size_t, size_t, int))                                                                 \
	X(ssize_t, __recvfrom_chk, (int, void *, size_t, size_t, int, __SOCKADDR_ARG, socklen_t *))                                \
	X(int, __poll_chk, (struct pollfd *, nfds_t, int, size_t))                                                                 \
	X(int, __ppoll_chk, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t))                          \
	X(ssize_t, write, (int, const void *, size_t))                                                                             \
	X(ssize_t, writev, (int, const struct iovec *, int))                                                                       \
	X(ssize_t, pwrite, (int, const void *, size_t, off_t))                                                                     \
	X(ssize_t, pwrite64, (int, const void *, size_t, off64_t))                                                                 \
	X(ssize_t, pwritev, (int, const struct iovec *, int, off_t))                                                               \
	X(ssize_t, pwritev64, (int, const struct iovec *, int, off64_t))                                                           \
	X(ssize_t, pwritev2, (int, const struct iovec *, int, off_t, int))                                                         \
	X(ssize_t, pwritev64v2, (int, const struct iovec *, int, off64_t, int))                                                    \
	X(ssize_t, send, (int, const void *, size_t, int))                                                                         \
	X(ssize_t, sendto, (int, const void *, size_t, int, __CONST_SOCKADDR_ARG, socklen_t))                                      \
	X(ssize_t, sendmsg, (int, const struct msghdr *, int))                                                                     \
	X(int, sendmmsg, (int, struct mmsghdr *, unsigned, int))                                                                   \
	X(int, connect, (int, __CONST_SOCKADDR_ARG, socklen_t))                                                                    \
	X(int, shutdown, (int, int))                                                                                               \
	X(int, close, (int))                                                                                                       \
	X(int, pipe, (int *))                                                                                                      \
	X(int, pipe2, (int *, int))                                                                                                \
	X(int, eventfd_write, (int, eventfd_t))                                                                                    \
	X(size_t, fread, (void *, size_t, size_t, FILE *))                                                                         \
	X(char *, fgets, (char *, int, FILE *))                                                                                    \
	X(ssize_t, getline, (char **, size_t *, FILE *))                                                                           \
	X(ssize_t, getdelim, (char **, size_t *, int, FILE *))                                                                     \
	X(ssize_t, __getdelim, (char **, size_t *, int, FILE *))                                                                   \
	X(int, fgetc, (FILE *))                                                                                                    \
	X(int, getc, (FILE *))                                                                                                     \
	X(int, getchar, (void))                                                                                                    \
	X(size_t, __fread_chk, (void *, size_t, size_t, size_t, FILE *))                                                           \
	X(char *, __fgets_chk, (char *, size_t, int, FILE *))                                                                      \
	X(int, fflush, (FILE *))

#define NORN_REAL_STREAM(X)                                                                                                        \
	X(int, vprintf, (const char *, va_list))                                                                                   \
	X(int, vfprintf, (FILE *, const char *, va_list))                                                                          \
	X(int, vdprintf, (int, const char *, va_list))                                                                             \
	X(int, __vprintf_chk, (int, const char *, va_list))                                                                        \
	X(int, __vfprintf_chk, (FILE *, int, const char *, va_list))                                                               \
	X(int, __vdprintf_chk, (int, int, const char *, va_list))                                                                  \
	X(int, puts, (const char *))                                                                                               \
	X(int, putchar, (int))                                                                                                     \
	X(int, putc, (int, FILE *))                                                                                                \
	X(int, _IO_putc, (int, FILE *))                                                                                            \
	X(int, fputc, (int, FILE *))                                                                                               \
	X(int, fputs, (const char *, FILE *))                                                                                      \
	X(size_t, fwrite, (const void *, size_t, size_t, FILE *))                                                                  \
	X(int, putchar_unlocked, (int))                                                                                            \
	X(int, putc_unlocked, (int, FILE *))                                                                                       \
	X(int, fputc_unlocked, (int, FILE *))                                                                                      \
	X(int, fputs_unlocked, (const char *, FILE *))                                                                             \
	X(size_t, fwrite_unlocked, (const void *, size_t, size_t, FILE *))                                                         \
	X(int, setvbuf, (FILE *, char *, int, size_t))                                                                             \
	X(int, swapcontext, (ucontext_t *, const ucontext_t *))                                                                    \
	X(int, setcontext, (const ucontext_t *))                                                                                   \
	X(void, longjmp, (struct __jmp_buf_tag *, int))                                                                            \
	X(void, _longjmp, (struct __jmp_buf_tag *, int))                                                                           \
	X(void, siglongjmp, (struct __jmp_buf_tag *, int))                                                                         \
	X(void, __longjmp_chk, (struct __jmp_buf_tag *, int))                                                                      \
	X(void, perror, (const char *))

#define NORN_REAL_TEXT(X)                                                                                                          \
	X(char *, strtok_r, (char *, const char *, char **))                                                                       \
	X(char *, strsep, (char **, const char *))                                                                                 \
	X(int, vsnprintf, (char *, size_t, const char *, va_list))                                                                 \
	X(int, vsprintf, (char *, const char *, va_list))                                                                          \
	X(int, vasprintf, (char **, const char *, va_list))                                                                        \
	X(int, __vsnprintf_chk, (char *, size_t, int, size_t, const char *, va_list))                                              \
	X(int, __vsprintf_chk, (char *, int, size_t, const char *, va_list))

#define NORN_REAL_MAP(X)                                                                                                           \
	X(void *, mmap, (void *, size_t, int, int, int, off_t))                                                                    \
	X(void *, mmap64, (void *, size_t, int, int, int, off64_t))                                                                \
	X(int, mprotect, (void *, size_t, int))                                                                                    \
	X(int, pkey_mprotect, (void *, size_t, int, int))                                                                          \
	X(int, munmap, (void *, size_t))                                                                                           \
	X(void *, mremap, (void *, size_t, size_t, int, ...))                                                                      \
	X(void *, shmat, (int, const void *, int))                                                                                 \
	X(int, shmdt, (const void *))

#define NORN_REAL_COND(X)                                                                                                          \
	X(int, pthread_cond_init, (pthread_cond_t *, const pthread_condattr_t *))                                                  \
	X(int, pthread_cond_destroy, (pthread_cond_t *))                                                                           \
	X(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *))                                                           \
	X(int, pthread_cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))                             \
	X(int, pthread_cond_signal, (pthread_cond_t *))                                                                            \
	X(int, pthread_cond_broadcast, (pthread_cond_t *))

#define NORN_REAL_ALL(X)                                                                                                           \
	NORN_REAL_ALLOC(X)                                                                                                         \
	NORN_REAL_THREAD(X)                                                                                                        \
	NORN_REAL_LOCK(X)                                                                                                          \
	NORN_REAL_WAIT(X)                                                                                                          \
	NORN_REAL_PROCESS(X) NORN_REAL_IO(X) NORN_REAL_STREAM(X) NORN_REAL_TEXT(X) NORN_REAL_MAP(X) NORN_REAL_COND(X)

struct norn_real {
	atomic_bool ready;
#define NORN_REAL_FIELD(result, name, parameters) result(*name) parameters;
	NORN_REAL_ALL(NORN_REAL_FIELD)
#undef NORN_REAL_FIELD
};
extern struct norn_real norn_real;

void norn_real_resolve(void);

static inline const struct norn_real *norn_reals(void)
{
	if (__builtin_expect(!atomic_load_explicit(&norn_real.ready, memory_order_acquire), 0))
		norn_real_resolve();
	return &norn_real;
}

/* Bytes that the caller may use of a block from the real malloc; 0 if that cannot be told. */
size_t norn_real_usable(void *block);

#define REAL(name) (norn_reals()->name)

#endif
