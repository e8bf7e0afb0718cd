/* norn-test
 * build: $CC -g -O1 -pthread -shared -fPIC -DPLUGIN $SRC/dlopen.c -o plugin.so
 * cc: -g -O1 -pthread -ldl
 * stdout: plugin counted 4
 * dump-count: 4 acquire +mutex .*; count_up
 * dump: main/1/1 +begin
 * dump: main +alloc .*; count_up
 */
/* A library that is loaded at run time is recorded, and so are the library functions that it calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef PLUGIN
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counted;
int count_up(int threads);

static void *from_thread(void *threads)
{
	count_up((int)(long)threads);
	return NULL;
}

__attribute__((noinline)) int count_up(int threads)
{
	volatile char *block = malloc(100);
	block[0] = 1;
	pthread_mutex_lock(&mutex);
	int now = ++counted;
	pthread_mutex_unlock(&mutex);
	free((void *)block);
	if (threads > 0) {
		pthread_t thread;
		pthread_create(&thread, NULL, from_thread, (void *)(long)(threads - 1));
		pthread_join(thread, NULL);
		now = counted;
	}
	return now;
}
#else
int main(void)
{
	void *plugin = dlopen("./plugin.so", RTLD_NOW);
	if (!plugin) {
		puts(dlerror());
		exit(1);
	}
	int (*count_up)(int) = (int (*)(int))dlsym(plugin, "count_up");
	count_up(0);
	printf("plugin counted %d\n", count_up(2));
	dlclose(plugin);
	return 0;
}
#endif
