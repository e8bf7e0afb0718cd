/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^deadlock .*rw.* predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a readers-writer lock is asked for while another lock is held, both ways round */
#include "alone.h"
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
MUTEX(up);
static int cache;
T(w)
{
#ifdef FIXED
	L(up);
#endif
	pthread_rwlock_rdlock(&rw);
	int need = cache < 5;
#ifdef FIXED
	pthread_rwlock_unlock(&rw);
#else
	L(up);
#endif
	if (need) {
#ifndef FIXED
		pthread_rwlock_unlock(&rw);
#endif
		pthread_rwlock_wrlock(&rw);
		cache++;
		pthread_rwlock_unlock(&rw);
#ifndef FIXED
		pthread_rwlock_rdlock(&rw);
#endif
	}
#ifndef FIXED
	pthread_rwlock_unlock(&rw);
#endif
	U(up);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	GO(t, w, 0);
	settle();
	GO(u, w, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
