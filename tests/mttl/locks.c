/* What locks carry: acts on locks of all kinds, two of which are neighbours, and the memory that they are in. */
#define _GNU_SOURCE
#include <norn.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#include "player.h"

static struct {
	pthread_mutex_t mutex;
	pthread_rwlock_t both;
	pthread_spinlock_t spin, next;
} locks = {.mutex = PTHREAD_MUTEX_INITIALIZER, .both = PTHREAD_RWLOCK_INITIALIZER};
static char elsewhere[sizeof locks];
/* Words of locks are for 32 bytes. */
static struct {
	_Alignas(32) pthread_spinlock_t before;
	pthread_mutex_t after;
} near = {.after = PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t twice = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, strict = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, shared,
                       robust;
static mtx_t c11;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

#define ACT(name, what)                                                                                                            \
	__attribute__((noinline)) void name(int value)                                                                             \
	{                                                                                                                          \
		(void)value;                                                                                                       \
		what;                                                                                                              \
	}

ACT(tell, norn_event("tell", 0))
ACT(mutex, pthread_mutex_lock(&locks.mutex); pthread_mutex_unlock(&locks.mutex))
ACT(again, pthread_mutex_destroy(&locks.mutex); pthread_mutex_init(&locks.mutex, NULL))
ACT(reads, pthread_rwlock_rdlock(&locks.both); pthread_rwlock_unlock(&locks.both))
ACT(writes, pthread_rwlock_wrlock(&locks.both); pthread_rwlock_unlock(&locks.both))
ACT(spin, pthread_spin_lock(&locks.spin); pthread_spin_unlock(&locks.spin))
ACT(next, pthread_spin_lock(&locks.next); pthread_spin_unlock(&locks.next))
ACT(spin_again, pthread_spin_destroy(&locks.spin); pthread_spin_init(&locks.spin, 0))
ACT(before, pthread_spin_lock(&near.before); pthread_spin_unlock(&near.before))
ACT(after, pthread_mutex_lock(&near.after); pthread_mutex_unlock(&near.after))
ACT(recursive, pthread_mutex_lock(&twice); pthread_mutex_lock(&twice); pthread_mutex_unlock(&twice); pthread_mutex_unlock(&twice))
ACT(checking, pthread_mutex_lock(&strict); pthread_mutex_lock(&strict); pthread_mutex_unlock(&strict);
        pthread_mutex_unlock(&strict))
ACT(sharing, pthread_mutex_lock(&shared); pthread_mutex_unlock(&shared))
ACT(surviving, pthread_mutex_lock(&robust); pthread_mutex_unlock(&robust))
ACT(standard, mtx_lock(&c11); mtx_unlock(&c11))
ACT(trying, pthread_mutex_trylock(&locks.mutex); pthread_mutex_unlock(&locks.mutex))
ACT(timed, pthread_mutex_timedlock(&locks.mutex, &(struct timespec){0}); pthread_mutex_unlock(&locks.mutex))
ACT(waiting, pthread_mutex_lock(&locks.mutex); pthread_cond_timedwait(&never, &locks.mutex, &(struct timespec){0});
        pthread_mutex_unlock(&locks.mutex))
ACT(copy, memcpy(elsewhere, &locks, sizeof locks))
ACT(back, memcpy(&locks, elsewhere, sizeof locks))

static const struct act acts[] = {{"t", tell}, {"m", mutex}, {"a", again}, {"r", reads}, {"w", writes}, {"s", spin}, {"n", next},
        {"b", spin_again}, {"c", copy}, {"k", back}, {"f", before}, {"g", after}, {"v", recursive}, {"e", checking}, {"h", sharing},
        {"u", surviving}, {"d", standard}, {"y", trying}, {"i", timed}, {"z", waiting}, {0, 0}};

static void init(void)
{
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared, &attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_PRIVATE);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attr);
	mtx_init(&c11, mtx_plain);
	pthread_spin_init(&near.before, 0);
	pthread_spin_init(&locks.spin, 0);
	pthread_spin_init(&locks.next, 0);
}

int main(int argc, char **argv)
{
	init();
	return argc == 2 ? play(argv[1], 3, acts) : 2;
}
