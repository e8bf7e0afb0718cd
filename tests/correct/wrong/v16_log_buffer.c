/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race outcnt predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a log buffer that all write (in the manner of Apache's bug 25520) */
#include "alone.h"
static char buf[4096];
static int outcnt;
MUTEX(m);
static void log_(const char *s)
{
	int n = strlen(s);
#ifdef FIXED
	L(m);
#endif

	int at = outcnt;
	memcpy(buf + at, s, n);
	outcnt = at + n;
#ifdef FIXED
	U(m);
#endif
}
T(worker)
{
	char line[32];
	for (int i = 0; i < 15; i++) {
		snprintf(line, sizeof line, "GET /%d\n", 10 + i);
		log_(line);
		usleep(100);
	}
	return 0;
}
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++) {
		GO(t[i], worker, i);
		settle();
	}
	for (int i = 0; i < 4; i++)
		WAIT(t[i]);
	assert(outcnt == 4 * 15 * 8);
	return 0;
}
