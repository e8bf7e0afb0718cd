/* norn-test
 * cc: -O1 -pthread
 * stdout: 400000
 * never: ZSTD_trace
 */
/* A program that has parts of libzstd within, as zstd does: the runtime's own copy must not call them. Long enough that blocks are
 * compressed and written. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

unsigned long long ZSTD_trace_compress_begin(const void *context)
{
	(void)context;
	abort();
}

void ZSTD_trace_compress_end(unsigned long long trace, const void *what)
{
	(void)trace, (void)what;
	abort();
}

static volatile unsigned sum[2];

static void *work(void *argument)
{
	volatile unsigned *mine = argument;
	for (unsigned i = 0; i < 20000; i++)
		*mine += 10;
	return NULL;
}

int main(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, work, (void *)&sum[0]))
		return 1;
	work((void *)&sum[1]);
	pthread_join(thread, NULL);
	printf("%u\n", sum[0] + sum[1]);
	return 0;
}
