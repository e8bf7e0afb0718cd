/* norn-test
 * cc: -O1 -pthread
 * cc: -O0 -pthread
 * stdout: 3 faults, 300
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* A write barrier by page protection: the handler, which copies something itself, mends faults in the middle of copies. */
enum { PAGE = 4096 };
static char *memory, kept[PAGE], other[PAGE];
static volatile int faults;

static void mend(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
	faults++;
	mprotect(memory, PAGE, PROT_READ | PROT_WRITE);
	memcpy(kept, other, 64);
}

int main(void)
{
	const struct sigaction action = {.sa_sigaction = mend, .sa_flags = SA_SIGINFO};
	memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &action, NULL);
	memset(other, 9, sizeof other);
	memset(other + 100, 1, 100);
	for (int i = 0; i < 3; i++) {
		mprotect(memory, PAGE, PROT_READ);
		memcpy(memory + i * 100, other + 100, 100);
	}
	int sum = 0;
	for (int i = 0; i < 300; i++)
		sum += memory[i];
	printf("%d faults, %d\n", faults, sum);
	return 0;
}
