/* The real functions: what the interposed ones call.
 *
 * libnorn.so stands before libc (and before the program's own allocator, if it brings one) in the search order, so the next
 * definition after it is the one that the program would have got without Norn. All are looked up at once, by a constructor, or by
 * the first interposed call if that comes earlier: libraries that do not know of libnorn may be initialised before it.
 *
 * The pointers are written once, always with the same values; ready is set last, so whoever sees it set sees them all. */
#ifndef NORN_RUNTIME_REAL_H
#define NORN_RUNTIME_REAL_H

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <threads.h>
#include <time.h>

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
	X(pid_t, _Fork, (void))                                                                                                    \
	X(int, execve, (const char *, char *const[], char *const[]))                                                               \
	X(int, execvpe, (const char *, char *const[], char *const[]))                                                              \
	X(int, fexecve, (int, char *const[], char *const[]))                                                                       \
	X(int, execveat, (int, const char *, char *const[], char *const[], int))                                                   \
	X(void, _exit, (int))                                                                                                      \
	X(void, quick_exit, (int))                                                                                                 \
	X(void, abort, (void))                                                                                                     \
	X(int, sigaction, (int, const struct sigaction *, struct sigaction *))                                                     \
	X(int, siginterrupt, (int, int))

#define NORN_REAL_COND(X)                                                                                                          \
	X(int, pthread_cond_init, (pthread_cond_t *, const pthread_condattr_t *))                                                  \
	X(int, pthread_cond_destroy, (pthread_cond_t *))                                                                           \
	X(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *))                                                           \
	X(int, pthread_cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))                             \
	X(int, pthread_cond_signal, (pthread_cond_t *))                                                                            \
	X(int, pthread_cond_broadcast, (pthread_cond_t *))

#define NORN_REAL_ALL(X)                                                                                                           \
	NORN_REAL_ALLOC(X)                                                                                                         \
	NORN_REAL_THREAD(X) NORN_REAL_LOCK(X) NORN_REAL_WAIT(X) NORN_REAL_PROCESS(X) NORN_REAL_COND(X)

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
