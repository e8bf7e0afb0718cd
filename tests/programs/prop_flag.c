/* norn-test
 * build: clang-19 -O2 -c $SRC/../causality/sleep.c -o sleep.o
 * cc: -O0 -g -pthread sleep.o
 * cc: -O1 -g -pthread sleep.o
 * cc: -O2 -g -pthread sleep.o
 * prop: prop_flag.prop
 * finding: property never_both .*predicted
 * finding: property never_members .*predicted
 * finding: property never_elements .*predicted
 */
/* Variables of one file that hold one of two values are single bits to the optimiser, and parts of structs and arrays are variables of their own; a property that names them
 * must find them as they are written. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int radio = 1, landing;
static struct {
	int radio, landing;
} plane = {1, 0};
static int both[2] = {1, 0};

static void *fail(void *unused)
{
	/* Nobody else's: it orders nothing, but recording notes the time there. */
	static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	usleep(20000);
	pthread_mutex_lock(&own);
	pthread_mutex_unlock(&own);
	radio = 0;
	plane.radio = 0;
	both[0] = 0;
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, fail, NULL);
	landing = 5;
	plane.landing = 5;
	both[1] = 5;
	usleep(1);
	landing = 0;
	plane.landing = 0;
	both[1] = 0;
	pthread_join(thread, NULL);
	printf("%d %d %d\n", landing + radio, plane.landing + plane.radio, both[0] + both[1]);
	return 0;
}
