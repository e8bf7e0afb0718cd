/* Two tellers move money between accounts, each account with a lock of its own. It works whenever it is tried, as the second teller comes
 * late. With -DFIXED it always works. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct account {
	long balance;
	pthread_mutex_t lock;
};

struct account savings = {100, PTHREAD_MUTEX_INITIALIZER}, checking = {100, PTHREAD_MUTEX_INITIALIZER};
long transfers;

static void transfer(struct account *from, struct account *to, long amount)
{
#ifdef FIXED
	/* Always the same one first. */
	struct account *first = from < to ? from : to, *second = from < to ? to : from;
#else
	struct account *first = from, *second = to;
	transfers++;
#endif
	pthread_mutex_lock(&first->lock);
	pthread_mutex_lock(&second->lock);
	from->balance -= amount;
	to->balance += amount;
#ifdef FIXED
	transfers++; /* both locks are held */
#endif
	pthread_mutex_unlock(&second->lock);
	pthread_mutex_unlock(&first->lock);
}

static void *save(void *unused)
{
	transfer(&checking, &savings, 30);
	return unused;
}

static void *spend(void *unused)
{
	usleep(100000);
	transfer(&savings, &checking, 50);
	return unused;
}

int main(void)
{
	pthread_t tellers[2];
	pthread_create(&tellers[0], NULL, save, NULL);
	pthread_create(&tellers[1], NULL, spend, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(tellers[i], NULL);
	printf("savings %ld, checking %ld after %ld transfers\n", savings.balance, checking.balance, transfers);
	return 0;
}
