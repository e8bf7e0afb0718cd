// A service in little: two workers answer requests of one visitor, a reaper forgets sessions that are there.
#include <cstdio>
#include <pthread.h>
#include <unistd.h>

#include "journal.hpp"

extern "C" {
#include "store.h"
}

static Journal journal;

static void *worker(void *)
{
	for (int i = 0; i < 3; i++)
		store_visit("ada");
	journal.add();
	return nullptr;
}

static void *reaper(void *)
{
	do
		usleep(50000);
	while (store_expire() == 0);
	return nullptr;
}

int main()
{
	pthread_t threads[3];
	pthread_create(&threads[0], nullptr, worker, nullptr);
	pthread_create(&threads[1], nullptr, worker, nullptr);
	pthread_create(&threads[2], nullptr, reaper, nullptr);
	for (pthread_t thread : threads)
		pthread_join(thread, nullptr);
	std::printf("%d workers have served\n", journal.entries());
	return 0;
}
