/* norn-test
 * silent: -ldl
 * unjudged:
 */
/* Correct: dl_iterate_phdr holds the loader's lock while it calls back */
#include "correct.h"
#include <link.h>
static int total;
static int cb(struct dl_phdr_info *i, size_t n, void *a)
{
	(void)i;
	(void)n;
	total++;
	++*(int *)a;
	return 0;
}
T(w)
{
	int n = 0;
	dl_iterate_phdr(cb, &n);
	return (void *)(intptr_t)n;
}
int main(void)
{
	pthread_t x, y;
	void *r, *s;
	GO(x, w, 0);
	GO(y, w, 0);
	pthread_join(x, &r);
	pthread_join(y, &s);
	printf("%d\n", total == (int)(intptr_t)r + (int)(intptr_t)s);
	return 0;
}
