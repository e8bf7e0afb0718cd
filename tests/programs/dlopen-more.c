/* norn-test
 * build: $CC -g -O1 -pthread -shared -fPIC -DPLUGIN $SRC/dlopen-more.c -o part.so
 * build: clang-19 -O1 -DHOST $SRC/dlopen-more.c -o host
 * cc: -g -O1 -pthread -ldl
 * stdout: in a program that has no hooks: 2
 * stdout: loaded 50 times: 100 0; own thread-local 5; two at once: 12; in a namespace of its own: 3; by a path that is not there: yes
 */
/* Libraries that come and go, in threads, with thread-local data and keys whose destructors run later; with symbols of their own first; in another namespace, with
 * another libc; and in a program that is not built by norn cc. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PLUGIN
static __thread int own = 4;
static int counted;
int count_one(void);
int count_own(void);
void set_counter(int *to);
static int *counter;

__attribute__((constructor)) static void begin(void)
{
	counted = 1;
}

__attribute__((destructor)) static void end(void)
{
	if (counter)
		__atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
}

void set_counter(int *to)
{
	counter = to;
}

int count_one(void)
{
	return ++counted;
}

int count_own(void)
{
	return ++own;
}
#else
static int ended, wrong;

static void *plugin(int flags)
{
	void *handle = dlopen("./part.so", flags);
	if (!handle) {
		puts(dlerror());
		exit(1);
	}
	return handle;
}

static int call(void *handle, const char *name)
{
	int (*function)(void) = (int (*)(void))dlsym(handle, name);
	return function ? function() : -1;
}

static void *come_and_go(void *unused)
{
	for (int i = 0; i < 25; i++) {
		void *handle = plugin(RTLD_NOW | RTLD_LOCAL);
		if (call(handle, "count_own") != 5 + i && call(handle, "count_own") < 5)
			__atomic_fetch_add(&wrong, 1, __ATOMIC_SEQ_CST);
		dlclose(handle);
	}
	return unused;
}

#ifdef HOST
int main(void)
{
	printf("in a program that has no hooks: %d\n", call(plugin(RTLD_NOW), "count_one"));
	(void)come_and_go;
	(void)ended;
	return 0;
}
#else
int main(void)
{
	pthread_t threads[2];
	if (system("./host"))
		return 1;
	for (int i = 0; i < 50; i++) {
		void *handle = plugin(RTLD_LAZY | RTLD_DEEPBIND);
		((void (*)(int *))dlsym(handle, "set_counter"))(&ended);
		ended += call(handle, "count_one") == 2;
		dlclose(handle);
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, come_and_go, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	void *first = plugin(RTLD_NOW), *second = plugin(RTLD_NOW | RTLD_GLOBAL);
	int own = call(first, "count_own"), two = call(first, "count_one") * 4 + call(second, "count_one") + 1;
	dlclose(first);
	dlclose(second);
	void *apart = dlmopen(LM_ID_NEWLM, "./part.so", RTLD_NOW);
	int in_it = apart ? call(apart, "count_one") + (call(apart, "count_one") == 3) : -1;
	void *missing = dlopen("./not-there.so", RTLD_NOW);
	const char *why = dlerror();
	printf("loaded 50 times: %d %d; own thread-local %d; two at once: %d; in a namespace of its own: %d; by a path that is not "
	       "there: %s\n",
	        ended, wrong, own, two, in_it, !missing && why && strstr(why, "not-there.so") ? "yes" : "no");
	return 0;
}
#endif
#endif
