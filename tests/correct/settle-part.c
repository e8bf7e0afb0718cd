/* Compiled without hooks: see settle.h. It asks the kernel by itself, so that Norn sees nothing of it. */
#include "settle.h"
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#define TIMES 30 /* that all others must be found asleep: one that is about to wake is so for a moment */
static long ask(long number, long one, long two, long three, long four)
{
	long result;
	register long r10 __asm__("r10") = four;
	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(one), "S"(two), "d"(three), "r"(r10) : "rcx", "r11", "memory");
	return result;
}
/* Its state is the letter after the last parenthesis: S, it sleeps. */
static int asleep(int folder, const char *thread)
{
	char text[512], path[32], *to = path;
	while ((*to = *thread++))
		to++;
	for (const char *name = "/stat"; (*to++ = *name++);)
		;
	int file = (int)ask(SYS_openat, folder, (long)path, O_RDONLY, 0);
	if (file < 0)
		return 1; /* it has ended */
	long got = ask(SYS_read, file, (long)text, sizeof text - 1, 0);
	ask(SYS_close, file, 0, 0, 0);
	while (got > 0 && text[got - 1] != ')')
		got--;
	return got <= 0 || text[got + 1] == 'S';
}
static int others_asleep(void)
{
	static char entries[4096];
	int all = 1;
	long got, self = ask(SYS_gettid, 0, 0, 0, 0);
	int folder = (int)ask(SYS_openat, AT_FDCWD, (long)"/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
	while (folder >= 0 && (got = ask(SYS_getdents64, folder, (long)entries, sizeof entries, 0)) > 0)
		for (long at = 0; at < got; at += *(unsigned short *)(entries + at + 16)) {
			const char *name = entries + at + 19;
			long number = 0;
			for (const char *digit = name; *digit >= '0' && *digit <= '9'; digit++)
				number = number * 10 + *digit - '0';
			if (number && number != self && !asleep(folder, name))
				all = 0;
		}
	ask(SYS_close, folder, 0, 0, 0);
	return all;
}
void settle(void)
{
	for (int found = 0; found < TIMES; found = others_asleep() ? found + 1 : 0)
		ask(SYS_sched_yield, 0, 0, 0, 0);
}
