/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion token2 == token1 predicted at ring.c:\d+ main assert by main
 * silent: -DRIGHT
 */
/* The second station takes the token that the first is to have made. */
#include <assert.h>
#include <semaphore.h>

#include "../sliced/cast.h"

static int token1, token2, token3;
#ifdef RIGHT
static sem_t made;
#endif

static void *one(void *unused)
{
	gate('a');
	token1 = token3 + 1;
#ifdef RIGHT
	sem_post(&made);
#endif
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
#ifdef RIGHT
	sem_wait(&made);
#endif
	token2 = token1;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
#ifdef RIGHT
	sem_init(&made, 0, 0);
#endif
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	assert(token2 == token1);
	return 0;
}
