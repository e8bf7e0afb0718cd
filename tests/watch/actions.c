/* What happens when a property is violated: calls in the thread that did it, a callback, the monitor goes on. */
#include <norn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

volatile int level;
int mended, called_back, nested;
double last;
static pthread_t violator;
static int in_violator = 1;

/* Mends the invariant; violates it on the way, which must not call it again. */
__attribute__((noinline)) void mend(int was, long by, double half)
{
	nested++;
	in_violator &= nested == 1 && pthread_equal(pthread_self(), violator);
	mended += was == level && by == 7;
	last = half;
	level = 300;
	level = 0;
	nested--;
}

static void told(const char *property, const char *message, void *context)
{
	in_violator &= pthread_equal(pthread_self(), violator) && context == &called_back;
	called_back += strcmp(property, "low") == 0 && strcmp(message, "level 200") == 0;
}

static void *work(void *unused)
{
	violator = pthread_self();
	level = 1;
	level = 200;
	for (int i = 0; i < 10; i++)
		level = i;
	level = 200;
	return unused;
}

int main(void)
{
	pthread_t thread;
	norn_on_violation("low", told, &called_back);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	/* level is 0 again: it was mended, twice. */
	printf("level %d mended %d called back %d in violator %d half %g\n", level, mended, called_back, in_violator, last);
	return 0;
}
