/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion filled >= length predicted at append.c:\d+ two assert by main/2
 * silent: -DRIGHT
 */
/* The length grows before the text does. */
#include <assert.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int text_length, text_filled;

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	text_length += 4;
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	text_filled += 4;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	int length = text_length, filled = text_filled;
	pthread_mutex_unlock(&lock);
	assert(filled >= length);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
