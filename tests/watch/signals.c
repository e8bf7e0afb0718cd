/* Handlers that make events, in threads that make events; faults in accesses that are watched, mended and left by a jump. */
#include <norn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

volatile int x;
volatile int *target;
static sigjmp_buf out;
static char *page;
static volatile int mends;

static void note(int number)
{
	x = 50;
	norn_event("tick", number);
}

static void mend(int number, siginfo_t *info, void *context)
{
	x = 5;
	norn_event("tick", number);
	if (++mends > 2)
		siglongjmp(out, 1);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void *work(void *unused)
{
	for (int i = 0; i < 20000; i++) {
		x = i % 100;
		if (i % 64 == 0)
			norn_event("tick", i);
	}
	return unused;
}

static int fault(void)
{
	struct sigaction action = {.sa_sigaction = mend, .sa_flags = SA_SIGINFO | SA_NODEFER};
	sigaction(SIGSEGV, &action, NULL);
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	target = (volatile int *)page;
	*target = 1;
	mprotect(page, 4096, PROT_NONE);
	x = *target;
	if (sigsetjmp(out, 1))
		return 0;
	mprotect(page, 4096, PROT_NONE);
	*target = 3;
	return 1;
}

int main(void)
{
	pthread_t threads[3];
	struct sigaction action = {.sa_handler = note};
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 500; i++)
		pthread_kill(threads[i % 3], SIGUSR1);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	int failed = fault();
	x = 7;
	norn_event("tick", 2);
	return failed;
}
