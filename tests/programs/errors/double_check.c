/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race .*entry.loaded .*find write by main/1.*find read by main/2
 * silent: -DRIGHT
 */
/* Tomcat's WebappClassLoader: looked at without the lock, then again with it. */
#include <stdlib.h>

#include "../sliced/cast.h"

struct entry {
	int *loaded;
	int lookups;
};
struct entry entry;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int seen[2];

static int *find(void)
{
	int *class;
#ifndef RIGHT
	if (entry.loaded)
		return entry.loaded;
#endif
	pthread_mutex_lock(&lock);
	if (!entry.loaded) {
		class = malloc(sizeof *class);
		*class = 5;
		entry.loaded = class;
	}
	class = entry.loaded;
	pthread_mutex_unlock(&lock);
	return class;
}

static void *first(void *unused)
{
	gate('a');
	seen[0] = *find();
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	seen[1] = *find();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, first, second, NULL);
}
