/* norn-test
 * silent:
 */
/* Readers side by side, a writer alone; and two readers that take two locks in opposite orders, which nobody writes under. */
#include "crew.h"

static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER, first = PTHREAD_RWLOCK_INITIALIZER,
                        second = PTHREAD_RWLOCK_INITIALIZER;
static int table[4], sums[4];

static void *work(void *argument)
{
	int me = number_of(argument);
	for (int i = 0; i < 10; i++) {
		if (me == 0) {
			pthread_rwlock_wrlock(&table_lock);
			for (int k = 0; k < 4; k++)
				table[k]++;
			pthread_rwlock_unlock(&table_lock);
		} else {
			pthread_rwlock_rdlock(&table_lock);
			sums[me] += table[0] + table[3];
			pthread_rwlock_unlock(&table_lock);
		}
	}
	pthread_rwlock_rdlock(me & 1 ? &first : &second);
	pthread_rwlock_rdlock(me & 1 ? &second : &first);
	pthread_rwlock_unlock(&first);
	pthread_rwlock_unlock(&second);
	return NULL;
}

int main(void)
{
	crew(4, work);
	return table[2] == 10 && sums[1] % 2 == 0 ? 0 : 1;
}
