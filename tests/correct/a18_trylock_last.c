/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* each thread sets its slot under lock; failing trylock means just skip */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int flag;
static int *p;
T(w)
{
	J();
	if (pthread_mutex_trylock(&m) == 0) {
		if (!p) {
			p = malloc(4);
			*p = 1;
		}
		flag++;
		J();
		U(m);
		return 0;
	}
	L(m);
	if (p)
		*p += 1;
	U(m);
	return 0;
}
int main()
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, i);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	printf("%d\n", p ? *p > 0 : 0);
	free(p);
	return 0;
}
