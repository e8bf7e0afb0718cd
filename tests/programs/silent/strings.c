/* norn-test
 * silent: -DSTRINGS
 * silent: -DPRINT
 * silent: -DSORT
 */
/* Functions of libc that read and write memory: on strings of each thread's own and on constants; printing; sorting with a callback. */
#include <stdio.h>
#include <string.h>

#include "crew.h"

static const char *const names[] = {"urd", "verdandi", "skuld"};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t length;

#ifdef SORT
static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
#endif

static void *work(void *argument)
{
	int me = number_of(argument);
	size_t mine = 0;
#if defined(STRINGS)
	char text[64], *copy = strdup(names[me]);
	snprintf(text, sizeof text, "%s and %d", copy, me);
	strcat(text, "!");
	mine = strlen(text) + (strchr(text, 'd') != NULL) + (memcmp(copy, names[me], 3) == 0);
	free(copy);
#elif defined(PRINT)
	printf("%s\n", names[me]);
	fprintf(stdout, "%d\n", me);
	mine = strlen(names[me]);
	flockfile(stdout);
	fputs("-\n", stdout);
	funlockfile(stdout);
#else
	int numbers[] = {5, 3, me, 9};
	qsort(numbers, 4, sizeof *numbers, compare);
	mine = (size_t)numbers[0];
	(void)names;
#endif
	pthread_mutex_lock(&lock);
	length += mine;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	crew(3, work);
	printf("%zu\n", length);
	return length ? 0 : 1;
}
