/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race f\b
 * never-finding: ^race y\b
 */
/* A race on y is not possible: f is seen only while the second thread is in its region, or after it; then the first one waits for the lock. */
#include "cast.h"

static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
int f, y;

static void *one(void *unused)
{
	gate('1');
	if (f) {
		pthread_mutex_lock(&L);
		pthread_mutex_unlock(&L);
		y = 1;
	}
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&L);
	f = 1;
	y = 2;
	pthread_mutex_unlock(&L);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
