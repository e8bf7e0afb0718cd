/* hash [operations] [threads]: a chained hash table with a lock per stripe of buckets; each thread inserts, looks up, counts up and
 * removes keys drawn from a common range. What a thread does to its own keys depends on it alone, so the sum is the same each run. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BUCKETS 4096
#define STRIPES 64
#define KEYS 16384 /* per thread */

struct node {
	struct node *next;
	uint64_t key, value;
};

struct stripe {
	pthread_mutex_t lock;
	uint64_t hits, misses;
};

struct worker {
	pthread_t thread;
	uint64_t number, operations, found;
};

static struct node *buckets[BUCKETS];
static struct stripe stripes[STRIPES];
static size_t threads;

static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

static struct node **find(uint64_t key, size_t bucket)
{
	struct node **at = &buckets[bucket];
	while (*at && (*at)->key != key)
		at = &(*at)->next;
	return at;
}

/* Adds amount to the key's value, which is made if it does not exist; removes it instead if amount is 0. Returns the new value. */
static uint64_t update(uint64_t key, uint64_t amount)
{
	size_t bucket = mix(key) % BUCKETS;
	struct stripe *stripe = &stripes[bucket % STRIPES];
	struct node *unlinked = NULL;
	uint64_t value = 0;

	pthread_mutex_lock(&stripe->lock);
	struct node **at = find(key, bucket);
	if (*at)
		stripe->hits++;
	else
		stripe->misses++;
	if (!amount) {
		if ((unlinked = *at))
			*at = unlinked->next;
	} else if (*at) {
		value = (*at)->value += amount;
	} else {
		struct node *node = malloc(sizeof *node);
		if (!node)
			abort();
		*node = (struct node){.next = buckets[bucket], .key = key, .value = amount};
		buckets[bucket] = node;
		value = amount;
	}
	pthread_mutex_unlock(&stripe->lock);
	free(unlinked);
	return value;
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	uint64_t random = worker->number + 1;
	for (uint64_t i = 0; i < worker->operations; i++) {
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		uint64_t key = (random >> 40) % KEYS * threads + worker->number;
		worker->found += update(key, (random >> 33) % 8);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t operations = argc > 1 ? strtoull(argv[1], NULL, 10) : 400000;
	threads = argc > 2 ? strtoul(argv[2], NULL, 10) : 4;
	struct worker *workers = calloc(threads, sizeof *workers);
	if (!workers)
		return 1;
	for (size_t i = 0; i < STRIPES; i++)
		pthread_mutex_init(&stripes[i].lock, NULL);
	for (size_t t = 0; t < threads; t++) {
		workers[t].number = t;
		workers[t].operations = operations / threads;
		if (pthread_create(&workers[t].thread, NULL, work, &workers[t]))
			return 1;
	}
	uint64_t sum = 0;
	for (size_t t = 0; t < threads; t++) {
		pthread_join(workers[t].thread, NULL);
		sum = sum * 31 + workers[t].found;
	}
	uint64_t hits = 0, misses = 0, left = 0;
	for (size_t i = 0; i < STRIPES; i++) {
		hits += stripes[i].hits;
		misses += stripes[i].misses;
	}
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct node *node = buckets[i], *next; node; node = next) {
			left += node->value;
			next = node->next;
			free(node);
		}
	printf("hash %llu: %llu hits, %llu misses, %016llx\n", (unsigned long long)operations, (unsigned long long)hits,
	        (unsigned long long)misses, (unsigned long long)(sum ^ left));
	free(workers);
	return 0;
}
