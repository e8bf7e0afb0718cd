/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^deadlock lock predicted .* (leave join by main, .* work acquire by main/1|work acquire by main/1, .* leave join by main)
 * finding-count: 1
 * silent: -DRIGHT
 * silent: -DBEFORE
 */
/* Holds a lock while it waits for the end of a thread that needs it. */
#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int done;

static void *work(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	done++;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void leave(pthread_t thread)
{
#ifdef RIGHT
	pthread_join(thread, NULL);
	pthread_mutex_lock(&lock);
#else
	pthread_mutex_lock(&lock);
	pthread_join(thread, NULL);
#endif
	done++;
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	if (argc < 2 || pthread_create(&thread, NULL, work, NULL) != 0)
		return 1;
	gate_gather(1);
	gate_open(argv[1]);
	gate('b');
#ifdef BEFORE
	/* It has been there before: this orders them. */
	for (int seen = 0; !seen;) {
		pthread_mutex_lock(&lock);
		seen = done;
		pthread_mutex_unlock(&lock);
	}
#endif
	leave(thread);
	return done != 2;
}
