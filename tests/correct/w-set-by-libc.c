/* norn-test
 * silent:
 */
/* Pointers that libc sets through its arguments (getline, asprintf, posix_memalign, open_memstream, strtol's end, getaddrinfo), handed over and followed without a null check. */
#define _GNU_SOURCE
#include <assert.h>
#include <netdb.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char *line, *text, *end;
static void *block;
static FILE *memory;
static char *written;
static size_t line_size, written_size;
static struct addrinfo *address;
static sem_t ready, back;
static void *maker(void *arg)
{
	FILE *f = fmemopen("first line\nsecond\n", 18, "r");
	if (getline(&line, &line_size, f) != 11)
		abort();
	fclose(f);
	if (asprintf(&text, "%d items", 12) < 0)
		abort();
	if (strtol(text, &end, 10) != 12)
		abort();
	if (posix_memalign(&block, 64, 128))
		abort();
	memset(block, 'b', 128);
	memory = open_memstream(&written, &written_size);
	fprintf(memory, "%s", "in memory");
	fclose(memory);
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
	if (getaddrinfo("127.0.0.1", "80", &hints, &address))
		abort();
	sem_post(&ready);
	sem_wait(&back);
	assert(line == NULL && address == NULL);
	return arg;
}
static void *user(void *arg)
{
	sem_wait(&ready);
	assert(line[0] == 'f' && line[10] == '\n');
	assert(*end == ' ' && end[1] == 'i');
	assert(((char *)block)[127] == 'b');
	assert(written[written_size - 1] == 'y');
	assert(address->ai_family == AF_INET);
	freeaddrinfo(address);
	address = NULL;
	free(line);
	line = NULL;
	free(text);
	free(block);
	free(written);
	sem_post(&back);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	sem_init(&ready, 0, 0);
	sem_init(&back, 0, 0);
	pthread_create(&a, NULL, maker, NULL);
	pthread_create(&b, NULL, user, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	puts("ok");
	return 0;
}
