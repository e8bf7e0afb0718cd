/* norn-test
 * errors: yes
 * cc: -DTWO
 * cc: -DTHREE
 * schedule: abc
 * finding: ^deadlock
 * finding-count: 1
 * silent: -DTWO -DRIGHT
 * silent: -DTHREE -DRIGHT
 * unjudged: -DRIGHT
 */
/* Threads that take the same locks in other orders, sixty rounds long one after the other; in the last round they do not wait. */
#include "../sliced/cast.h"

#define ROUNDS 60
#ifdef THREE
#define PARTIES 3
#else
#define PARTIES 2
#endif
static pthread_mutex_t locks[PARTIES], lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;
int meals;

static void begin(int mine)
{
	pthread_mutex_lock(&lock);
	while (turn % PARTIES != mine)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void end(void)
{
	pthread_mutex_lock(&lock);
	turn++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void eat(int mine)
{
	pthread_mutex_lock(&locks[mine]);
	pthread_mutex_lock(&locks[(mine + 1) % PARTIES]);
	pthread_mutex_unlock(&locks[(mine + 1) % PARTIES]);
	pthread_mutex_unlock(&locks[mine]);
}

static void *dine(void *number)
{
	int mine = *(int *)number;
	for (int i = 0; i < ROUNDS; i++) {
		begin(mine);
		eat(mine);
		end();
	}
#ifdef RIGHT
	begin(mine);
	eat(mine);
	end();
#else
	gate((char)('a' + mine));
	eat(mine);
	gate_leave();
#endif
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[PARTIES];
	int numbers[PARTIES];
	for (int i = 0; i < PARTIES; i++)
		pthread_mutex_init(&locks[i], NULL);
	for (int i = 0; i < PARTIES; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, dine, &numbers[i]);
	}
	gate_open(argc > 1 ? argv[1] : "");
	for (int i = 0; i < PARTIES; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
