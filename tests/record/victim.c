/* Never ends: threads work on shared words and count up a tick each, in the trace (norn_event) and then in a file that outlives the
 * process. So after a kill at any moment, every tick in the file must be in the trace. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "norn.h"

#define THREADS 3

static volatile uint64_t *ticks; /* THREADS of them, in the file */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t table[512];
static atomic_uint turns;
static char text[256];

static void work(unsigned thread, uint64_t tick)
{
	for (unsigned i = 0; i < 200; i++)
		table[(i * 7 + thread) % 512] += tick;
	pthread_mutex_lock(&lock);
	memmove(text + 8, text, 200);
	table[0]++;
	pthread_mutex_unlock(&lock);
	atomic_fetch_add(&turns, 1);
	free(malloc(64 + tick % 512));
}

static void *run(void *argument)
{
	unsigned thread = (unsigned)(uintptr_t)argument;
	static const char *const names[THREADS] = {"tick0", "tick1", "tick2"};
	for (uint64_t tick = 1;; tick++) {
		work(thread, tick);
		norn_event(names[thread], (long long)tick);
		ticks[thread] = tick;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
	if (fd < 0 || ftruncate(fd, 4096))
		return 2;
	ticks = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	printf("%d\n", getpid());
	fflush(stdout);
	pthread_t thread;
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, run, (void *)i))
			return 2;
	pause();
	return 0;
}
