/* norn-test
 * silent:
 */
/* Correct, X3.a: whether memory can be read is probed by a handler of SIGSEGV that jumps out; the answer, of memory that is protected under a lock, decides */
#define GUARDED
#include "../../correct/hand.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
static sigjmp_buf out;
static char *page;
static void handler(int s)
{
	(void)s;
	siglongjmp(out, 1);
}
static void init(void)
{
	struct sigaction act = {.sa_handler = handler};
	sigaction(SIGSEGV, &act, 0);
	page = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static void set(void)
{
	mprotect(page, 4096, PROT_READ);
}
static int seen(void)
{
	if (sigsetjmp(out, 1))
		return 0;
	return *(volatile char *)page == 0;
}
