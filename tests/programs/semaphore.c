/* norn-test
 * cc: -g -O1 -pthread
 * stdout: 1000 through the gate, last value 0, named 3
 * dump-count: 1 sem-init +gate \(0x[0-9a-f]+\) = 3 .*; main
 * dump-count: 1000 sem-post .*; give
 * dump-count: 1000 main +sem-wait .*; take
 * dump-count: 3 sem-try-failed .*; refused
 * dump-count: 1 create +semaphore .*; named
 * dump-count: 1 destroy +semaphore .*; named
 * dump-count: 3 sem-(wait|post) .*; named
 */
/* Semaphores, unnamed and named: every way to pass, every way to fail. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CHECK(x)                                                                                                                   \
	do {                                                                                                                       \
		if (!(x)) {                                                                                                        \
			printf("line %d: %s\n", __LINE__, #x);                                                                     \
			exit(1);                                                                                                   \
		}                                                                                                                  \
	} while (0)
#define NOINLINE __attribute__((noinline))
#define TIMES 1000

static sem_t gate;
static const struct timespec past = {1, 0}, late = {1ll << 40, 0};

static NOINLINE void *give(void *unused)
{
	for (int i = 0; i < TIMES; i++)
		sem_post(&gate);
	return unused;
}

static NOINLINE void take(void)
{
	for (int i = 0; i < TIMES; i += 2) {
		CHECK(sem_timedwait(&gate, &late) == 0);
		CHECK(sem_clockwait(&gate, CLOCK_MONOTONIC, &late) == 0);
	}
}

static NOINLINE void refused(void)
{
	CHECK(sem_trywait(&gate) == -1 && errno == EAGAIN);
	CHECK(sem_timedwait(&gate, &past) == -1 && errno == ETIMEDOUT);
	CHECK(sem_clockwait(&gate, CLOCK_MONOTONIC, &past) == -1 && errno == ETIMEDOUT);
}

static NOINLINE int named(void)
{
	char name[64];
	int value;
	snprintf(name, sizeof name, "/norn-test-%d", (int)getpid());
	sem_t *one = sem_open(name, O_CREAT | O_EXCL, 0600, 2);
	CHECK(one != SEM_FAILED);
	sem_t *two = sem_open(name, 0);
	CHECK(two == one);
	CHECK(sem_open("/norn-test-none", 0) == SEM_FAILED && errno == ENOENT);
	CHECK(sem_unlink(name) == 0);
	CHECK(sem_post(one) == 0 && sem_close(two) == 0);
	CHECK(sem_trywait(one) == 0 && sem_post(one) == 0 && sem_getvalue(one, &value) == 0);
	CHECK(sem_close(one) == 0);
	return value;
}

int main(void)
{
	pthread_t thread;
	int value;
	CHECK(sem_init(&gate, 0, 3) == 0);
	for (int i = 0; i < 3; i++)
		CHECK(sem_wait(&gate) == 0);
	pthread_create(&thread, NULL, give, NULL);
	take();
	pthread_join(thread, NULL);
	refused();
	sem_getvalue(&gate, &value);
	CHECK(sem_destroy(&gate) == 0);
	printf("%d through the gate, last value %d, named %d\n", TIMES, value, named());
	return 0;
}
