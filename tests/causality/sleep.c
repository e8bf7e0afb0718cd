/* Sleeps of test programs: they last their time, but end in the order of their times, each when all other threads wait or sleep, too,
 * however busy the machine is. A program that orders its threads by sleeping has the same schedule in every run then. Compiled without
 * Norn, it calls nothing that Norn interposes on. A thread that waits by spinning holds up the sleeps of others: for HANG at most. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SLEEPERS = 64, NAP = 200000 /* ns between looks */, HANG = 10000000 /* µs */ };

static atomic_flag lock = ATOMIC_FLAG_INIT; /* for what follows */
static struct sleeper {
	long thread; /* 0: none */
	uint64_t due;
} sleepers[SLEEPERS];
static uint64_t now; /* microseconds: when the last sleep that ended was due */

static void nap(void)
{
	struct timespec time = {0, NAP};
	syscall(SYS_nanosleep, &time, NULL);
}

/* Never waits in the kernel: who is on its way to its sleep, or comes from it, must not be taken for one that waits. */
static void take_lock(void)
{
	while (atomic_flag_test_and_set(&lock))
		syscall(SYS_sched_yield);
}

static uint64_t microseconds_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

/* A file of /proc/self/task, as text. */
static bool read_file(long thread, const char *name, char *text, size_t room)
{
	char path[64] = "/proc/self/task/";
	size_t at = strlen(path), digits = 1;
	for (long n = thread; n >= 10; n /= 10)
		digits++;
	for (size_t i = digits; i-- > 0; thread /= 10)
		path[at + i] = (char)('0' + thread % 10);
	path[at + digits] = '/';
	memcpy(path + at + digits + 1, name, strlen(name) + 1);
	long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	long n = syscall(SYS_read, fd, text, room - 1);
	syscall(SYS_close, fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

static bool sleeps(long thread)
{
	for (unsigned i = 0; i < SLEEPERS; i++)
		if (sleepers[i].thread == thread)
			return true;
	return false;
}

/* Is it in a call that waits for others? One that writes, say to a monitor that is slow, goes on by itself. */
static bool in_waiting_call(long thread)
{
	static const unsigned waiting[] = {SYS_futex, SYS_read, SYS_readv, SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6,
	        SYS_epoll_wait, SYS_epoll_pwait, SYS_nanosleep, SYS_clock_nanosleep, SYS_wait4, SYS_waitid, SYS_pause,
	        SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_accept, SYS_accept4, SYS_recvfrom, SYS_recvmsg};
	char text[256];
	if (!read_file(thread, "syscall", text, sizeof text))
		return true; /* the kernel does not say */
	if (*text < '0' || *text > '9')
		return false; /* it runs, or waits for memory */
	unsigned number = 0;
	for (const char *c = text; *c >= '0' && *c <= '9'; c++)
		number = number * 10 + (unsigned)(*c - '0');
	for (unsigned i = 0; i < sizeof waiting / sizeof *waiting; i++)
		if (waiting[i] == number)
			return true;
	return false;
}

/* Does it wait in the kernel? *sum gets how long it has run, and how often. */
static bool waits(long thread, uint64_t *sum)
{
	char text[1024];
	if (!read_file(thread, "stat", text, sizeof text))
		return false;
	const char *state = strrchr(text, ')');
	if (!state || state[2] == 'R' || state[2] == 'D' || !in_waiting_call(thread))
		return false;
	uint64_t number = 0;
	for (const char *c = read_file(thread, "schedstat", text, sizeof text) ? text : ""; *c; c++) {
		number = *c >= '0' && *c <= '9' ? number * 10 + (uint64_t)(*c - '0') : 0;
		*sum = *sum * 31 + number;
	}
	return true;
}

/* Do all threads wait, but for those that sleep here? *ret_sum is another one if any of them has run since. */
static bool all_wait(uint64_t *ret_sum)
{
	char entries[4096];
	bool good = true;
	*ret_sum = 0;
	long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (long n; good && fd >= 0 && (n = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0;)
		for (long at = 0; good && at < n;) {
			unsigned short length;
			memcpy(&length, entries + at + 16, sizeof length);
			long thread = 0;
			for (const char *c = entries + at + 19; *c >= '0' && *c <= '9'; c++)
				thread = thread * 10 + (*c - '0');
			good = !thread || sleeps(thread) || waits(thread, ret_sum);
			*ret_sum = *ret_sum * 31 + (uint64_t)thread;
			at += length;
		}
	syscall(SYS_close, fd);
	return good && fd >= 0;
}

static bool is_first(const struct sleeper *mine)
{
	for (unsigned i = 0; i < SLEEPERS; i++)
		if (sleepers[i].thread && sleepers[i].due < mine->due)
			return false;
	return true;
}

static struct sleeper *begin(uint64_t microseconds)
{
	take_lock();
	unsigned i = 0;
	while (sleepers[i].thread)
		i = (i + 1) % SLEEPERS;
	sleepers[i] = (struct sleeper){syscall(SYS_gettid), now + microseconds};
	atomic_flag_clear(&lock);
	return &sleepers[i];
}

/* Ends the sleep if it is time. Twice all must wait, and none have run in between: a thread may have woken one that had been looked at before. */
static bool end(struct sleeper *mine, bool at_once)
{
	uint64_t first, second;
	take_lock();
	bool over = at_once || (is_first(mine) && all_wait(&first) && all_wait(&second) && first == second);
	if (over) {
		now = mine->due > now ? mine->due : now;
		mine->thread = 0;
	}
	atomic_flag_clear(&lock);
	return over;
}

static void sleep_for(uint64_t microseconds)
{
	struct sleeper *mine = begin(microseconds);
	uint64_t over = microseconds_now() + microseconds;
	while (microseconds_now() < over || !end(mine, microseconds_now() > over + HANG))
		nap();
}

/* They bear the mark of functions with hooks (src/trace/site.h: NORN_HOOKED), so that they are not taken for unknown code. */
#define MARKED(name)                                                                                                               \
	__asm__(".text\n.balign 16\n.quad 0, 0x6e726f4e6b6f6f48\n.globl " #name "\n.type " #name ", @function\n" #name             \
	        ": jmp test_" #name "\n.size " #name ", . - " #name "\n")
MARKED(usleep);
MARKED(sleep);

__attribute__((visibility("hidden"))) int test_usleep(useconds_t microseconds);
int test_usleep(useconds_t microseconds)
{
	sleep_for(microseconds);
	return 0;
}

__attribute__((visibility("hidden"))) unsigned test_sleep(unsigned seconds);
unsigned test_sleep(unsigned seconds)
{
	sleep_for((uint64_t)seconds * 1000000);
	return 0;
}
