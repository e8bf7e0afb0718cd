/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: one thread reads lines into a buffer that grows, another takes them from there, by turns */
#include "correct.h"
static char *line;
static size_t room;
static ssize_t length = -1;
static int full, end, total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static FILE *in;
T(reader)
{
	for (;;) {
		L(m);
		while (full)
			pthread_cond_wait(&c, &m);
		length = getline(&line, &room, in);
		full = 1;
		end = length < 0;
		pthread_cond_broadcast(&c);
		U(m);
		if (end)
			return a;
	}
}
T(user)
{
	for (;;) {
		L(m);
		while (!full)
			pthread_cond_wait(&c, &m);
		int over = end;
		if (!over) {
			total += atoi(line);
			if (strlen(line) != (size_t)length)
				abort();
			memset(line, 0, (size_t)length);
			full = 0;
		}
		pthread_cond_broadcast(&c);
		U(m);
		if (over)
			return a;
	}
}
int main(void)
{
	static char text[] = "1\n20\n300\n4000 and much more, so that the buffer grows, and grows again: "
	                     "0123456789012345678901234567890123456789"
	                     "0123456789012345678901234567890123456789\n5\n";
	pthread_t x, y;
	in = fmemopen(text, strlen(text), "r");
	GO(x, reader, 0);
	GO(y, user, 0);
	WAIT(x);
	WAIT(y);
	free(line);
	fclose(in);
	printf("%d\n", total);
	return total != 4326;
}
