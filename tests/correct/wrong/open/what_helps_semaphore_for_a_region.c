/* Not a miss: the proposal. norn cc -g -O1 -pthread … && norn run ./w: null-dereference key.payload, confirmed
 * (SIGSEGV), right.
 * "what helps: let krevoke wait for read_: sem_post() of a semaphore, a new one, after line 6 (read_), and sem_wait()
 * before line 4 (krevoke) (which waits for ever where read_ does not come by)."
 * The two are independent calls (any order, any number of times): nobody can do that. What helps is to hold sem, which
 * is there already, from the look at key->flags to the use of payload (lines 5 to 6 of read_),
 * as is proposed for my_644-like programs ("hold lt at 5 to 6 (show), without giving it up at line 5"). The same for
 * uses after free where the pointer is taken out of the table under the lock, and
 * freed after the unlock (cve_sock_release, cve_2011_2183): widening the user's region is enough, and is not tried since
 * the free itself lies outside of any region. Prefer that to a semaphore. */

#include "lucky.h"

struct key {
	long flags;
	char *payload;
};
static struct key *key;
MX(sem);
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
	F(L(sem);) if (!(key->flags & 1))
	{
		W(L(sem);)
		long n = key->payload[0];
		W(U(sem);)
		F(U(sem);) /* @ */
		return (void *)n;
	}
	F(U(sem);) return 0;
}
int main(void)
{
	pthread_t t, u;
	key = calloc(1, sizeof *key);
	key->payload = strdup("secret");
	char *p = key->payload;
	GO(t, read_, 0);
	nap(20);
	GO(u, krevoke, 0);
	WAIT(t);
	WAIT(u);
	free(p);
	free(key);
	return 0;
}
