/* Blocks, one within the other, that are left by longjmp are over: what others do to their variables afterwards does not break them. With INSIDE they do so
 * while they last. */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;
static sem_t go, done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int account = 1000;

static void change(int by)
{
	pthread_mutex_lock(&lock);
	account += by;
	pthread_mutex_unlock(&lock);
}

static void ask(void)
{
	sem_post(&go);
	sem_wait(&done);
}

__attribute__((noinline)) void give_up(void)
{
	longjmp(back, 1);
}

__attribute__((noinline)) void transfer(int amount, int within)
{
	change(-amount);
	if (within) {
		transfer(amount, within - 1);
		change(amount);
		return;
	}
#ifdef INSIDE
	ask();
#endif
	if (amount > 10)
		give_up();
	change(amount);
}

static void *clerk(void *rounds)
{
	for (int i = 0; i < *(int *)rounds; i++) {
		sem_wait(&go);
		change(1);
		sem_post(&done);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int rounds = 3;
	sem_init(&go, 0, 0);
	sem_init(&done, 0, 0);
	pthread_create(&thread, NULL, clerk, &rounds);
	for (volatile int i = 0; i < rounds; i++) {
		if (!setjmp(back))
			transfer(100, 2);
#ifndef INSIDE
		ask();
#endif
		change(100);
	}
	pthread_join(thread, NULL);
	printf("%d\n", account);
	return 0;
}
