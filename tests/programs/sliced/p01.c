/* norn-test
 * prop: p.prop
 * errors: yes
 * schedule: 21
 * no-finding: yes
 */
/* B happens only if x is still 0: the two regions cannot change places. */
#include <norn.h>

#include "cast.h"

static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
int x, z;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&L);
	x = 1;
	norn_event("A", 0);
	pthread_mutex_unlock(&L);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&L);
	int r = x;
#ifdef KEEP
	z = r;
	norn_event("B", 0);
#else
	if (r == 0)
		norn_event("B", 0);
#endif
	pthread_mutex_unlock(&L);
	norn_event("C", 0);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
