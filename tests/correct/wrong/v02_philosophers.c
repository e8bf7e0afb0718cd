/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^deadlock .* predicted .*phil
 * silent: -DFIXED settle.o
 */
/* Wrong: five philosophers, each takes its left fork first */
#include "alone.h"
static pthread_mutex_t fork_[5];
static int meals[5];
T(phil)
{
	int i = (int)(intptr_t)a, l = i, r = (i + 1) % 5;
#ifdef FIXED
	if (l > r) {
		int t = l;
		l = r;
		r = t;
	}
#endif

	L(fork_[l]);
	L(fork_[r]);
	meals[i]++;
	U(fork_[r]);
	U(fork_[l]);
	return 0;
}
int main(void)
{
	pthread_t t[5];
	for (int i = 0; i < 5; i++)
		pthread_mutex_init(&fork_[i], 0);
	for (int i = 0; i < 5; i++) {
		GO(t[i], phil, i);
		settle();
	}
	for (int i = 0; i < 5; i++)
		WAIT(t[i]);
	return 0;
}
