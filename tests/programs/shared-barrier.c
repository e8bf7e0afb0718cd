/* norn-test
 * dump: create +barrier
 * dump-count: 2 barrier-leave
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Two processes meet at a barrier: each trace tells of one arrival only, and holds together nevertheless. */
struct shared {
	pthread_barrier_t barrier;
	int value;
};

int main(void)
{
	struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrierattr_t attr;
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&s->barrier, &attr, 2);
	pid_t child = fork();
	if (child == 0)
		s->value = 7;
	pthread_barrier_wait(&s->barrier);
	pthread_barrier_wait(&s->barrier);
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	printf("%d\n", s->value);
	return 0;
}
