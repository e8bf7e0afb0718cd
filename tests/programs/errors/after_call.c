/* norn-test
 * errors: yes
 * cc: -lm
 * schedule: 121212121212121212121212121212121212121212121212121212121212121212121212121212121212121212121212121212
 * finding: ^race y_fstat\b.* predicted
 * finding: ^race y_stat\b.* predicted
 * finding: ^race y_open\b.* predicted
 * finding: ^race y_fopen\b.* predicted
 * finding: ^race y_lseek\b.* predicted
 * finding: ^race y_fcntl\b.* predicted
 * finding: ^race y_opendir\b.* predicted
 * finding: ^race y_unlink\b.* predicted
 * finding: ^race y_access\b.* predicted
 * finding: ^race y_ioctl\b.* predicted
 * finding: ^race y_fseek\b.* predicted
 * finding: ^race y_mprotect\b.* predicted
 * finding: ^race y_setsockopt\b.* predicted
 * finding: ^race y_bind\b.* predicted
 * finding: ^race y_listen\b.* predicted
 * finding: ^race y_epoll_ctl\b.* predicted
 * finding: ^race y_sigprocmask\b.* predicted
 * finding: ^race y_rename\b.* predicted
 * finding: ^race y_ftruncate\b.* predicted
 * finding: ^race y_regcomp\b.* predicted
 * finding: ^race y_getaddrinfo\b.* predicted
 * finding: ^race y_getopt\b.* predicted
 * finding: ^race y_atoi\b.* predicted
 * finding: ^race y_time\b.* predicted
 * finding: ^race y_inet_addr\b.* predicted
 * finding: ^race y_indirect\b.* predicted
 * finding: ^race y_compares\b.* predicted
 * finding: ^race y_appends\b.* predicted
 * finding: ^race y_copies\b.* predicted
 * finding: ^race y_opens\b.* predicted
 * finding: ^race y_reads\b.* predicted
 * finding: ^race y_asks\b.* predicted
 * finding: ^race y_computes\b.* predicted
 * finding: ^race y_prints\b.* predicted
 * finding: ^race y_setjmp\b.* predicted
 * finding: ^race y_longjmp\b.* predicted
 * finding: ^race y_cleanup\b.* predicted
 * finding: ^race y_assembly\b.* predicted
 * finding: ^race y_barrier\b.* predicted
 * finding: ^race y_locked\b.* predicted
 * finding: ^race y_exchange\b.* predicted
 * finding: ^race y_by_address\b.* predicted
 * finding: ^race y_cpuid\b.* predicted
 * finding: ^race y_jumps\b.* predicted
 * finding: ^race y_bit\b.* predicted
 * finding: ^race y_compared\b.* predicted
 * finding: ^race y_tested\b.* predicted
 * finding: ^race y_stored\b.* predicted
 * finding: ^race y_released\b.* predicted
 * finding: ^race y_loaded\b.* predicted
 * finding: ^race y_errno\b.* predicted
 * silent: -DRIGHT -lm
 */
/* Calls that Norn knows leave what comes after them to prediction: in each section both threads make the same call before they write without a lock.
 * Right: with it. The sections come one after another. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <regex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file, poller, ends[2], counter;
static FILE *stream;
static void *page;
static const int constant = 1;
static const char digits[] = "17 and more";
static struct {
	void *(*take)(size_t);
	void (*give)(void *);
} memory = {malloc, free};
/* Not what the compiler can look through. */
static struct {
	int (*compare)(const char *, const char *);
	char *(*append)(char *, const char *);
	void *(*copy)(void *, const void *, size_t);
	int (*open_file)(const char *, int, ...);
	int (*look)(int, struct stat *);
	int (*close_file)(int);
	ssize_t (*read_at)(int, void *, size_t, off_t);
	char *(*ask)(const char *);
	double (*compute)(double);
	int (*print)(char *, size_t, const char *, ...);
} volatile table = {strcmp, strcat, memcpy, open, fstat, close, pread, getenv, cos, snprintf};

static inline void note(void *done)
{
	*(int *)done = 1;
}

#ifdef RIGHT
#define WRITE(variable, value) (pthread_mutex_lock(&lock), variable = value, pthread_mutex_unlock(&lock))
#else
#define WRITE(variable, value) (variable = value)
#endif

/* A call, and two threads that make it. */
#define SECTION(name, ...)                                                                                                         \
	int y_##name;                                                                                                              \
	static int call_##name(void)                                                                                               \
	{                                                                                                                          \
		__VA_ARGS__                                                                                                        \
	}                                                                                                                          \
	static void *one_##name(void *unused)                                                                                      \
	{                                                                                                                          \
		gate('1');                                                                                                         \
		if (call_##name() != 12345)                                                                                        \
			WRITE(y_##name, 1);                                                                                        \
		pthread_mutex_lock(&lock);                                                                                         \
		pthread_mutex_unlock(&lock);                                                                                       \
		gate_leave();                                                                                                      \
		return unused;                                                                                                     \
	}                                                                                                                          \
	static void *two_##name(void *unused)                                                                                      \
	{                                                                                                                          \
		gate('2');                                                                                                         \
		pthread_mutex_lock(&lock);                                                                                         \
		pthread_mutex_unlock(&lock);                                                                                       \
		if (call_##name() != 12345)                                                                                        \
			WRITE(y_##name, 2);                                                                                        \
		gate_leave();                                                                                                      \
		return unused;                                                                                                     \
	}

/* clang-format off */
SECTION(fstat, struct stat s; return fstat(0, &s);)
SECTION(stat, struct stat s; return stat(".", &s);)
SECTION(open, return close(open("made", O_CREAT | O_RDWR, 0600));)
SECTION(fopen, FILE *f = fopen("made", "w"); return f ? fclose(f) : -1;)
SECTION(lseek, return (int)lseek(file, 0, SEEK_SET);)
SECTION(fcntl, return fcntl(file, F_GETFL);)
SECTION(opendir, DIR *d = opendir("."); return d ? closedir(d) : -1;)
SECTION(unlink, return unlink("made");)
SECTION(access, return access("made", R_OK);)
SECTION(ioctl, int n; return ioctl(file, FIONREAD, &n);)
SECTION(fseek, return fseek(stream, 0, SEEK_SET);)
SECTION(mprotect, return mprotect(page, 4096, PROT_READ | PROT_WRITE);)
SECTION(setsockopt, int on = 1; return setsockopt(ends[0], SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);)
SECTION(bind, struct sockaddr_in a = {.sin_family = AF_INET}; return bind(ends[0], (struct sockaddr *)&a, sizeof a);)
SECTION(listen, return listen(ends[0], 1);)
SECTION(epoll_ctl, struct epoll_event e = {.events = EPOLLIN}; return epoll_ctl(poller, EPOLL_CTL_ADD, ends[0], &e);)
SECTION(sigprocmask, sigset_t s; sigemptyset(&s); return sigprocmask(SIG_BLOCK, &s, NULL);)
SECTION(rename, return rename("made", "other");)
SECTION(ftruncate, return ftruncate(file, 0);)
SECTION(regcomp, regex_t r; int e = regcomp(&r, "a*b", REG_EXTENDED); if (e == 0) regfree(&r); return e;)
SECTION(getaddrinfo, struct addrinfo h = {.ai_flags = AI_NUMERICHOST}, *a = NULL; int e = getaddrinfo("127.0.0.1", NULL, &h, &a); if (e == 0) freeaddrinfo(a); return e;)
SECTION(getopt, char *words[] = {"p", "-a", NULL}; pthread_mutex_lock(&lock); int c = getopt(2, words, "a"); pthread_mutex_unlock(&lock); return c;)
SECTION(atoi, return atoi(digits);)
SECTION(time, return time(NULL) == 0;)
SECTION(inet_addr, return (int)inet_addr("127.0.0.1");)
SECTION(indirect, int *block = memory.take(8); if (block) memory.give(block); return block == NULL;)
SECTION(compares, return table.compare(digits, "17 and less");)
SECTION(appends, char own[16] = "a"; table.append(own, digits); return own[3];)
SECTION(copies, char own[16]; table.copy(own, digits, 8); return own[3];)
SECTION(opens, struct stat s; int fd = table.open_file("data", O_RDONLY); int r = table.look(fd, &s); table.close_file(fd); return r;)
SECTION(reads, char own[4]; return (int)table.read_at(file, own, 4, 0);)
SECTION(asks, return table.ask("PATH") == NULL;)
SECTION(computes, return table.compute(0.5) > 1;)
SECTION(prints, char own[32]; int at = 0; return table.print(own, sizeof own, "%5d %.*s%n %g %%", 7, 3, digits, &at, 0.5);)
SECTION(setjmp, jmp_buf place; if (setjmp(place) == 0) return 1; return 2;)
SECTION(longjmp, jmp_buf place; if (setjmp(place) == 0) longjmp(place, 1); return 2;)
SECTION(cleanup, int done = 0; pthread_cleanup_push(note, &done); pthread_cleanup_pop(1); return done;)
SECTION(assembly, int sum = 1; __asm__ volatile("addl $2, %0" : "+r"(sum)); return sum;)
SECTION(barrier, __asm__ volatile("" ::: "memory"); return 1;)
SECTION(locked, __asm__ volatile("lock; incl %0" : "+m"(counter) : : "memory", "cc"); return 1;)
SECTION(by_address, __asm__ volatile("lock; incl (%0)" : : "r"(&counter) : "memory", "cc"); return 1;)
SECTION(exchange, int old = 5; __asm__ volatile("xchgl %0, %1" : "+r"(old), "+m"(counter) : : "memory"); return old;)
SECTION(cpuid, unsigned a = 0, b, c, d; __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d) : "c"(0)); return (int)a;)
SECTION(jumps, __asm__ goto("jmp %l0" : : : : out); return 1; out: return 2;)
SECTION(bit, __asm__ goto("lock btsl $3, %0\n\tjc %l1" : : "m"(counter) : "memory", "cc" : busy); return 1; busy: return 2;)
SECTION(compared, int old = 0; __asm__ goto("lock; cmpxchgl %2, %1\n\tjne %l[other]" : "+a"(old), "+m"(counter) : "r"(7) : "memory", "cc" : other); return 1; other: return 2;)
SECTION(tested, __asm__ goto("testl $1, %0\n\tjz %l1" : : "m"(constant) : "cc" : even); return 1; even: return 2;)
SECTION(stored, int own; __asm__ goto("movl $1, %0\n\tjmp %l[out]" : "=m"(own) : : : out); return 1; out: return own;)
SECTION(released, __asm__ volatile("movl $0, %0" : "=m"(counter) : : "memory"); return 1;)
SECTION(loaded, int own; __asm__ volatile("movl %1, %0" : "=r"(own) : "m"(counter) : "memory"); return own;)
SECTION(errno, errno = 0; return access("nothing", R_OK) != 0 ? errno : 0;)
/* clang-format on */

static part *const parts[][2] = {
        {one_fstat, two_fstat},
        {one_stat, two_stat},
        {one_open, two_open},
        {one_fopen, two_fopen},
        {one_lseek, two_lseek},
        {one_fcntl, two_fcntl},
        {one_opendir, two_opendir},
        {one_unlink, two_unlink},
        {one_access, two_access},
        {one_ioctl, two_ioctl},
        {one_fseek, two_fseek},
        {one_mprotect, two_mprotect},
        {one_setsockopt, two_setsockopt},
        {one_bind, two_bind},
        {one_listen, two_listen},
        {one_epoll_ctl, two_epoll_ctl},
        {one_sigprocmask, two_sigprocmask},
        {one_rename, two_rename},
        {one_ftruncate, two_ftruncate},
        {one_regcomp, two_regcomp},
        {one_getaddrinfo, two_getaddrinfo},
        {one_getopt, two_getopt},
        {one_atoi, two_atoi},
        {one_time, two_time},
        {one_inet_addr, two_inet_addr},
        {one_indirect, two_indirect},
        {one_compares, two_compares},
        {one_appends, two_appends},
        {one_copies, two_copies},
        {one_opens, two_opens},
        {one_reads, two_reads},
        {one_asks, two_asks},
        {one_computes, two_computes},
        {one_prints, two_prints},
        {one_setjmp, two_setjmp},
        {one_longjmp, two_longjmp},
        {one_cleanup, two_cleanup},
        {one_assembly, two_assembly},
        {one_barrier, two_barrier},
        {one_locked, two_locked},
        {one_exchange, two_exchange},
        {one_by_address, two_by_address},
        {one_cpuid, two_cpuid},
        {one_jumps, two_jumps},
        {one_bit, two_bit},
        {one_compared, two_compared},
        {one_tested, two_tested},
        {one_stored, two_stored},
        {one_released, two_released},
        {one_loaded, two_loaded},
        {one_errno, two_errno},
};

int main(int argc, char **argv)
{
	file = open("data", O_CREAT | O_RDWR, 0600);
	stream = tmpfile();
	poller = epoll_create1(0);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (file < 0 || !stream || poller < 0 || page == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return 1;
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
		pthread_t threads[2];
		for (unsigned k = 0; k < 2; k++)
			if (pthread_create(&threads[k], NULL, parts[i][k], NULL) != 0)
				return 1;
		gate_gather(2 * (i + 1));
		gate_open(argv[1]);
		for (unsigned k = 0; k < 2; k++)
			pthread_join(threads[k], NULL);
	}
	return argc < 2;
}
