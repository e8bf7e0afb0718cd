/* Two threads count without a lock: a race on count in add, and a property (counter.prop) that a thread may break. What other builds may
 * be like:
 * FIXED: the lock is held; MOVED: the access is in a function of its own; RENAMED: the variable has another name; GONE: neither is
 * there. With an argument the threads do not come by the place. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#ifdef RENAMED
#define count total
#endif
#ifdef FIXED
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() (void)0
#define UNLOCK() (void)0
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count, open_now, used;
static int idle;

#ifdef MOVED
__attribute__((noinline)) static void bump(void)
{
	count++;
}
#define COUNT() bump()
#elif defined GONE
#define COUNT() (void)0
#else
#define COUNT() count++
#endif

__attribute__((noinline)) static void add(void)
{
	LOCK();
	COUNT();
	UNLOCK();
}

static void *user(void *unused)
{
	if (!idle)
		add();
	LOCK();
	if (open_now && !idle)
		used = 1;
	UNLOCK();
	return unused;
}

static void *closer(void *unused)
{
	usleep(20 * 1000); /* the run that is recorded looks well */
	if (!idle)
		add();
	LOCK();
	open_now = 0;
	UNLOCK();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	(void)argv;
	idle = argc > 1;
	open_now = 1;
	pthread_create(&a, NULL, user, NULL);
	pthread_create(&b, NULL, closer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", used);
	return 0;
}
