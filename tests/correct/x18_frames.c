/* norn-test
 * silent: -DJOINED
 * silent: -DPOSTED
 * silent: -DTWICE
 * silent: -DOF_MAIN
 * silent: -DHANDED
 */
/* Locals of functions that the main thread calls, which other threads use, and which are there as long as they do. JOINED: the function joins the
 * thread. POSTED: a detached thread says that it is done. TWICE: each call has its own thread and local, at one address. OF_MAIN: the local is main's,
 * and a function only starts the thread. HANDED: the thread takes a copy before the function returns, and another thread has the address meanwhile. */
#include "correct.h"
#include <assert.h>
static pthread_t worker;
#ifdef JOINED
T(add)
{
	int *v = a;
	for (int i = 0; i < 4; i++)
		v[i]++;
	return 0;
}
__attribute__((noinline)) static int serve(void)
{
	int local[4] = {1, 2, 3, 4};
	GO(worker, add, local);
	J();
	WAIT(worker);
	return local[3] - 5;
}
int main(void)
{
	return serve();
}
#elif defined(POSTED)
struct job {
	sem_t done;
	int v;
};
T(add)
{
	struct job *j = a;
	j->v++;
	sem_post(&j->done);
	return 0;
}
__attribute__((noinline)) static int serve(void)
{
	struct job job = {.v = 1};
	sem_init(&job.done, 0, 0);
	GO(worker, add, &job);
	pthread_detach(worker);
	J();
	sem_wait(&job.done);
	return job.v - 2;
}
int main(void)
{
	return serve();
}
#elif defined(TWICE)
T(add)
{
	++*(int *)a;
	return 0;
}
__attribute__((noinline)) static int serve(int from)
{
	int local = from;
	GO(worker, add, &local);
	J();
	WAIT(worker);
	return local - from - 1;
}
int main(void)
{
	return serve(1) + serve(2) + serve(3);
}
#elif defined(OF_MAIN)
T(add)
{
	++*(int *)a;
	return 0;
}
__attribute__((noinline)) static void start(int *v)
{
	int mine = 3;
	*v = mine;
	GO(worker, add, v);
}
int main(void)
{
	int local = 0;
	start(&local);
	J();
	WAIT(worker);
	return local - 4;
}
#else
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *shared;
T(look)
{
	L(m);
	int v = shared ? *shared : 0;
	U(m);
	return (void *)(intptr_t)v;
}
__attribute__((noinline)) static void serve(void)
{
	int local = 7;
	L(m);
	shared = &local;
	U(m);
	J();
	L(m);
	shared = NULL;
	U(m);
}
int main(void)
{
	pthread_t other;
	GO(worker, look, 0);
	GO(other, look, 0);
	serve();
	WAIT(worker);
	WAIT(other);
	return 0;
}
#endif
