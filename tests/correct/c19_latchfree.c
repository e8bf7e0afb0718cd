/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
struct Lt {
	pthread_mutex_t m;
	pthread_cond_t c;
	int n;
};
T(w)
{
	struct Lt *l = a;
	J();
	L(l->m);
	if (--l->n == 0)
		pthread_cond_signal(&l->c);
	U(l->m);
	return 0;
}
int main()
{
	pthread_t x, y;
	struct Lt *l = malloc(sizeof *l);
	pthread_mutex_init(&l->m, 0);
	pthread_cond_init(&l->c, 0);
	l->n = 2;
	pthread_create(&x, 0, w, l);
	pthread_create(&y, 0, w, l);
	L(l->m);
	while (l->n)
		pthread_cond_wait(&l->c, &l->m);
	U(l->m);
	pthread_cond_destroy(&l->c);
	pthread_mutex_destroy(&l->m);
	free(l);
	WAIT(x);
	WAIT(y);
	return 0;
}
