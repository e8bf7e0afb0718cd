/* norn-test
 * errors: yes
 * schedule: ab
 * cc: -DCASE=1
 * cc: -DCASE=2
 * cc: -DCASE=3
 * finding: ^assertion written == 1 predicted at skipped_arm.c:\d+ main
 * silent: -DRIGHT -DCASE=1
 * silent: -DRIGHT -DCASE=2
 * silent: -DRIGHT -DCASE=3
 * silent: -DELSE
 * silent: -DTWICE
 * silent: -DOTHERWISE
 * silent: -DLOCAL
 */
/* A log is closed and opened again in two steps (MySQL, bug 791). What is written in between is skipped, so that the count is wrong in the end: the branch on the state comes out
 * otherwise, and its other arm is empty (V11). 1: one branch; 2: two, one in the other; 3: by a flag in a word. Right: both steps in one region; or what is skipped is made up for (V11.e):
 * in the other arm, by a second look at the same state, later, or by what a local says. */
#include <assert.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_open = 1, flags = 5;
int room = 10, written, missed;

static void *rotate(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	is_open = 0;
	flags &= ~4;
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	is_open = 1;
	flags |= 4;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *insert(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
#if defined ELSE
	if (is_open)
		written = 1;
	else
		missed = 1;
#elif defined TWICE
	int now = is_open;
	if (now)
		written = 1;
	if (!now)
		missed = 1;
#elif defined OTHERWISE
	if (is_open)
		written = 1;
	room = 9;
	if (!written)
		missed = 1;
#elif defined LOCAL
	int done = 0;
	if (is_open) {
		written = 1;
		done = 1;
	}
	missed = !done;
#elif CASE == 1
	if (is_open)
		written++;
#elif CASE == 2
	if (is_open)
		if (room > 3)
			written++;
#elif CASE == 3
	if (flags & 4)
		written = 1;
#endif
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, insert, rotate, NULL))
		return 2;
#ifdef CASE
	assert(written == 1);
#else
	assert(written + missed == 1);
#endif
	return 0;
}
