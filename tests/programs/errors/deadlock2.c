/* norn-test
 * errors: yes
 * schedule: ab
 * cc: -DMUTEX
 * cc: -DSPIN
 * finding: ^deadlock (left, right|right, left) predicted .* (one acquire by main/1, .* two acquire by main/2|two acquire by main/2, .* one acquire by main/1)
 * finding-count: 1
 * silent: -DMUTEX -DRIGHT
 * silent: -DMUTEX -DTRY
 */
/* Two locks, each thread with one of them waiting for the other. */
#include "../sliced/cast.h"

#ifdef SPIN
typedef pthread_spinlock_t lock_type;
#define INIT(l) pthread_spin_init(l, 0)
#define LOCK pthread_spin_lock
#define UNLOCK pthread_spin_unlock
#else
typedef pthread_mutex_t lock_type;
#define INIT(l) pthread_mutex_init(l, NULL)
#define LOCK pthread_mutex_lock
#define UNLOCK pthread_mutex_unlock
#endif
static lock_type left, right;
int meals;

static void *one(void *unused)
{
	gate('a');
	LOCK(&left);
	LOCK(&right);
	meals++;
	UNLOCK(&right);
	UNLOCK(&left);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
#if defined(RIGHT)
	LOCK(&left);
	LOCK(&right);
#elif defined(TRY)
	LOCK(&right);
	while (pthread_mutex_trylock(&left) != 0) {
		UNLOCK(&right);
		LOCK(&right);
	}
#else
	LOCK(&right);
	LOCK(&left);
#endif
	meals++;
	UNLOCK(&left);
	UNLOCK(&right);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	INIT(&left);
	INIT(&right);
	return argc < 2 || play(argv, one, two, NULL) || meals != 2;
}
