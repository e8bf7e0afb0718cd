/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: texts of a configuration are replaced under the writer's lock, and the old ones freed when it has been given back */
#include "correct.h"
static struct config {
	char *name;
	size_t length;
} *now;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int bad;
static struct config *make(const char *s)
{
	struct config *c = malloc(sizeof *c);
	c->name = strdup(s);
	c->length = strlen(s);
	return c;
}
T(writer)
{
	for (int i = 0; i < 4; i++) {
		struct config *c = make(i & 1 ? "the long name of it" : "short"), *old;
		pthread_rwlock_wrlock(&l);
		old = now;
		now = c;
		pthread_rwlock_unlock(&l);
		free(old->name);
		free(old);
		J();
	}
	return a;
}
T(reader)
{
	char text[40];
	for (int i = 0; i < 4; i++) {
		pthread_rwlock_rdlock(&l);
		if ((size_t)snprintf(text, sizeof text, "%s", now->name) != now->length || strcmp(text, now->name))
			bad++;
		char *copy = strndup(now->name, now->length);
		pthread_rwlock_unlock(&l);
		if (strlen(copy) < 3)
			bad++;
		free(copy);
		J();
	}
	return a;
}
int main(void)
{
	pthread_t x, y, z;
	now = make("first");
	GO(x, writer, 0);
	GO(y, reader, 0);
	GO(z, reader, 0);
	WAIT(x);
	WAIT(y);
	WAIT(z);
	free(now->name);
	free(now);
	printf("%d\n", bad);
	return bad;
}
