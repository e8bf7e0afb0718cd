/* norn-test
 * silent:
 */
/* Correct: a pool of the program's own; a future is waited for on its own condition */
#include "correct.h"
struct job {
	void (*run)(struct job *);
	struct job *next;
	pthread_mutex_t m;
	pthread_cond_t c;
	int done, in, out;
};
static pthread_mutex_t q = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER;
static struct job *first;
static int ended;
static void square(struct job *j)
{
	j->out = j->in * j->in;
}
static void twice(struct job *j)
{
	j->out = j->in * 2;
}
T(worker)
{
	for (;;) {
		L(q);
		while (!first && !ended)
			pthread_cond_wait(&some, &q);
		struct job *j = first;
		if (j)
			first = j->next;
		U(q);
		if (!j)
			return a;
		j->run(j);
		L(j->m);
		j->done = 1;
		pthread_cond_signal(&j->c);
		U(j->m);
	}
}
int main(void)
{
	pthread_t x, y;
	struct job *j[4];
	int sum = 0;
	GO(x, worker, 0);
	GO(y, worker, 0);
	for (int i = 0; i < 4; i++) {
		j[i] = calloc(1, sizeof *j[i]);
		j[i]->run = i & 1 ? square : twice;
		j[i]->in = i;
		pthread_mutex_init(&j[i]->m, 0);
		pthread_cond_init(&j[i]->c, 0);
		L(q);
		j[i]->next = first;
		first = j[i];
		pthread_cond_signal(&some);
		U(q);
	}
	for (int i = 0; i < 4; i++) {
		L(j[i]->m);
		while (!j[i]->done)
			pthread_cond_wait(&j[i]->c, &j[i]->m);
		U(j[i]->m);
		sum += j[i]->out;
	}
	L(q);
	ended = 1;
	pthread_cond_broadcast(&some);
	U(q);
	WAIT(x);
	WAIT(y);
	for (int i = 0; i < 4; i++)
		free(j[i]);
	printf("%d\n", sum);
	return sum != 0 + 1 + 4 + 9;
}
