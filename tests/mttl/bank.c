/* The paper's bank: transfers between two accounts, and a clerk who adds them up. Every access is under its account's lock, so there is no race;
 * but transfers and sums are not atomic (DAME, section 3). With LOCKED a lock around each makes them so.
 * usage: bank [transfers] */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define TELLERS 2

static pthread_mutex_t checking_lock = PTHREAD_MUTEX_INITIALIZER, saving_lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef LOCKED
static pthread_mutex_t bank_lock = PTHREAD_MUTEX_INITIALIZER;
#endif
int checking = 1000, saving = 1000;
static int transfers = 2000;
static pthread_barrier_t start;

static void begin(void)
{
#ifdef LOCKED
	pthread_mutex_lock(&bank_lock);
#endif
}

static void end(void)
{
#ifdef LOCKED
	pthread_mutex_unlock(&bank_lock);
#endif
}

__attribute__((noinline)) int calcBalance(void)
{
	begin();
	pthread_mutex_lock(&checking_lock);
	int sum = checking;
	pthread_mutex_unlock(&checking_lock);
	pthread_mutex_lock(&saving_lock);
	sum += saving;
	pthread_mutex_unlock(&saving_lock);
	end();
	return sum;
}

__attribute__((noinline)) void transfer(int amount)
{
	begin();
	pthread_mutex_lock(&checking_lock);
	checking -= amount;
	pthread_mutex_unlock(&checking_lock);
	sched_yield();
	pthread_mutex_lock(&saving_lock);
	saving += amount;
	pthread_mutex_unlock(&saving_lock);
	end();
}

static void *teller(void *own)
{
	pthread_barrier_wait(&start);
	for (int i = 0; i < transfers / TELLERS; i++)
		transfer(*(int *)own + i % 3);
	return NULL;
}

static void *clerk(void *wrong)
{
	pthread_barrier_wait(&start);
	for (int i = 0; i < transfers / 10; i++)
		*(int *)wrong += calcBalance() != 2000;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t tellers[TELLERS], adder;
	int amounts[TELLERS] = {1, 2}, wrong = 0;
	pthread_barrier_init(&start, NULL, TELLERS + 1);
	if (argc > 1)
		transfers = atoi(argv[1]);
	for (int i = 0; i < TELLERS; i++)
		pthread_create(&tellers[i], NULL, teller, &amounts[i]);
	pthread_create(&adder, NULL, clerk, &wrong);
	for (int i = 0; i < TELLERS; i++)
		pthread_join(tellers[i], NULL);
	pthread_join(adder, NULL);
	printf("%d transfers, sum %d, %d wrong sums\n", transfers, checking + saving, wrong);
	return checking + saving != 2000;
}
