/* A lattice of half a billion cuts: four threads that write a variable each, 150 times. */
#include <pthread.h>
int a, b, c, d;
#define T(v) static void *t##v(void *x) { for (int i = 0; i < 150; i++) v = i; return x; }
T(a) T(b) T(c) T(d)
int main(void)
{
	pthread_t t[4];
	pthread_create(&t[0], 0, ta, 0);
	pthread_create(&t[1], 0, tb, 0);
	pthread_create(&t[2], 0, tc, 0);
	pthread_create(&t[3], 0, td, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	return 0;
}
