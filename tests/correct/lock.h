/* Two threads exclude each other by `lk` and `ul`, and take two mutexes in opposite orders between them. What a program defines: init, lk, ul (i is the thread's number). */
#include "correct.h"
#ifdef LAX
#include "settle.h"
#endif
static int d, *p;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static void init(void);
static void lk(int i);
static void ul(int i);
T(worker)
{
	int i = (int)(intptr_t)a;
	for (int k = 0; k < 3; k++) {
#ifndef LAX
		J();
#endif
		lk(i);
		d++;
		if (i) {
			L(one);
			L(two);
		} else {
			L(two);
			L(one);
		}
		free(p);
		p = malloc(32);
		*p = i;
		U(one);
		U(two);
		ul(i);
	}
#ifdef LAX /* wrong */
	if (i)
		d++;
#endif
	return 0;
}
int main(void)
{
	pthread_t x, y;
	init();
#ifdef LAX /* the second thread comes first, so that nothing that the first one reads orders its last round */
	GO(y, worker, 1);
	settle();
	GO(x, worker, 0);
#else
	GO(x, worker, 0);
	GO(y, worker, 1);
#endif
	WAIT(x);
	WAIT(y);
	free(p);
	printf("%d\n", d);
#ifdef LAX
	return 0;
#else
	return d != 6;
#endif
}
