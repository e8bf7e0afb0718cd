/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: two processes share a page; a mutex in it is for both, and a thread of each uses it */
#include "correct.h"
#include <sys/mman.h>
#include <sys/wait.h>
struct both {
	pthread_mutex_t m;
	int d;
};
static struct both *p;
T(w)
{
	for (int i = 0; i < 3; i++) {
		L(p->m);
		p->d++;
		U(p->m);
		J();
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	pthread_mutexattr_t at;
	int st;
	p = mmap(0, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_init(&at);
	pthread_mutexattr_setpshared(&at, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&p->m, &at);
	pid_t c = fork();
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	if (!c)
		exit(0);
	waitpid(c, &st, 0);
	printf("%d\n", p->d);
	return p->d != 12;
}
