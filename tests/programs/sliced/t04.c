/* norn-test
 * errors: yes
 * schedule: 123
 * finding: ^race y\b
 * finding: ^race f\b
 */
/* The first thread may be in its region while the second one has yet to begin its own, which in the run that was seen came later. */
#include "cast.h"

static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
int f, y;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&L);
	y = 1;
	pthread_mutex_unlock(&L);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&L);
	f = 1;
	pthread_mutex_unlock(&L);
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('3');
	if (f)
		y = 3;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, three);
}
