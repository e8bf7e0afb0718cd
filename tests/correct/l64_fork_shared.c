/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: parent and child use the shared page under a process-shared mutex */
#include "correct.h"
#include <sys/mman.h>
#include <sys/wait.h>
static struct sh {
	pthread_mutex_t m;
	int n;
} *s;
T(w)
{
	for (int i = 0; i < 5; i++) {
		L(s->m);
		s->n++;
		U(s->m);
	}
	return a;
}
int main(void)
{
	pthread_mutexattr_t t;
	pthread_t x;
	s = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_init(&t);
	pthread_mutexattr_setpshared(&t, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&s->m, &t);
	pid_t c = fork();
	if (!c) {
		w(0);
		_exit(0);
	}
	GO(x, w, 0);
	w(0);
	WAIT(x);
	waitpid(c, 0, 0);
	printf("%d\n", s->n);
	return s->n != 15;
}
