/* norn-test
 * errors: yes
 * cc: -O1
 * misses: ^race d
 * unjudged:
 */
/* Wrong: the destructors add without the lock */
#include "../correct.h"
static pthread_key_t k;
static int d, got[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void end(void *q)
{
	int *v = q;
	d += *v;
	got[*v - 1] = 1;
	free(v);
}
T(w)
{
	int *v = malloc(sizeof *v);
	*v = (int)(intptr_t)a;
	pthread_setspecific(k, v);
	J();
	return 0;
}
int main(void)
{
	pthread_t x, y;
	pthread_key_create(&k, end);
	GO(x, w, 1);
	GO(y, w, 2);
	WAIT(x);
	WAIT(y);
	printf("%d\n", d + got[0] + got[1]);
	return 0;
}
