/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race v\[0\]
 */
/* Wrong: both threads have element 0 */
#include "../correct.h"
static int v[96];
static char key[96];
__attribute__((noinline)) static void add(int *restrict q, const char *restrict k, char me)
{
	for (int i = 0; i < 96; i++)
		if (k[i] == me)
			q[i] += i;
}
T(w)
{
	add(v, key, (char)(intptr_t)a);
	v[0]++;
	return 0;
}
int main(void)
{
	pthread_t x, y;
	int n = 0;
	for (int i = 0; i < 96; i++)
		key[i] = (char)(i % 3 == 0);
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	for (int i = 0; i < 96; i++)
		n += v[i];
	printf("%d\n", n);
	return 0;
}
