/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race p\b
 * never-finding: ^race y\b
 */
/* With p = 0 both writes of y are under the same lock. So a race on y is not possible. */
#include "cast.h"

static pthread_mutex_t la[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int p, y;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_t *lock = &la[p & 1];
	pthread_mutex_lock(lock);
	y = 1;
	pthread_mutex_unlock(lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&la[0]);
	y = 2;
	pthread_mutex_unlock(&la[0]);
	p = 1;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
