/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: each thread prints to memory of its own, and hands the text over by its end */
#include "correct.h"
T(worker)
{
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	for (int i = 0; i < 3 + (intptr_t)a; i++)
		fprintf(f, "%d,", i);
	fclose(f);
	text[n - 1] = '.';
	return text;
}
int main(void)
{
	pthread_t x, y;
	void *a, *b;
	GO(x, worker, 0);
	GO(y, worker, 2);
	pthread_join(x, &a);
	pthread_join(y, &b);
	char *all = malloc(strlen(a) + strlen(b) + 1);
	strcpy(stpcpy(all, a), b);
	free(a);
	free(b);
	printf("%s\n", all);
	int r = strcmp(all, "0,1,2.0,1,2,3,4.");
	free(all);
	return r != 0;
}
