/* norn-test
 * silent: -lm
 * silent: -O3 -lm
 * unjudged:
 * schedule: 12121212121212121212121212121212121212121212121212
 */
/* As effects.c, for the other resources, for calls through pointers, and for asm goto: in each section the second thread writes only because of what the first did after it
 * had written. No program can tell the clock, the machine's name and what is a thread's own (fenv, the mask of signals) in this way. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <pwd.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char module[] = "libanl.so.1";
static void *big, *library, *page;
static volatile double result;
static double number = 1;
static volatile int changed;
static char text[8] = "off", texts[8] = "a", word_text[8] = "a", counted_text[8] = "a", first_name[32];
static DIR *directory;
static long beginning;
static FILE *stream;
static int terminal, segment = -1, bits, word, one_more = 7;
static pid_t child;
static key_t ipc_key;
static pthread_key_t key, first_key;
/* The compiler cannot look through it. */
static struct {
	int (*compare)(const char *, const char *);
	char *(*append)(char *, const char *);
	size_t (*measure)(const char *);
	char *(*ask)(const char *);
	int (*set)(const char *, const char *, int);
	int (*make)(const char *, mode_t);
	int (*look)(const char *, struct stat *);
	double (*compute)(double);
	int (*print)(char *, size_t, const char *, ...);
} volatile table = {strcmp, strcat, strlen, getenv, setenv, mkdir, stat, log, snprintf};

#define locked(...) (pthread_mutex_lock(&lock), (void)(__VA_ARGS__), pthread_mutex_unlock(&lock))

/* What the first thread does after it has written, and when the second one writes. */
#define SECTION(name, does, learns)                                                                                                \
	int y_##name;                                                                                                              \
	static void *one_##name(void *unused)                                                                                      \
	{                                                                                                                          \
		gate('1');                                                                                                         \
		y_##name = 1;                                                                                                      \
		does;                                                                                                              \
		gate_leave();                                                                                                      \
		return unused;                                                                                                     \
	}                                                                                                                          \
	static void *two_##name(void *unused)                                                                                      \
	{                                                                                                                          \
		gate('2');                                                                                                         \
		learns y_##name = 2;                                                                                               \
		gate_leave();                                                                                                      \
		return unused;                                                                                                     \
	}

/* clang-format off */
#define DOES_heap big = malloc(8 << 20);
#define LEARNS_heap struct mallinfo2 now = mallinfo2(); if (now.hblkhd >= 8 << 20)
SECTION(heap, DOES_heap, LEARNS_heap)
#define DOES_linker library = dlopen(module, RTLD_NOW);
#define LEARNS_linker if (dlopen(module, RTLD_NOW | RTLD_NOLOAD))
SECTION(linker, DOES_linker, LEARNS_linker)
#define DOES_mappings munmap(page, 4096);
#define LEARNS_mappings if (msync(page, 4096, MS_ASYNC) != 0)
SECTION(mappings, DOES_mappings, LEARNS_mappings)
#define DOES_names locked(getpwent());
#define LEARNS_names struct passwd *entry; char got[32] = ""; locked(entry = getpwent(), entry ? strncpy(got, entry->pw_name, 31) : NULL); if (strcmp(got, first_name) != 0)
SECTION(names, DOES_names, LEARNS_names)
#define DOES_object changed = readdir(directory) != NULL;
#define LEARNS_object if (telldir(directory) != beginning)
SECTION(object, DOES_object, LEARNS_object)
#define DOES_processes kill(child, SIGKILL);
#define LEARNS_processes int how; if (waitpid(child, &how, 0) == child)
SECTION(processes, DOES_processes, LEARNS_processes)
#define DOES_statics ENTRY item = {.key = "a"}; locked(hsearch(item, ENTER));
#define LEARNS_statics ENTRY item = {.key = "a"}; ENTRY *found; locked(found = hsearch(item, FIND)); if (found)
SECTION(statics, DOES_statics, LEARNS_statics)
#define DOES_streams locked(fputc(120, stream));
#define LEARNS_streams long at; locked(at = ftell(stream)); if (at == 1)
SECTION(streams, DOES_streams, LEARNS_streams)
#define DOES_syslog setlogmask(1);
#define LEARNS_syslog if (setlogmask(0) == 1)
SECTION(syslog, DOES_syslog, LEARNS_syslog)
#define DOES_terminal struct termios t; tcgetattr(terminal, &t); t.c_lflag &= ~(tcflag_t)ECHO; tcsetattr(terminal, TCSANOW, &t);
#define LEARNS_terminal struct termios now; tcgetattr(terminal, &now); if (!(now.c_lflag & ECHO))
SECTION(terminal, DOES_terminal, LEARNS_terminal)
#define DOES_timers alarm(1000);
#define LEARNS_timers if (alarm(0) > 0)
SECTION(timers, DOES_timers, LEARNS_timers)
#define DOES_timezone locked(setenv("TZ", "XYZ-5", 1), tzset());
#define LEARNS_timezone struct tm t = {0}; time_t zero = 0; locked(localtime_r(&zero, &t)); if (t.tm_hour == 5)
SECTION(timezone, DOES_timezone, LEARNS_timezone)
#define DOES_threads pthread_key_create(&key, NULL);
#define LEARNS_threads pthread_key_t next; pthread_key_create(&next, NULL); if (next != first_key)
SECTION(threads, DOES_threads, LEARNS_threads)
#define DOES_ipc segment = shmget(ipc_key, 4096, IPC_CREAT | IPC_EXCL | 0600);
#define LEARNS_ipc if (shmget(ipc_key, 0, 0) >= 0)
SECTION(ipc, DOES_ipc, LEARNS_ipc)
#define DOES_signals signal(SIGUSR2, SIG_IGN);
#define LEARNS_signals if (signal(SIGUSR2, SIG_DFL) == SIG_IGN)
SECTION(signals, DOES_signals, LEARNS_signals)
#define DOES_mask_of_process sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR1); kill(getpid(), SIGUSR1);
#define LEARNS_mask_of_process sigset_t s; sigpending(&s); if (sigismember(&s, SIGUSR1))
SECTION(mask_of_process, DOES_mask_of_process, LEARNS_mask_of_process)
#define DOES_compares locked(strcpy(text, "on"));
#define LEARNS_compares int same; locked(same = table.compare(text, "on") == 0); if (same)
SECTION(compares, DOES_compares, LEARNS_compares)
#define DOES_appends locked(table.append(texts, "b"));
#define LEARNS_appends size_t n; locked(n = table.measure(texts)); if (n == 2)
SECTION(appends, DOES_appends, LEARNS_appends)
#define DOES_asks locked(table.set("NORN_P", "1", 1));
#define LEARNS_asks const char *found; locked(found = table.ask("NORN_P")); if (found)
SECTION(asks, DOES_asks, LEARNS_asks)
#define DOES_makes result = table.make("made", 0700);
#define LEARNS_makes struct stat s; if (table.look("made", &s) == 0)
SECTION(makes, DOES_makes, LEARNS_makes)
#define DOES_computes locked(number = -1.0);
#define LEARNS_computes double v; locked(v = number); errno = 0; result = table.compute(v); if (errno)
SECTION(computes, DOES_computes, LEARNS_computes)
#define DOES_prints locked(strcpy(word_text, "longer"));
#define LEARNS_prints int n; locked(n = table.print(NULL, 0, "%d%s", 1, word_text)); if (n == 7)
SECTION(prints, DOES_prints, LEARNS_prints)
#define DOES_counts locked(strcpy(counted_text, "longer"));
#define LEARNS_counts char own[16]; int n = 0; locked(table.print(own, sizeof own, "%s%n", counted_text, &n)); if (n == 6)
SECTION(counts, DOES_counts, LEARNS_counts)
#define DOES_bit __asm__ goto("lock btsl $0, %0\n\tjc %l1" : : "m"(bits) : "memory", "cc" : busy); busy:;
#define LEARNS_bit int set = 0; __asm__ goto("lock btsl $0, %0\n\tjnc %l1" : : "m"(bits) : "memory", "cc" : was_free); set = 1; was_free: if (set)
SECTION(bit, DOES_bit, LEARNS_bit)
#define DOES_stored __asm__ goto("xchgl %0, %1\n\tjmp %l[out]" : "+r"(one_more), "+m"(word) : : "memory" : out); out:;
#define LEARNS_stored if (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 7)
SECTION(stored, DOES_stored, LEARNS_stored)
/* clang-format on */

static part *const parts[][2] = {
        {one_heap, two_heap},
        {one_linker, two_linker},
        {one_mappings, two_mappings},
        {one_names, two_names},
        {one_object, two_object},
        {one_processes, two_processes},
        {one_statics, two_statics},
        {one_streams, two_streams},
        {one_syslog, two_syslog},
        {one_terminal, two_terminal},
        {one_timers, two_timers},
        {one_timezone, two_timezone},
        {one_threads, two_threads},
        {one_ipc, two_ipc},
        {one_signals, two_signals},
        {one_mask_of_process, two_mask_of_process},
        {one_compares, two_compares},
        {one_appends, two_appends},
        {one_asks, two_asks},
        {one_makes, two_makes},
        {one_computes, two_computes},
        {one_prints, two_prints},
        {one_counts, two_counts},
        {one_bit, two_bit},
        {one_stored, two_stored},
};

static int prepare(void)
{
	setenv("TZ", "UTC", 1);
	tzset();
	struct passwd *entry = getpwent();
	strncpy(first_name, entry ? entry->pw_name : "", 31);
	setpwent();
	directory = opendir(".");
	beginning = directory ? telldir(directory) : 0;
	stream = tmpfile();
	terminal = posix_openpt(O_RDWR | O_NOCTTY);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ipc_key = (key_t)getpid();
	pthread_key_create(&first_key, NULL);
	pthread_key_delete(first_key);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	return !directory || !stream || terminal < 0 || page == MAP_FAILED || child < 0 || !hcreate(8);
}

int main(int argc, char **argv)
{
	if (prepare() != 0)
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
	shmctl(segment, IPC_RMID, NULL);
	return argc < 2;
}
