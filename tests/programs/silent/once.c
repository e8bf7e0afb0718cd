/* norn-test
 * silent: -DPOSIX
 * silent: -DC11
 */
/* Initialised by the first thread that comes. */
#include <threads.h>

#include "crew.h"

static int table[3], found[4];

static void fill(void)
{
	for (int i = 0; i < 3; i++)
		table[i] = i + 1;
}

static void *work(void *argument)
{
#ifdef C11
	static once_flag once = ONCE_FLAG_INIT;
	call_once(&once, fill);
#else
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, fill);
#endif
	found[number_of(argument)] = table[2];
	return NULL;
}

int main(void)
{
	crew(4, work);
	return found[0] == 3 && found[3] == 3 ? 0 : 1;
}
