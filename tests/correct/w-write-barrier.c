/* norn-test
 * silent:
 * unjudged:
 */
/* A write barrier by the page: SIGSEGV's handler notes the dirty page and makes it writable; the threads write their own pages. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
enum { PAGES = 6 };
static char *base;
static atomic_int dirty[PAGES], faults;
static void on_fault(int s, siginfo_t *i, void *c)
{
	(void)s;
	(void)c;
	uintptr_t a = (uintptr_t)i->si_addr - (uintptr_t)base;
	if (a >= PAGES * 4096)
		_exit(99);
	atomic_store(&dirty[a / 4096], 1);
	atomic_fetch_add(&faults, 1);
	if (mprotect(base + a / 4096 * 4096, 4096, PROT_READ | PROT_WRITE))
		_exit(98);
}
static void *run(void *arg)
{
	int k = (int)(size_t)arg;
	for (int p = k; p < PAGES; p += 2)
		for (int i = 0; i < 20; i++)
			base[p * 4096 + i] = (char)(p + i);
	return NULL;
}
int main(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	sigaction(SIGSEGV, &sa, NULL);
	base = mmap(NULL, PAGES * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED)
		abort();
	pthread_t t[2];
	for (size_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int p = 0; p < PAGES; p++)
		assert(dirty[p] && base[p * 4096 + 3] == p + 3);
	assert(faults == PAGES);
	printf("%d\n", faults);
	return 0;
}
