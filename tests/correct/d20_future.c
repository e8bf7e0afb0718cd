/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
struct F {
	pthread_mutex_t m;
	pthread_cond_t c;
	int dn, v;
};
static struct F *q[4];
static int hd, tl;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
T(w)
{
	for (;;) {
		sem_wait(&s);
		L(m);
		struct F *f = q[hd++];
		U(m);
		if (!f)
			return 0;
		f->v = hd;
		L(f->m);
		f->dn = 1;
		pthread_cond_signal(&f->c);
		U(f->m);
	}
}
int main()
{
	pthread_t x;
	sem_init(&s, 0, 0);
	GO(x, w, 0);
	for (int i = 0; i < 3; i++) {
		struct F *f = calloc(1, sizeof *f);
		pthread_mutex_init(&f->m, 0);
		pthread_cond_init(&f->c, 0);
		L(m);
		q[tl++] = f;
		U(m);
		sem_post(&s);
		L(f->m);
		while (!f->dn)
			pthread_cond_wait(&f->c, &f->m);
		U(f->m);
		pthread_mutex_destroy(&f->m);
		pthread_cond_destroy(&f->c);
		free(f);
	}
	L(m);
	q[tl++] = 0;
	U(m);
	sem_post(&s);
	WAIT(x);
	return 0;
}
