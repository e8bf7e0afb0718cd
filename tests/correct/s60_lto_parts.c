/* norn-test
 * build: printf 'extern int shared, mine;\nvoid add(int k, int n)\n{\n\tfor (int i = 0; i < n; i++)\n\t\tif (k)\n\t\t\tshared += i;\n\t\telse\n\t\t\tmine += i;\n}\n' >part.c
 * build: $CC -O2 -flto -c part.c -o part.o
 * silent: -O2 -flto part.o
 * silent: -O3 -flto part.o
 */
/* Correct: the loop of another unit, which link-time optimisation brings here, adds to the variable that its argument names */
#include "correct.h"
int shared, mine;
void add(int k, int n);
T(w)
{
	add(a != 0, 30);
	return 0;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	printf("%d\n", shared + mine);
	return shared + mine != 2 * 435;
}
