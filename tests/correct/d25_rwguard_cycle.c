/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* read-read cycle: A rd, B rd in both orders, no writers at that time possible (writer takes both in order A,B while readers... prefers readers) */
static pthread_rwlock_t A = PTHREAD_RWLOCK_INITIALIZER, B = PTHREAD_RWLOCK_INITIALIZER;
static int d;
T(p)
{
	pthread_rwlock_rdlock(&A);
	J();
	pthread_rwlock_rdlock(&B);
	int x = d;
	pthread_rwlock_unlock(&B);
	pthread_rwlock_unlock(&A);
	return (void *)(intptr_t)x;
}
T(q)
{
	pthread_rwlock_rdlock(&B);
	J();
	pthread_rwlock_rdlock(&A);
	int x = d;
	pthread_rwlock_unlock(&A);
	pthread_rwlock_unlock(&B);
	return (void *)(intptr_t)x;
}
T(w)
{
	J();
	pthread_rwlock_wrlock(&A);
	d++;
	pthread_rwlock_unlock(&A);
	return 0;
}
int main()
{
	pthread_t t[3];
	GO(t[0], p, 0);
	GO(t[1], q, 0);
	GO(t[2], w, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return 0;
}
