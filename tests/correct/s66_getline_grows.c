/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: getline enlarges a buffer that threads share under the stream's lock, taken by flockfile */
#include "correct.h"
static FILE *in;
static char *line;
static size_t room;
static long sum;
T(w)
{
	for (;;) {
		flockfile(in);
		ssize_t n = getline(&line, &room, in);
		if (n > 0)
			sum += line[n - 1] == '\n' ? n : 0;
		funlockfile(in);
		if (n < 0)
			return a;
	}
}
int main(void)
{
	pthread_t x, y;
	in = fopen("f", "w+");
	for (int i = 0; i < 5; i++) {
		for (int k = 0; k < i * 60; k++)
			putc('a', in);
		putc('\n', in);
	}
	rewind(in);
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	printf("%ld\n", sum);
	free(line);
	return sum != 605;
}
