/* norn-test
 * build: clang-19 -O1 -shared -fPIC -pthread $SRC/foreign_pool-part.c -o libforeign.so
 * unjudged:
 * silent: -DDESIGN=FOREIGN_COND -L. -lforeign -Wl,-rpath,.
 * silent: -DDESIGN=FOREIGN_SEMAPHORE -L. -lforeign -Wl,-rpath,.
 * silent: -DDESIGN=FOREIGN_FUTEX -L. -lforeign -Wl,-rpath,.
 * silent: -DDESIGN=FOREIGN_HIDDEN -L. -lforeign -Wl,-rpath,.
 * silent: -DDESIGN=FOREIGN_SPIN -L. -lforeign -Wl,-rpath,.
 * silent: -DDESIGN=FOREIGN_PIPE -L. -lforeign -Wl,-rpath,.
 * silent: -DDESIGN=FOREIGN_EVENTFD -L. -lforeign -Wl,-rpath,.
 * silent: -DDESIGN=FOREIGN_CALLER -L. -lforeign -Wl,-rpath,.
 * silent: -DDESIGN=FOREIGN_ONE_BY_ONE -L. -lforeign -Wl,-rpath,.
 * silent: -DDESIGN=FOREIGN_COND -DNESTED -L. -lforeign -Wl,-rpath,.
 * silent: -DDESIGN=FOREIGN_SPIN -DNESTED -L. -lforeign -Wl,-rpath,.
 */
/* Jobs that a library without hooks runs in its own threads, and waits for in its own ways (X10.a): they use what the program wrote
 * before it handed them over, and the program what they wrote, when the library says that they are done. */
#include "foreign_pool.h"

static int data[FOREIGN_JOBS], rounds, all;
static struct foreign *inner;

static void add(void *argument)
{
	int *mine = argument;
	*mine += rounds;
}

static void job(void *argument)
{
	int *mine = argument;
	*mine += rounds + data[0];
	if (DESIGN == FOREIGN_ONE_BY_ONE)
		all++;
#ifdef NESTED
	foreign_lock();
	foreign_push(inner, mine);
	foreign_wait(inner, 1);
	foreign_unlock();
#endif
	*mine += 1;
}

int main(void)
{
	struct foreign *pool = foreign_new(DESIGN, job);
	inner = foreign_new(DESIGN, add);
	for (int round = 0; round < 3; round++) {
		rounds = round;
		for (int i = 1; i < 5; i++) {
			data[i] = i;
			foreign_push(pool, &data[1 + (i + round + 1) % 4]); /* never data[i + 1], which main writes meanwhile */
			if (i % 2 == 0)
				foreign_wait(pool, 2);
		}
		int sum = all;
		for (int i = 1; i < 5; i++)
			sum += data[i];
		data[0] = sum;
	}
	foreign_free(inner);
	foreign_free(pool);
	return data[0] == 0;
}
