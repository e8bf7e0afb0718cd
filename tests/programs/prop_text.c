/* norn-test
 * cc: -g -O0 -pthread
 * cc: -g -O1 -pthread
 * prop: prop_text.prop
 * no-finding: yes
 */
/* Properties that compare strings. BAD breaks every one once. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
char name[16] = "alice";
const char *mode = "idle";
char *user; /* null until there is one */
struct {
	int number;
	char answer[4];
} box = {1, "no"};
volatile int turn;

static void next(int value)
{
	turn = value;
}

static void *greet(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
#ifndef BAD
	strcpy(name, "bob");
#else
	strcpy(name, "bobby");
#endif
	next(1);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *work(void *unused)
{
	(void)unused;
	char *made = malloc(8);
	pthread_mutex_lock(&lock);
#ifndef BAD
	mode = "busy";
	strcpy(made, "guest");
	strcpy(box.answer, "yes");
#else
	strcpy(made, "ghost");
#endif
	next(2);
	user = made;
	next(3);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
#ifdef BAD
	mode = "later";
#endif
	pthread_create(&a, NULL, greet, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
#ifndef BAD
	name[0] = 0; /* "ob" follows, and does not count */
	next(4);
	memcpy(name, "\xe9", 2);
	next(5);
#else
	next(4);
	memcpy(name, "\x69", 2);
	next(5);
	strcpy(name, "lost");
#endif
	next(6);
	free(user);
	return 0;
}
