/* norn-test
 * silent: -DDESCRIPTOR
 * silent: -DERRORS
 * silent: -DSTREAM
 * silent: -DBYTE
 * silent: -DFILES
 */
/* What one thread prints another reads: a byte says that the variable is written. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "crew.h"

static int ends[2], shared, answer = 42;
#if defined(STREAM) || defined(BYTE) || defined(FILES)
static FILE *stream;
#endif

static void tell(void)
{
#if defined(DESCRIPTOR)
	dprintf(ends[1], "%d", answer);
#elif defined(ERRORS)
	perror("told");
#elif defined(STREAM)
	fputs("told\n", stream);
#elif defined(BYTE)
	putc('t', stream);
#else
	fprintf(stream, "%d", answer);
#endif
}

static void *work(void *argument)
{
	char byte;
	if (number_of(argument) == 0) {
		usleep(2000);
		shared = 4;
		tell();
	} else {
		while (read(ends[0], &byte, 1) != 1)
			;
		shared++;
	}
	return NULL;
}

int main(void)
{
#ifdef FILES
	stream = fopen("told", "we");
	ends[0] = open("told", O_RDONLY);
	if (!stream || ends[0] < 0)
		return 1;
#else
	if (pipe(ends) != 0)
		return 1;
#endif
#ifdef ERRORS
	if (dup2(ends[1], 2) != 2)
		return 1;
#endif
#if defined(STREAM) || defined(BYTE)
	stream = fdopen(ends[1], "w");
	if (!stream)
		return 1;
#endif
#if defined(STREAM) || defined(BYTE) || defined(FILES)
	setvbuf(stream, NULL, _IONBF, 0);
#endif
	crew(2, work);
	return shared == 5 ? 0 : 1;
}
