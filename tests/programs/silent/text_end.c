/* norn-test
 * silent: -DLENGTH
 * silent: -DOTHER
 * silent: -DPRINTED
 * silent: -DTOKEN
 * schedule: 12
 * unjudged:
 */
/* R24.a: how far a function of libc goes through a text is decided by what it reads. The rest is written without the lock, but then
 * the first byte, which is written under the lock, ends the text (OTHER: it differs from another text): who comes first does not
 * read the rest. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[8], line[16];
static long result;

#ifdef OTHER
static char first[8] = "abc";
#else
#define first text
#endif

static void *writer(void *unused)
{
	gate('1');
	text[1] = 'b';
	text[2] = 'c';
	pthread_mutex_lock(&lock);
#ifdef OTHER
	first[0] = '1';
#else
	text[0] = 'a';
#endif
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *reader(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
#if defined(LENGTH)
	result = (long)strlen(text);
#elif defined(OTHER)
	result = strcmp(text, first);
#elif defined(PRINTED)
	result = snprintf(line, sizeof line, "<%s>", text);
#else
	char *rest;
	result = strtok_r(text, ",", &rest) != NULL;
#endif
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
#ifdef OTHER
	text[0] = '1';
#endif
	return argc < 2 || play(argv, writer, reader, NULL);
}
