/* A read that the next round would make, after what the last round unlocks. */
#include "two.h"

int x;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void one(void)
{
	int sum = 0;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < rounds; i++) {
		sum += x;
		if (i == rounds - 1)
			pthread_mutex_unlock(&lock);
	}
	if (k)
		sum += x;
	result = sum;
}

void two(void)
{
	pthread_mutex_lock(&lock);
	x = 1;
	pthread_mutex_unlock(&lock);
}
