/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
#include <threads.h>
static mtx_t m;
static cnd_t c;
static int r, d;
static once_flag o = ONCE_FLAG_INIT;
static void in(void)
{
	mtx_init(&m, mtx_plain);
	cnd_init(&c);
}
static int w(void *a)
{
	call_once(&o, in);
	d = 2;
	mtx_lock(&m);
	r = 1;
	cnd_signal(&c);
	mtx_unlock(&m);
	return 0;
}
int main()
{
	thrd_t x;
	thrd_create(&x, w, 0);
	call_once(&o, in);
	mtx_lock(&m);
	while (!r)
		cnd_wait(&c, &m);
	mtx_unlock(&m);
	d++;
	thrd_join(x, 0);
	return d != 3;
}
