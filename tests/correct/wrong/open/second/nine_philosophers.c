/* circle of nine locks (documented: up to eight threads), yet "complete"; ThreadSanitizer: lock-order-inversion
   Failing order: all take their first
   Shown with -DFAIL: hang yes */
#include "hostile.h"
#define N 9
static pthread_mutex_t m[N];
void *f(void *q)
{
	long i = (long)q;
	G(1000 * i);
	LK(m[i]);
	B(9000);
	LK(m[(i + 1) % N]);
	UL(m[(i + 1) % N]);
	UL(m[i]);
	return 0;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++)
		pthread_mutex_init(&m[i], 0);
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, f, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return 0;
}
