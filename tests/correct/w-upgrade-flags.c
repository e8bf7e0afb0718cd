/* norn-test
 * silent:
 * unjudged:
 */
/* Features are switched on once and never off; who has seen a feature on relies on all that it needs, read later, under other locks, in other functions. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct backend {
	const char *name;
	int (*call)(struct backend *, int);
	int bias;
};
static int plain(struct backend *b, int n)
{
	return n + b->bias;
}
static int twice(struct backend *b, int n)
{
	return 2 * n + b->bias;
}
static pthread_mutex_t flags_lock = PTHREAD_MUTEX_INITIALIZER, backend_lock = PTHREAD_MUTEX_INITIALIZER,
                       log_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned flags;
static struct backend *backend;
static char **journal;
static size_t journal_used, journal_room;
static unsigned get(void)
{
	pthread_mutex_lock(&flags_lock);
	unsigned f = flags;
	pthread_mutex_unlock(&flags_lock);
	return f;
}
static void set(unsigned f)
{
	pthread_mutex_lock(&flags_lock);
	flags |= f;
	pthread_mutex_unlock(&flags_lock);
}
static void *starter(void *arg)
{
	static struct backend a = {"plain", plain, 1}, b = {"twice", twice, 0};
	pthread_mutex_lock(&backend_lock);
	backend = &a;
	pthread_mutex_unlock(&backend_lock);
	set(1);
	pthread_mutex_lock(&log_lock);
	journal_room = 2;
	journal = calloc(journal_room, sizeof *journal);
	pthread_mutex_unlock(&log_lock);
	set(2);
	pthread_mutex_lock(&backend_lock);
	backend = &b;
	pthread_mutex_unlock(&backend_lock);
	set(4);
	return arg;
}
static void note(const char *s)
{
	pthread_mutex_lock(&log_lock);
	assert(journal != NULL);
	if (journal_used == journal_room) {
		journal_room *= 2;
		journal = realloc(journal, journal_room * sizeof *journal);
		if (!journal)
			abort();
	}
	journal[journal_used++] = strdup(s);
	assert(journal[0][0] == 'p' || journal[0][0] == 't');
	pthread_mutex_unlock(&log_lock);
}
static void *user(void *arg)
{
	for (int i = 0; i < 5; i++) {
		unsigned f = get();
		if (!(f & 1))
			continue;
		pthread_mutex_lock(&backend_lock);
		int r = backend->call(backend, 10);
		const char *name = backend->name;
		pthread_mutex_unlock(&backend_lock);
		assert(f & 4 ? r == 20 : r == 11 || r == 20);
		assert((f & 4) == 0 || !strcmp(name, "twice"));
		if (f & 2)
			note(name);
		unsigned g = get();
		assert((g & f) == f);
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i ? user : starter, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	while (journal_used)
		free(journal[--journal_used]);
	free(journal);
	assert(flags == 7);
	puts("on");
	return 0;
}
