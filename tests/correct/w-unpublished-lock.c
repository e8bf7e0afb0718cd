/* norn-test
 * silent:
 */
/* An object is made and locked under the registry's lock, then published; users lock the object first and the registry after it. No circle: nobody has an object before it is published. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct obj {
	pthread_mutex_t lock;
	int state, id;
	struct obj *next;
};
static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static struct obj *published;
static int made, retired;
static void *maker(void *arg)
{
	for (int i = 0; i < 4; i++) {
		struct obj *o = calloc(1, sizeof *o);
		pthread_mutex_init(&o->lock, NULL);
		pthread_mutex_lock(&registry);
		pthread_mutex_lock(&o->lock); /* never contended: o is not published yet */
		o->id = ++made;
		o->state = 1;
		o->next = published;
		published = o;
		pthread_mutex_unlock(&registry);
		o->state = 2;
		pthread_mutex_unlock(&o->lock);
	}
	return arg;
}
static void *user(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&registry);
		struct obj *o = published;
		if (o)
			published = o->next;
		pthread_mutex_unlock(&registry);
		if (!o)
			continue;
		pthread_mutex_lock(&o->lock);
		assert(o->state == 2);
		pthread_mutex_lock(&registry);
		assert(o->id <= made);
		retired++;
		pthread_mutex_unlock(&registry);
		pthread_mutex_unlock(&o->lock);
		pthread_mutex_destroy(&o->lock);
		free(o);
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i ? user : maker, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	while (published) {
		struct obj *o = published;
		published = o->next;
		pthread_mutex_destroy(&o->lock);
		free(o);
		retired++;
	}
	assert(made == 4 && retired == 4);
	printf("%d\n", retired);
	return 0;
}
