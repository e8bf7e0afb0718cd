/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race data predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: one thread takes another lock than the others */
#include "alone.h"
MUTEX(dl);
MUTEX(nl);
static int data;
T(f)
{
	L(dl);
	int x = data;
	data++;
	assert(data == x + 1);
	U(dl);
	return 0;
}
T(g)
{
#ifdef FIXED
	L(dl);
#else
	L(nl);
#endif
	data++;
#ifdef FIXED
	U(dl);
#else
	U(nl);
#endif
	return 0;
}
int main(void)
{
	pthread_t t[5];
	GO(t[0], f, 0);
	settle();
	for (int i = 1; i < 4; i++)
		GO(t[i], g, 0);
	GO(t[4], f, 0);
	for (int i = 0; i < 5; i++)
		WAIT(t[i]);
	return 0;
}
