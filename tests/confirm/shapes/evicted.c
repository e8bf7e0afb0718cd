/* An entry of a cache is thrown away while another thread looks at it. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct entry {
	char key[16];
	int uses;
} *cache[4];
static struct entry *get(int i)
{
	pthread_mutex_lock(&m);
	struct entry *e = cache[i];
	pthread_mutex_unlock(&m);
	return e;
}
static void *look(void *u)
{
	for (int i = 0; i < 4; i++) {
		struct entry *e = get(i);
		if (e)
			e->uses++;
	}
	return u;
}
static void *evict(void *u)
{
	usleep(10000);
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&m);
		struct entry *e = cache[i];
		cache[i] = 0;
		pthread_mutex_unlock(&m);
		free(e);
	}
	return u;
}
int main(void)
{
	for (int i = 0; i < 4; i++) {
		cache[i] = calloc(1, sizeof **cache);
		strcpy(cache[i]->key, "k");
	}
	pthread_t t[2];
	pthread_create(&t[0], 0, look, 0);
	pthread_create(&t[1], 0, evict, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
