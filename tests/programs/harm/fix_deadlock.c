/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race x predicted
 * fix: ^race x: hold b \(which is taken at fix_deadlock.c:\d+\) at fix_deadlock.c:\d+ \(one\)$
 * silent: -DRIGHT
 */
/* Each side of a race has a lock. The first one's at the second side would make a deadlock possible, so it is not proposed; the second one's at the first side helps. */
#include "../sliced/cast.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&a);
#ifdef RIGHT
	pthread_mutex_lock(&b);
#endif
	x++;
#ifdef RIGHT
	pthread_mutex_unlock(&b);
#endif
	pthread_mutex_lock(&b);
	y++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&b);
	x++;
	pthread_mutex_unlock(&b);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL) || x + y != 3;
}
