/* norn-test
 * errors: yes
 * schedule: abab
 * cc: -DSAME_PHASE
 * cc: -DBEFORE
 * cc: -DREADS
 * cc: -DTHREE
 * cc: -DAGAIN
 * finding: ^race y\b.* (predicted|observed)
 * finding-count: 1
 * silent: -DSAME_PHASE -DRIGHT
 * silent: -DBEFORE -DRIGHT
 * silent: -DREADS -DRIGHT
 * silent: -DTHREE -DRIGHT
 * silent: -DAGAIN -DRIGHT
 * silent: -DSERIAL -DRIGHT
 */
/* S8, S9: a barrier keeps phases apart, and nothing within a phase. Locks order the two accesses of y when recorded, and need not: in a later phase (SAME_PHASE), in the first (BEFORE),
 * by a reader (READS), among three (THREE), after a second init (AGAIN), by the serial thread that does not wait for the others (SERIAL, by hand:
 * which thread that is, is chance). RIGHT: a barrier lies between. */
#include "cast.h"

static pthread_barrier_t bar;
static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
int y, uses, seen;

static void use(void)
{
	pthread_mutex_lock(&L);
	uses++;
	pthread_mutex_unlock(&L);
}

static int meet(void)
{
	gate_leave();
	return pthread_barrier_wait(&bar);
}

#ifdef SERIAL
#define FIRST 'b' /* glibc tells the last that comes that it is the one */
#define SECOND 'a'
#else
#define FIRST 'a'
#define SECOND 'b'
#endif

static void *one(void *unused)
{
	gate(FIRST);
#if defined(SAME_PHASE) || defined(READS) || defined(THREE) || defined(AGAIN)
	meet();
	gate('a');
	y = 1;
	use();
	meet();
#elif defined(BEFORE)
	y = 1;
	use();
	meet();
#elif defined(SERIAL)
	if (meet() == PTHREAD_BARRIER_SERIAL_THREAD)
		y = 1;
	use();
#ifdef RIGHT
	meet();
#endif
#endif
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate(SECOND);
#if defined(SAME_PHASE) || defined(READS) || defined(THREE) || defined(AGAIN)
	meet();
	gate('b');
#ifdef RIGHT
	meet();
#endif
	use();
#ifdef READS
	seen = y;
#else
	y = 2;
#endif
#ifndef RIGHT
	meet();
#endif
#elif defined(BEFORE)
#ifdef RIGHT
	meet();
#endif
	use();
	y = 2;
#ifndef RIGHT
	meet();
#endif
#elif defined(SERIAL)
	if (meet() == PTHREAD_BARRIER_SERIAL_THREAD)
		y = 1;
	use();
#ifdef RIGHT
	meet();
	seen = y;
#else
	y = 3;
#endif
#endif
	gate_leave();
	return unused;
}

#ifdef THREE
static void *three(void *unused)
{
	pthread_barrier_wait(&bar);
	pthread_barrier_wait(&bar);
	return unused;
}
#endif

int main(int argc, char **argv)
{
	unsigned threads = 2;
#ifdef THREE
	threads = 3;
#endif
#ifdef AGAIN
	pthread_barrier_init(&bar, NULL, 1);
	pthread_barrier_wait(&bar);
	pthread_barrier_destroy(&bar);
#endif
	pthread_barrier_init(&bar, NULL, threads);
#ifdef THREE
	pthread_t third;
	pthread_create(&third, NULL, three, NULL);
	pthread_detach(third);
#endif
	return argc < 2 || play(argv, one, two, NULL);
}
