/* norn-test
 * silent: -O1
 * unjudged: -O1
 * silent: -O0
 * repeat: 2
 */
/* Blocks that grow, in place and elsewhere: what is behind what the program asked for was another block before. */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *text;
static size_t room;
static int total;

static void add(const char *more, size_t bytes)
{
	if (room < bytes + 1) {
		char *bigger = realloc(text, room * 2 + bytes + 40);
		if (!bigger)
			abort();
		text = bigger;
		room = room * 2 + bytes + 40;
	}
	memcpy(text, more, bytes);
	text[bytes] = 0;
}

/* Leaves blocks behind whose memory is used again, in other sizes. */
static void stir(unsigned n)
{
	char *blocks[8];
	for (unsigned i = 0; i < 8; i++) {
		blocks[i] = malloc(100 + 24 * ((i + n) % 7));
		if (!blocks[i])
			abort();
		memset(blocks[i], (int)i, 100);
	}
	for (unsigned i = 0; i < 8; i++)
		free(blocks[i]);
}

static void *work(void *number)
{
	const char *words[] = {"a", "some words", "a longer sentence than the others, which needs room"};
	for (unsigned i = 0; i < 12; i++) {
		stir(i);
		char *own = aligned_alloc(64, 64 + 64 * (i % 3));
		if (!own)
			abort();
		memset(own, (int)i, 64);
		own = realloc(own, 700 + 10 * i);
		if (!own)
			abort();
		pthread_mutex_lock(&lock);
		add(words[i % 3], strlen(words[i % 3]));
		if (text[0] == 'a')
			total += own[3];
		pthread_mutex_unlock(&lock);
		own = realloc(own, malloc_usable_size(own) + 1);
		free(own);
	}
	return number;
}

int main(void)
{
	pthread_t threads[2];
	room = 64;
	text = aligned_alloc(64, room);
	for (unsigned i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			return 1;
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	free(text);
	return total < 0;
}
