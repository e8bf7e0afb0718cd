/* norn-test
 * cc: -O0 -pthread
 * cc: -O2 -pthread
 * stdout: 2000 40 1 3
 * dump: main/2 +write +shared.count
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Two processes and their threads share memory with a mutex, a robust one, a condition variable and a lock for readers: all count as
 * they should, and a child that ends with the robust one held leaves it to its parent. */
struct shared {
	pthread_mutex_t mutex, robust;
	pthread_cond_t changed;
	pthread_rwlock_t readers;
	int count, turn, owner_died;
};
static struct shared *shared;

static void *add(void *unused)
{
	(void)unused;
	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(&shared->mutex);
		shared->count++;
		pthread_mutex_unlock(&shared->mutex);
		pthread_rwlock_rdlock(&shared->readers);
		pthread_rwlock_unlock(&shared->readers);
	}
	return NULL;
}

static void take_turns(int own)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&shared->mutex);
		while (shared->turn % 2 != own)
			pthread_cond_wait(&shared->changed, &shared->mutex);
		shared->turn++;
		pthread_cond_broadcast(&shared->changed);
		pthread_mutex_unlock(&shared->mutex);
	}
}

static void add_twice(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;
	pthread_rwlockattr_t rwlock;
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->mutex, &mutex);
	pthread_mutexattr_setrobust(&mutex, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&shared->robust, &mutex);
	pthread_condattr_init(&cond);
	pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&shared->changed, &cond);
	pthread_rwlockattr_init(&rwlock);
	pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED);
	pthread_rwlock_init(&shared->readers, &rwlock);
	pid_t pid = fork();
	add_twice();
	take_turns(pid == 0);
	if (pid == 0) {
		pthread_mutex_lock(&shared->robust);
		_exit(3);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	if (pthread_mutex_lock(&shared->robust) == EOWNERDEAD) {
		shared->owner_died = pthread_mutex_consistent(&shared->robust) == 0;
		pthread_mutex_unlock(&shared->robust);
	}
	printf("%d %d %d %d\n", shared->count, shared->turn, shared->owner_died, WEXITSTATUS(status));
	return 0;
}
