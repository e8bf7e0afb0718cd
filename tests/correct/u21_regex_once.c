/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a pattern is compiled once, and used by all */
#include "correct.h"
#include <regex.h>
static regex_t pattern;
static pthread_once_t o = PTHREAD_ONCE_INIT;
static int cell[4];
static void compile(void)
{
	if (regcomp(&pattern, "^([a-z]+)=([0-9])$", REG_EXTENDED))
		abort();
}
T(worker)
{
	regmatch_t g[3];
	char text[8] = "key=0";
	text[4] = (char)('0' + (intptr_t)a);
	pthread_once(&o, compile);
	if (!regexec(&pattern, text, 3, g, 0))
		cell[text[g[2].rm_so] - '0']++;
	return 0;
}
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		GO(t[i], worker, i);
	for (int i = 0; i < 4; i++)
		WAIT(t[i]);
	regfree(&pattern);
	int all = cell[0] + cell[1] + cell[2] + cell[3];
	printf("%d\n", all);
	return all != 4;
}
