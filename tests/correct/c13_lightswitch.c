/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static sem_t room, mx;
static int rd, d;
static atomic_int s;
T(r)
{
	for (int i = 0; i < 2; i++) {
		sem_wait(&mx);
		if (++rd == 1)
			sem_wait(&room);
		sem_post(&mx);
		s += d;
		J();
		sem_wait(&mx);
		if (--rd == 0)
			sem_post(&room);
		sem_post(&mx);
	}
	return 0;
}
T(w)
{
	for (int i = 0; i < 2; i++) {
		sem_wait(&room);
		d++;
		J();
		sem_post(&room);
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	sem_init(&room, 0, 1);
	sem_init(&mx, 0, 1);
	GO(t[0], r, 0);
	GO(t[1], r, 0);
	GO(t[2], w, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return 0;
}
