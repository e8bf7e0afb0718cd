/* norn-test
 * cc: -g -O1 -pthread
 * prop: prop_threads.prop
 * no-finding: yes
 */
/* Threads by their start routine and by the name that they gave themselves. */
#include <norn.h>
#include <pthread.h>

int store, copy;

static void *reader_main(void *unused)
{
	copy = store;
#ifdef BAD
	store = 17;
#endif
	return unused;
}

static void *writer_main(void *unused)
{
	store++;
	return unused;
}

static void *third_main(void *unused)
{
	norn_thread_name("scribe");
	store++;
	return unused;
}

int main(void)
{
	void *(*const routines[])(void *) = {reader_main, writer_main, third_main, reader_main};
	for (int i = 0; i < 4; i++) {
		pthread_t t;
		pthread_create(&t, NULL, routines[i], NULL);
		pthread_join(t, NULL);
	}
	return 0;
}
