/* norn-test
 * errors: yes
 * cc:
 * schedule: 12121212
 * finding: ^race y_directories\b.* predicted
 * finding: ^race y_pointers\b.* predicted
 * never-finding: ^race y_same\b
 * silent: -DRIGHT
 */
/* An object that a library keeps behind a pointer is a resource of its own (X7.d): threads that use one each are not ordered by it. `same`: both use one, and the second writes
 * only because of what it finds there. Right: with a lock. */
#include <dirent.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static DIR *directories[3];
static long beginning;
static struct dirent *(*volatile next)(DIR *) = readdir;

#ifdef RIGHT
#define WRITE(variable, value) (pthread_mutex_lock(&lock), variable = value, pthread_mutex_unlock(&lock))
#else
#define WRITE(variable, value) (variable = value)
#endif

#define SECTION(name, first, second)                                                                                               \
	int y_##name;                                                                                                              \
	static void *one_##name(void *unused)                                                                                      \
	{                                                                                                                          \
		gate('1');                                                                                                         \
		WRITE(y_##name, 1);                                                                                                \
		first;                                                                                                             \
		gate_leave();                                                                                                      \
		return unused;                                                                                                     \
	}                                                                                                                          \
	static void *two_##name(void *unused)                                                                                      \
	{                                                                                                                          \
		gate('2');                                                                                                         \
		if (second)                                                                                                        \
			WRITE(y_##name, 2);                                                                                        \
		gate_leave();                                                                                                      \
		return unused;                                                                                                     \
	}

SECTION(directories, rewinddir(directories[0]), telldir(directories[1]) == beginning)
SECTION(pointers, next(directories[0]), next(directories[1]))
SECTION(same, next(directories[2]), telldir(directories[2]) != beginning)

static part *const parts[][2] = {{one_directories, two_directories}, {one_pointers, two_pointers}, {one_same, two_same}};

int main(int argc, char **argv)
{
	for (unsigned i = 0; i < 3; i++)
		if (!next || !(directories[i] = opendir(".")))
			return 1;
	beginning = telldir(directories[1]);
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
