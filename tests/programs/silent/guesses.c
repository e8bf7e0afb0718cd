/* norn-test
 * check: --infer-atomicity
 * silent: -DWAIT
 * silent: -DROUND
 */
/* What is not meant to be one, though it stands in one call: accesses around a wait, and in the rounds of a loop, as zstd's and pigz's pools of threads have them. */
#include "crew.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int value;

#ifdef WAIT
static void wait_for_value(void)
{
	pthread_mutex_lock(&lock);
	while (value == 0)
		pthread_cond_wait(&changed, &lock);
	value--;
	pthread_mutex_unlock(&lock);
}

static void *work(void *argument)
{
	if (number_of(argument) == 0) {
		wait_for_value();
		wait_for_value();
		return NULL;
	}
	pthread_mutex_lock(&lock);
	value++;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}
#else
static void *work(void *argument)
{
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&lock);
		int taken = value;
		value = taken + 1;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}
#endif

int main(void)
{
	crew(3, work);
	return value < 0;
}
