/* norn-test
 * silent: -lm
 * silent: -O3 -lm
 * schedule: 1212121212121212121212121212121212121212121212121212121212
 */
/* Threads that learn of each other through what functions without hooks read and change: in each section the second writes only because of what the first did
 * after it had written. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutexattr_t attribute;
static double number = 1;
static volatile double result;
static volatile int changed;
static char text[8] = "off", put[] = "NORN_C=1", name[64] = "no such locale", title[16] = "aa", room[256], semaphore[32];
static char *empty[] = {NULL};
static struct in_addr address;
static struct sigaction action;
static struct rlimit limit = {.rlim_cur = 1, .rlim_max = RLIM_INFINITY};
static FILE *sink, *lent;
static int amount = 1, kind = PTHREAD_MUTEX_NORMAL, number9, file, self, hidden, after_seven, shrinks;
static sem_t *made;
static char *page, *alias;

#define locked(...) (pthread_mutex_lock(&lock), (void)(__VA_ARGS__), pthread_mutex_unlock(&lock))

__attribute__((unused)) static void say(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vfprintf(sink, format, list);
	va_end(list);
}

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

#define AND ,
/* clang-format off */
#define DOES_errno /* X8.a */ locked(number = -1.0);
#define LEARNS_errno double v; locked(v = number); errno = 0; result = log(v); if (errno)
SECTION(errno, DOES_errno, LEARNS_errno)
#define DOES_limits struct rlimit l; getrlimit(RLIMIT_NOFILE, &l); l.rlim_cur = 100; setrlimit(RLIMIT_NOFILE, &l);
#define LEARNS_limits if (sysconf(_SC_OPEN_MAX) == 100)
SECTION(limits, DOES_limits, LEARNS_limits)
#define DOES_users changed = seteuid(1) == 0;
#define LEARNS_users if (geteuid() == 1 && seteuid(0) == 0)
SECTION(users, DOES_users, LEARNS_users)
#define DOES_umask umask(0123);
#define LEARNS_umask if (umask(0) == 0123)
SECTION(umask, DOES_umask, LEARNS_umask)
#define DOES_environment /* X7.a */ locked(setenv("NORN_A", "1", 1));
#define LEARNS_environment const char *found; locked(found = getenv("NORN_A")); if (found)
SECTION(environment, DOES_environment, LEARNS_environment)
#define DOES_setenv locked(strcpy(text, "on"));
#define LEARNS_setenv locked(setenv("NORN_B", text, 1)); if (strcmp(getenv("NORN_B"), "on") == 0)
SECTION(setenv, DOES_setenv, LEARNS_setenv)
#define DOES_putenv locked(put[5] = 'D');
#define LEARNS_putenv const char *found; locked(found = getenv("NORN_D")); if (found)
SECTION(putenv, DOES_putenv, LEARNS_putenv)
#define DOES_environ locked(environ = empty);
#define LEARNS_environ const char *found; locked(found = getenv("PATH")); if (!found)
SECTION(environ, DOES_environ, LEARNS_environ)
#define DOES_address locked(address.s_addr = 9);
#define LEARNS_address char got[32]; locked(inet_ntop(AF_INET, &address, got, sizeof got)); if (got[0] == '9')
SECTION(address, DOES_address, LEARNS_address)
#define DOES_locale locked(strcpy(name, "C"));
#define LEARNS_locale const char *found; locked(found = setlocale(LC_CTYPE, name)); if (found)
SECTION(locale, DOES_locale, LEARNS_locale)
#define DOES_signals signal(SIGUSR2, SIG_IGN);
#define LEARNS_signals struct sigaction old; sigaction(SIGUSR2, NULL, &old); if (old.sa_handler == SIG_IGN)
SECTION(signals, DOES_signals, LEARNS_signals)
#define DOES_handler locked(action.sa_handler = SIG_IGN);
#define LEARNS_handler struct sigaction old; locked(sigaction(SIGUSR1, &action, NULL)); sigaction(SIGUSR1, NULL, &old); if (old.sa_handler == SIG_IGN)
SECTION(handler, DOES_handler, LEARNS_handler)
#define DOES_setrlimit locked(limit.rlim_cur = 0);
#define LEARNS_setrlimit struct rlimit now; locked(setrlimit(RLIMIT_CORE, &limit)); getrlimit(RLIMIT_CORE, &now); if (now.rlim_cur == 0)
SECTION(setrlimit, DOES_setrlimit, LEARNS_setrlimit)
#define DOES_thread_name locked(strcpy(title, "zz"));
#define LEARNS_thread_name char got[16]; locked(pthread_setname_np(pthread_self(), title)); pthread_getname_np(pthread_self(), got, sizeof got); if (got[0] == 'z')
SECTION(thread_name, DOES_thread_name, LEARNS_thread_name)
#define DOES_count locked(amount = 1000);
#define LEARNS_count int n = 0; locked(fprintf(sink, "%d%n", amount, &n)); if (n == 4)
SECTION(count, DOES_count, LEARNS_count)
#define DOES_count_later locked(amount = 100000);
#define LEARNS_count_later int n = 0; locked(say("%d%n", amount, &n)); if (n == 6)
SECTION(count_later, DOES_count_later, LEARNS_count_later)
#define DOES_buffer fputs_unlocked("hello", lent);
#define LEARNS_buffer if (*(volatile char *)room == 'h')
SECTION(buffer, DOES_buffer, LEARNS_buffer)
#define DOES_attribute locked(kind = PTHREAD_MUTEX_RECURSIVE);
#define LEARNS_attribute int k; locked(k = kind); pthread_mutexattr_settype(&attribute, k); pthread_mutexattr_gettype(&attribute, &k); if (k == PTHREAD_MUTEX_RECURSIVE)
SECTION(attribute, DOES_attribute, LEARNS_attribute)
#define DOES_busy pthread_mutex_lock(&other);
#define LEARNS_busy if (pthread_mutex_destroy(&other) == EBUSY)
SECTION(busy, DOES_busy, LEARNS_busy)
#define DOES_exclusive made = sem_open(semaphore, O_CREAT | O_EXCL, 0600, 1);
#define LEARNS_exclusive if (sem_open(semaphore, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED)
SECTION(exclusive, DOES_exclusive, LEARNS_exclusive)
#define DOES_descriptor close(number9);
#define LEARNS_descriptor if (dup(0) == number9)
SECTION(descriptor, DOES_descriptor, LEARNS_descriptor)
#define DOES_mapped page[0] = 's';
#define LEARNS_mapped char c = 0; result = (double)pread(file, &c, 1, 0); if (c == 's')
SECTION(mapped, DOES_mapped, LEARNS_mapped)
#define DOES_memory locked(hidden = 1);
#define LEARNS_memory int v = 0; locked(result = (double)pread(self, &v, sizeof v, (off_t)(uintptr_t)&hidden)); if (v)
SECTION(memory, DOES_memory, LEARNS_memory)
#define DOES_alias atomic_store((_Atomic char *)page + 1, 1);
#define LEARNS_alias if (atomic_load((_Atomic char *)alias + 1))
SECTION(alias, DOES_alias, LEARNS_alias)
#define DOES_random srand(7);
#define LEARNS_random if (rand() == after_seven)
SECTION(random, DOES_random, LEARNS_random)
#define DOES_directory /* X7.c */ made = NULL; result = chdir("sub");
#define LEARNS_directory if (access("inside", F_OK) == 0)
SECTION(directory, DOES_directory, LEARNS_directory)
#define DOES_size result = ftruncate(shrinks, 0);
#define LEARNS_size char c; if (pread(shrinks, &c, 1, 0) == 0)
SECTION(size, DOES_size, LEARNS_size)
#define DOES_name result = mkdir("sub/new", 0700);
#define LEARNS_name struct stat s; if (stat("new", &s) == 0)
SECTION(name, DOES_name, LEARNS_name)
#define DOES_offset lseek(shrinks, 5, SEEK_SET);
#define LEARNS_offset if (lseek(shrinks, 0, SEEK_CUR) == 5)
SECTION(offset, DOES_offset, LEARNS_offset)
/* clang-format on */

static part *const parts[][2] = {
        {one_errno, two_errno}, {one_limits, two_limits}, {one_users, two_users}, {one_umask, two_umask},
        {one_environment, two_environment}, {one_setenv, two_setenv}, {one_putenv, two_putenv}, {one_environ, two_environ},
        {one_address, two_address}, {one_locale, two_locale}, {one_signals, two_signals}, {one_handler, two_handler},
        {one_setrlimit, two_setrlimit}, {one_thread_name, two_thread_name}, {one_count, two_count},
        {one_count_later, two_count_later}, {one_buffer, two_buffer}, {one_attribute, two_attribute}, {one_busy, two_busy},
        {one_exclusive, two_exclusive}, {one_descriptor, two_descriptor}, {one_mapped, two_mapped}, {one_memory, two_memory},
        {one_random, two_random}, {one_directory, two_directory}, {one_size, two_size}, {one_name, two_name},
        {one_offset, two_offset}, {one_alias, two_alias}, /* last: after it the order of events is not known */
};

static int prepare(void)
{
	pthread_mutexattr_init(&attribute);
	snprintf(semaphore, sizeof semaphore, "/norn-%d", (int)getpid());
	sink = fopen("/dev/null", "w");
	lent = fopen("lent", "w");
	setvbuf(lent, room, _IOFBF, sizeof room);
	action.sa_handler = SIG_DFL;
	srand(7);
	after_seven = rand();
	srand(1);
	number9 = dup(0);
	file = memfd_create("shared", 0);
	self = open("/proc/self/mem", O_RDONLY);
	shrinks = open("shrinks", O_CREAT | O_RDWR, 0600);
	if (!sink || !lent || number9 < 0 || file < 0 || self < 0 || ftruncate(file, 4096) != 0 || ftruncate(shrinks, 10) != 0)
		return 1;
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	alias = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (page == MAP_FAILED || alias == MAP_FAILED || putenv(put) != 0 || mkdir("sub", 0700) != 0)
		return 1;
	return close(open("sub/inside", O_CREAT | O_RDWR, 0600));
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
	sem_unlink(semaphore);
	return argc < 2;
}
