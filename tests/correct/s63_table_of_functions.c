/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: locks, memory and output by a table of functions, as plug-ins have it */
#include "correct.h"
struct api {
	int (*lock)(pthread_mutex_t *);
	int (*unlock)(pthread_mutex_t *);
	void *(*get)(size_t);
	void (*put)(void *);
	char *(*copy)(char *, const char *);
	int (*compare)(const char *, const char *);
	unsigned (*pause)(unsigned);
};
static struct api api = {pthread_mutex_lock, pthread_mutex_unlock, malloc, free, strcpy, strcmp, sleep};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *text;
static int d;
T(w)
{
	for (int i = 0; i < 3; i++) {
		api.lock(&m);
		if (text && api.compare(text, "one") == 0)
			d++;
		api.put(text);
		text = api.get(8);
		api.copy(text, "one");
		api.unlock(&m);
		J();
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	free(text);
	printf("%d\n", d);
	return d != 5;
}
