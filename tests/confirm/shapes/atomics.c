/* A pointer is published, counted and freed by atomics; a late reader does not count. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
struct obj {
	atomic_int refs;
	int data;
};
static struct obj *_Atomic shared;
int plain;
static void *reader(void *u)
{
	usleep(3000);
	struct obj *o = atomic_load(&shared);
	if (o) {
		plain = o->data;
		if (atomic_fetch_sub(&o->refs, 1) == 1)
			free(o);
	}
	return u;
}
static void *late(void *u)
{
	struct obj *o = atomic_load(&shared);
	while (!o)
		o = atomic_load(&shared);
	int d = o->data;
	plain = d;
	return u;
}
static void *writer(void *u)
{
	struct obj *o = malloc(sizeof *o);
	atomic_init(&o->refs, 1);
	o->data = 4;
	atomic_store(&shared, o);
	return u;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], 0, writer, 0);
	pthread_create(&t[1], 0, late, 0);
	pthread_create(&t[2], 0, reader, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
