/* norn-test
 * silent: -lm
 */
/* Environment, locale, time zone and strtok guarded by one lock; errno, strerror_r, rand_r, localtime_r and uselocale need none. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *last;
static void *run(void *arg)
{
	unsigned seed = (unsigned)(size_t)arg;
	for (int i = 0; i < 3; i++) {
		char value[16], text[32];
		snprintf(value, sizeof value, "%d", rand_r(&seed) % 100);
		pthread_mutex_lock(&lock);
		setenv("NORN_W", value, 1);
		last = getenv("NORN_W");
		assert(!strcmp(last, value));
		char copy[] = "a:b:c";
		int n = 0;
		for (char *p = strtok(copy, ":"); p; p = strtok(NULL, ":"))
			n++;
		assert(n == 3);
		struct tm *g = gmtime(&(time_t){86400 * 365});
		assert(g->tm_year == 71);
		pthread_mutex_unlock(&lock);
		errno = 0;
		double d = sqrt(-1.0 * seed);
		assert(errno == EDOM && d != d);
		assert(close(-1) == -1 && errno == EBADF);
		assert(strlen(strerror_r(errno, text, sizeof text)) > 3);
		struct tm l;
		time_t zero = 1000000;
		assert(localtime_r(&zero, &l) == &l && l.tm_year == 70);
		locale_t c = newlocale(LC_ALL_MASK, "C", NULL), old = uselocale(c);
		assert(strtod("1.5", NULL) == 1.5);
		uselocale(old);
		freelocale(c);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	setlocale(LC_ALL, "");
	for (size_t i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, (void *)(i + 1));
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(last && atoi(last) < 100);
	puts("ok");
	return 0;
}
