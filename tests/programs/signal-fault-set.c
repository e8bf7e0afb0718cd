/* norn-test
 * cc: -O0 -pthread
 * cc: -O2 -pthread
 * stdout: 2005
 * verify: yes
 */
/* A memset that faults halfway: what it wrote before is there, and others see it. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

static sigjmp_buf back;
static char *page;

static void leave(int signal)
{
	siglongjmp(back, signal);
}

static void *add_up(void *ret)
{
	int sum = 0;
	for (int i = 0; i < PAGE; i++)
		sum += page[i];
	*(int *)ret = sum;
	return NULL;
}

int main(void)
{
	struct sigaction action = {.sa_handler = leave};
	volatile size_t much = 3000;
	int sum = 0;
	sigaction(SIGSEGV, &action, NULL);
	page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(page + PAGE, PAGE, PROT_NONE);
	page[0] = 5;
	if (!sigsetjmp(back, 1))
		memset(page + PAGE - 2000, 1, much);
	pthread_t thread;
	pthread_create(&thread, NULL, add_up, &sum);
	pthread_join(thread, NULL);
	printf("%d\n", sum);
	return 0;
}
