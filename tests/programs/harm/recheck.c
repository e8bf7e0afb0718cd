/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion slots > 0 predicted at recheck.c:\d+ take assert by main/[12]
 * fix: ^assertion slots > 0: look at slots, as at recheck.c:\d+, once more after lock is taken at recheck.c:\d+$
 * silent: -DRIGHT
 */
/* There was room, then a thread waits, then there may be none. The lock cannot be held while it waits. */
#include <assert.h>
#include <semaphore.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t tickets;
static int slots = 1, taken;

static void take(void)
{
	pthread_mutex_lock(&lock);
	int room = slots;
	pthread_mutex_unlock(&lock);
	if (room < 1)
		return;
	sem_wait(&tickets);
	pthread_mutex_lock(&lock);
#ifdef RIGHT
	if (slots > 0) {
#endif
		assert(slots > 0);
		taken++;
		slots = slots - 1;
#ifdef RIGHT
	}
#endif
	pthread_mutex_unlock(&lock);
	sem_post(&tickets);
}

static void *one(void *unused)
{
	gate('a');
	take();
	pthread_mutex_lock(&lock);
	slots = slots + 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	take();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	sem_init(&tickets, 0, 2);
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
