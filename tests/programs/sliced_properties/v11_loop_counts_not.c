/* norn-test
 * prop: figure3.prop
 * check: --only-props
 * errors: yes
 * silent: -DEVEN
 * silent: -DLAST
 * silent: -DMOVED
 * silent: -DBACK
 * silent: -DSOMETIMES
 * silent: -DSHARED
 * schedule: 12
 * repeat: 3
 */
/* Loops that count, and yet need not end where the bound is another: had i been what it was before, z would never be written. */
#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef LAST
unsigned i = ~0u, y, z;
#else
unsigned i = 3, y, z;
#endif
int go_on = 1;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	i = 4;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
	unsigned r = i;
#if defined(EVEN) /* passes an odd bound again and again */
	for (unsigned k = 0; k != r; k += 2)
		y = r;
#elif defined(LAST) /* no unsigned number is larger */
	for (unsigned k = 0; k <= r; k++)
		y = r;
#elif defined(MOVED) /* the bound goes on before it */
	for (unsigned k = 0; k < r; k++) {
		y = r;
		r += r % 2;
	}
#elif defined(BACK) /* a round may take back what it added */
	for (unsigned k = 0; k < r; k++) {
		y = r;
		if (r == 3 && k == 1)
			k--;
	}
#elif defined(SOMETIMES) /* not each round counts */
	for (unsigned k = 0; k < r;) {
		y = r;
		if (r == 4)
			k++;
	}
#else /* the bound is another's to change */
	for (unsigned k = 0; k < i; k++) {
		y = i;
		i += i % 2;
	}
#endif
	z = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
