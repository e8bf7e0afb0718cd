/* norn-test
 * silent:
 * unjudged:
 */
/* As by flags that were read first, but the users begin when all is set: they wait on the condition, yet decide by other means. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item {
	int value;
	struct item *other;
};
static struct item fallback = {-1, &fallback};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned stage;
static struct item *ptr[4];
static char text[8] = "none";
static double weight;
#define LOCKED(e)                                                                                                                  \
	({                                                                                                                         \
		pthread_mutex_lock(&lock);                                                                                         \
		__typeof__(e) v_ = (e);                                                                                            \
		pthread_mutex_unlock(&lock);                                                                                       \
		v_;                                                                                                                \
	})
static void *setter(void *arg)
{
	for (unsigned i = 0; i < 4; i++) {
		struct item *p = malloc(sizeof *p);
		p->value = (int)i;
		p->other = i ? ptr[i - 1] : &fallback;
		pthread_mutex_lock(&lock);
		ptr[i] = p;
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
		stage = i + 1;
		weight = (i + 1) * 0.5;
		memcpy(text, "some", 5);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
static struct item *pick(unsigned s)
{
	struct item *p = LOCKED(ptr[(s - 1) & 3]);
	return s ? p : &fallback;
}
static void *user(void *arg)
{
	for (int i = 0; i < 3; i++) {
		unsigned s = LOCKED(stage);
		struct item *p = pick(s);
		assert(p->value == (int)s - 1);
		assert(p->other->value == (s > 1 ? (int)s - 2 : -1));
		double w = LOCKED(weight);
		int n = (int)(w * 2);
		struct item *q = n > 0 ? LOCKED(ptr[n - 1]) : &fallback;
		assert(q->value >= p->value);
		char c[8];
		pthread_mutex_lock(&lock);
		memcpy(c, text, 8);
		pthread_mutex_unlock(&lock);
		struct item *r = strcmp(c, "none") ? LOCKED(ptr[0]) : &fallback;
		assert(r->value <= 0);
		size_t first = strlen(c) - 4 + (size_t)(c[0] == 's');
		struct item *t[2] = {&fallback, LOCKED(ptr[0])};
		assert(t[first]->value == (first ? 0 : -1));
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], NULL, setter, NULL);
	for (int i = 1; i < 3; i++)
		pthread_create(&t[i], NULL, user, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 4; i++)
		free(ptr[i]);
	puts("ok");
	return 0;
}
