/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race (stack.count|reuse.count) .* take (read|write|rmw) by main/1, .* take (read|write|rmw) by main/2
 * silent: -DRIGHT
 */
/* Tomcat's SystemLogHandler: if (!reuse.isEmpty()) reuse.pop(). Both threads may see the last element. */
#include "../sliced/cast.h"

struct stack {
	int count, cells[4];
};
struct stack reuse = {1, {7}};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, statistics = PTHREAD_MUTEX_INITIALIZER;
static int captures;

static int take(struct stack *s)
{
	int value = 0;
#ifdef RIGHT
	pthread_mutex_lock(&lock);
#endif
	if (s->count > 0)
		value = s->cells[--s->count];
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	return value;
}

static void start_capture(void)
{
	int handler = take(&reuse);
	pthread_mutex_lock(&statistics);
	captures += handler != 0;
	pthread_mutex_unlock(&statistics);
}

static void *first(void *unused)
{
	gate('a');
	start_capture();
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	start_capture();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	(void)&lock;
	return argc < 2 || play(argv, first, second, NULL) || captures != 1;
}
