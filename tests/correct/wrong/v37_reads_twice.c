/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^deadlock .*rw.* predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a reader reads again while a writer waits */
#include "alone.h"
static pthread_rwlock_t rw;
static int v, s;
static int inner(void)
{
	pthread_rwlock_rdlock(&rw);
	int x = v;
	pthread_rwlock_unlock(&rw);
	return x;
}
T(reader)
{
#ifdef FIXED
	s = inner();
#else
	pthread_rwlock_rdlock(&rw);
	s = v + inner();
	pthread_rwlock_unlock(&rw);
#endif
	return 0;
}
T(writer)
{
	pthread_rwlock_wrlock(&rw);
	v++;
	pthread_rwlock_unlock(&rw);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	pthread_rwlockattr_t at;
	pthread_rwlockattr_init(&at);
	pthread_rwlockattr_setkind_np(&at, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&rw, &at);
	GO(a, reader, 0);
	settle();
	GO(b, writer, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
