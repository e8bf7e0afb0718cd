/* A bounded queue of C11 threads and conditions; its length is looked at without the lock. */
#include <threads.h>
#include <stdlib.h>
static mtx_t m;
static cnd_t full, empty;
int buf[4], len, peak;
static int producer(void *u)
{
	for (int i = 0; i < 20; i++) {
		mtx_lock(&m);
		while (len == 4)
			cnd_wait(&full, &m);
		buf[len++] = i;
		cnd_signal(&empty);
		mtx_unlock(&m);
		if (len > peak)
			peak = len;
	}
	return 0;
}
static int consumer(void *u)
{
	for (int i = 0; i < 20; i++) {
		mtx_lock(&m);
		while (!len)
			cnd_wait(&empty, &m);
		int x = buf[--len];
		(void)x;
		cnd_signal(&full);
		mtx_unlock(&m);
	}
	return 0;
}
int main(void)
{
	thrd_t a, b;
	mtx_init(&m, mtx_plain);
	cnd_init(&full);
	cnd_init(&empty);
	thrd_create(&a, producer, 0);
	thrd_create(&b, consumer, 0);
	thrd_join(a, 0);
	thrd_join(b, 0);
	return 0;
}
