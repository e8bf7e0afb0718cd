/* norn-test
 * errors: yes
 * schedule: ab
 * cc: -DUSE=table[seen]++
 * cc: '-DUSE=if(seen){exit(0);}'
 * cc: '-DUSE=(void)usleep(seen)'
 * cc: -DUSE=pthread_mutex_lock(&locks[seen])
 * cc: '-DUSE=return(void*)(long)seen'
 * finding: ^race limit predicted at later_use.c:\d+ one write by main/1, later_use.c:\d+ two read by main/2
 * silent: '-DEARLY=if(!seen){exit(0);}'
 * silent: '-DEARLY=while(!seen){pause();}'
 * silent: '-DEARLY=if(wait_for(seen)){exit(0);}'
 * silent: '-DEARLY=table[3]=8/seen;'
 * silent: '-DEARLY=if(!table[seen-1]){exit(0);}' -DFILLED
 */
/* V1, where a decision stands: what is read under the lock decides something, but only after the race, so the regions may come the
 * other way round. Silent: it decides whether the thread comes to the access of `limit` at all. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((unused)) static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
volatile int limit;
int count, result;
int table[4];

__attribute__((noinline, unused)) static int wait_for(int seen)
{
	return seen != 1;
}

static void *one(void *unused)
{
	gate('a');
	limit = 8;
#ifdef FILLED
	table[0] = 1;
#endif
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	int seen = count;
	pthread_mutex_unlock(&lock);
#ifdef EARLY
	EARLY
#endif
	result = limit;
	gate_leave();
#ifdef USE
	USE;
#endif
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
