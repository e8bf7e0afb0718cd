/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a mutex and a count in shared memory, which a child process uses, too; the child's end is waited for by another thread than the one that made it */
#include "correct.h"
#include <sys/mman.h>
#include <sys/wait.h>
static struct shared {
	pthread_mutex_t m;
	int n;
} *s;
static int made;
static pid_t child;
static sem_t is_made;
T(maker)
{
	made = 5;
	child = fork();
	if (!child) {
		L(s->m);
		s->n++;
		U(s->m);
		_exit(3);
	}
	sem_post(&is_made);
	L(s->m);
	s->n++;
	U(s->m);
	return a;
}
T(waiter)
{
	int st;
	sem_wait(&is_made);
	while (waitpid(child, &st, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(st) && WEXITSTATUS(st) == 3)
		made++;
	L(s->m);
	s->n++;
	U(s->m);
	return a;
}
int main(void)
{
	pthread_mutexattr_t at;
	pthread_t x, y;
	s = mmap(0, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_init(&at);
	pthread_mutexattr_setpshared(&at, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&s->m, &at);
	pthread_mutexattr_destroy(&at);
	sem_init(&is_made, 0, 0);
	GO(x, maker, 0);
	GO(y, waiter, 0);
	WAIT(x);
	WAIT(y);
	printf("%d %d\n", made, s->n);
	return made != 6 || s->n != 3;
}
