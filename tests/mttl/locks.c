/* What locks carry: acts on locks of all kinds, two of which are neighbours, and the memory that they are in. */
#include <norn.h>
#include <pthread.h>
#include <string.h>

#include "player.h"

static struct {
	pthread_mutex_t mutex;
	pthread_rwlock_t both;
	pthread_spinlock_t spin, next;
} locks = {.mutex = PTHREAD_MUTEX_INITIALIZER, .both = PTHREAD_RWLOCK_INITIALIZER};
static char elsewhere[sizeof locks];

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
ACT(copy, memcpy(elsewhere, &locks, sizeof locks))
ACT(back, memcpy(&locks, elsewhere, sizeof locks))

static const struct act acts[] = {{"t", tell}, {"m", mutex}, {"a", again}, {"r", reads}, {"w", writes}, {"s", spin}, {"n", next},
        {"b", spin_again}, {"c", copy}, {"k", back}, {0, 0}};

int main(int argc, char **argv)
{
	pthread_spin_init(&locks.spin, 0);
	pthread_spin_init(&locks.next, 0);
	return argc == 2 ? play(argv[1], 3, acts) : 2;
}
