/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^null-dereference key.payload predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a key's payload is gone after its flags were looked at (in the manner of CVE-2015-7550) */
#include "alone.h"
struct key {
	long flags;
	char *payload;
};
static struct key *key;
MUTEX(sem);
T(krevoke)
{
	L(sem);
	key->flags |= 1;
	key->payload = 0;
	U(sem);
	return 0;
}
T(read_)
{
#ifdef FIXED
	L(sem);
#endif
	if (!(key->flags & 1)) {
#ifndef FIXED
		L(sem);
#endif

		long n = key->payload[0];
#ifndef FIXED
		U(sem);
#else
		U(sem);
#endif

		return (void *)n;
	}
#ifdef FIXED
	U(sem);
#endif
	return 0;
}
int main(void)
{
	pthread_t t, u;
	key = calloc(1, sizeof *key);
	key->payload = strdup("secret");
	char *p = key->payload;
	GO(t, read_, 0);
	settle();
	GO(u, krevoke, 0);
	WAIT(t);
	WAIT(u);
	free(p);
	free(key);
	return 0;
}
