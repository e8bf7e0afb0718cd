/* Figures 12 and 13 of the paper on sliced causality, in C: Tomcat's WebappClassLoader. An entry has the bytes of a class until a class is made of them; then the bytes, and the manifest
 * that the package is defined by, are given up. PATCHED is the patch that was meant to fix it: the question is asked under a lock, but not what comes after it. RIGHT holds the lock over
 * all. The steps: ask (a, b), define the package (c, d), make the class (e, f). */
#include <stddef.h>

#include "../programs/sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
const char *bytes = "bytes", *manifest = "manifest", *loaded;

/* Its argument must not be null. */
__attribute__((noinline)) void define_package(const char *by)
{
	__asm__ volatile("" ::"r"(by));
}

static void make_class(void)
{
	pthread_mutex_lock(&lock);
	if (!loaded) {
		loaded = "class";
		bytes = NULL;
		manifest = NULL;
	}
	pthread_mutex_unlock(&lock);
}

static int is_missing(void)
{
#ifdef PATCHED
	pthread_mutex_lock(&lock);
#endif
	int missing = !bytes && !loaded;
#ifdef PATCHED
	pthread_mutex_unlock(&lock);
#endif
	return missing;
}

static void find_class(const char *steps)
{
	if (is_missing() || loaded)
		return;
	gate(steps[1]);
	define_package(manifest);
	gate(steps[2]);
	make_class();
}

#ifdef RIGHT
static pthread_mutex_t whole = PTHREAD_MUTEX_INITIALIZER;
#endif

static void search(const char *steps)
{
	gate(steps[0]);
#ifdef RIGHT
	pthread_mutex_lock(&whole);
#endif
	find_class(steps);
#ifdef RIGHT
	pthread_mutex_unlock(&whole);
#endif
	gate_leave();
}

static void *first(void *unused)
{
	search("ace");
	return unused;
}

static void *second(void *unused)
{
	search("bdf");
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, first, second, NULL);
}
