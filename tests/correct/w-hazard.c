/* norn-test
 * silent:
 * unjudged:
 */
/* Hazard pointers: readers announce what they look at, the writer frees only what nobody has announced. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
enum { READERS = 2, ROUNDS = 10 };
struct config {
	int version, twice;
};
static _Atomic(struct config *) current;
static _Atomic(struct config *) hazard[READERS];
static struct config *retired[ROUNDS + 1];
static int retired_count;
static struct config *make(int v)
{
	struct config *c = malloc(sizeof *c);
	if (!c)
		abort();
	c->version = v;
	c->twice = 2 * v;
	return c;
}
static void scan(void)
{
	int kept = 0;
	for (int i = 0; i < retired_count; i++) {
		int used = 0;
		for (int r = 0; r < READERS; r++)
			if (atomic_load(&hazard[r]) == retired[i])
				used = 1;
		if (used)
			retired[kept++] = retired[i];
		else
			free(retired[i]);
	}
	retired_count = kept;
}
static void *reader(void *arg)
{
	size_t me = (size_t)arg;
	int last = 0;
	for (int i = 0; i < ROUNDS; i++) {
		struct config *c;
		do {
			c = atomic_load(&current);
			atomic_store(&hazard[me], c);
		} while (c != atomic_load(&current));
		assert(c != NULL && c->twice == 2 * c->version);
		assert(c->version >= last);
		last = c->version;
		atomic_store(&hazard[me], NULL);
	}
	return NULL;
}
static void *writer(void *arg)
{
	for (int v = 1; v <= ROUNDS; v++) {
		struct config *old = atomic_exchange(&current, make(v));
		assert(old->version == v - 1);
		retired[retired_count++] = old;
		scan();
	}
	return arg;
}
int main(void)
{
	pthread_t t[READERS + 1];
	atomic_store(&current, make(0));
	for (size_t i = 0; i < READERS; i++)
		pthread_create(&t[i], NULL, reader, (void *)i);
	pthread_create(&t[READERS], NULL, writer, NULL);
	for (int i = 0; i <= READERS; i++)
		pthread_join(t[i], NULL);
	scan();
	assert(retired_count == 0);
	printf("%d\n", atomic_load(&current)->version);
	free(atomic_load(&current));
	return 0;
}
