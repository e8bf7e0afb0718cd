/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: texts made by asprintf are handed over in a list; the number in a text says whose cell is meant */
#include "correct.h"
static struct item {
	struct item *next;
	char *text;
} *head;
static int end, cell[8];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
T(maker)
{
	for (int i = 0; i < 8; i++) {
		struct item *new = malloc(sizeof *new);
		cell[i] = i;
		if (asprintf(&new->text, "%s:%d", i & 1 ? "odd" : "even", i) < 0)
			abort();
		L(m);
		new->next = head;
		head = new;
		pthread_cond_signal(&c);
		U(m);
	}
	L(m);
	end = 1;
	pthread_cond_signal(&c);
	U(m);
	return a;
}
T(taker)
{
	int n;
	char word[8], *copy;
	for (;;) {
		L(m);
		while (!head && !end)
			pthread_cond_wait(&c, &m);
		struct item *i = head;
		if (i)
			head = i->next;
		U(m);
		if (!i)
			return a;
		copy = strdup(i->text);
		free(i->text);
		free(i);
		if (sscanf(copy, "%7[a-z]:%d", word, &n) != 2)
			abort();
		cell[n] += strcmp(word, "odd") ? 10 : 20;
		free(copy);
	}
}
int main(void)
{
	pthread_t x, y;
	int all = 0;
	GO(x, maker, 0);
	GO(y, taker, 0);
	WAIT(x);
	WAIT(y);
	for (int i = 0; i < 8; i++)
		all += cell[i];
	printf("%d\n", all);
	return all != 28 + 120;
}
