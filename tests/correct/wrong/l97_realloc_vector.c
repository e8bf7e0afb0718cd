/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race n
 */
/* Wrong: the size is looked at without the lock */
#include "../correct.h"
#include <malloc.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *v;
static size_t n;
T(w)
{
	for (int i = 0; i < 30; i++) {
		if (n == 500)
			break;
		L(m);
		if ((n + 1) * sizeof *v > malloc_usable_size(v))
			v = reallocarray(v, n * 2 + 1, sizeof *v);
		v[n++] = i;
		U(m);
		if (i % 9 == 0)
			J();
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	int s = 0;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	for (size_t i = 0; i < n; i++)
		s += v[i];
	free(v);
	printf("%d\n", s);
	return 0;
}
