/* norn-test
 * errors: yes
 * build: $CC -O0 -g -x c++ -c $SRC/units-part.cc -o part0.o && $CC -O1 -g -x c++ -c $SRC/units-part.cc -o part1.o
 * cc: -O0 part0.o
 * cc: -O0 part1.o
 * cc: -O1 part0.o
 * cc: -O1 part1.o
 * schedule: 12
 * finding: ^race after_all\b.* predicted
 * silent: -DRIGHT -O0 part0.o
 * silent: -DRIGHT -O1 part1.o
 */
/* Functions of another unit whose declarations are not described here, or only by the linker's name: they are called by this unit, and
 * by no code without hooks, so they need nothing that came before. */
#include "units.h"

extern "C" {
#include "../sliced/cast.h"
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int after_all;

#ifdef RIGHT
#define WRITE(variable, value) (pthread_mutex_lock(&lock), variable = value, pthread_mutex_unlock(&lock))
#else
#define WRITE(variable, value) (variable = value)
#endif

static int use(int n)
{
	units::box<int> box(n);
	box.put(n);
	units::counter counter;
	counter.put(box);
	counter.put(4);
	return units::sum(counter, n) + units::sum(n, n);
}

static void *one(void *unused)
{
	gate('1');
	use(3);
	WRITE(after_all, 1);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	use(4);
	WRITE(after_all, 2);
	gate_leave();
	return unused;
}

int main(int, char **argv)
{
	return play(argv, one, two, nullptr);
}
