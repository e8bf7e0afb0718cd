/* norn cc -g -O1 -pthread cancel_and_fork_with_lock.c -o w && norn run ./w      (-O0, -O1, -O2: every recording)
 * reported: 0 findings; complete.
 * should be: deadlock: the thread is cancelled in usleep (a cancellation point) while it holds m; nobody gives m back.
 * At least: partial where a thread that was cancelled went through cancellation points with
 * locks held. Likewise a fork() while another thread may hold a lock that the child takes (px_fork in /tmp/hw/p): 0
 * findings; complete.
 * fork variant: T(w) { for (i < 20) { lock(&m); n++; unlock(&m); } }  main: create w; usleep(30000); if (!(c = fork()))
 * { lock(&m); n++; unlock(&m); _exit(0); } waitpid(c); join. */

#include "lucky.h"

/* a thread is cancelled while it holds the lock: at a cancellation point */
MX(m);
static int n;
static sem_t go;
static void unl(void *x)
{
	pthread_mutex_unlock(x);
}
T(w)
{
	for (int i = 0; i < 3; i++) {
		L(m);
		F(pthread_cleanup_push(unl, &m);) n++;
		usleep(100);
		F(pthread_cleanup_pop(0);) U(m);
	}
	sem_wait(&go);
	return 0;
} //@
int main(void)
{
	pthread_t t;
	sem_init(&go, 0, 0);
	GO(t, w, 0);
	nap(60);
	pthread_cancel(t);
	L(m);
	n++;
	U(m);
	WAIT(t);
	return 0;
}
