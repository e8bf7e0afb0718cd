/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * silent: -flto -O2
 * unjudged:
 */
/* Correct: which of two variables is read is the thread's own choice, written in many ways */
#include "correct.h"
static int va, vb, table[8], out[2];
static struct {
	int on, value;
} cfg[2];
__attribute__((noinline)) static int pick(int k, int n)
{
	int r = k ? va : vb;
	r += (k && va > 2) ? 1 : 0;
	r += (!k || va) ? 2 : 3;
	const int *p = k ? &va : &vb;
	for (int i = 0; i < n; i++) {
		r += *p;
		switch (k) {
		case 0:
			r ^= vb;
			break;
		case 1:
			r ^= va;
			break;
		default:
			r ^= table[i & 7];
		}
		if (cfg[k].on)
			r += cfg[k].value;
	}
	if (k < 0)
		r += table[n];
	return r;
}
T(w)
{
	int k = (int)(intptr_t)a;
	if (k)
		va = 3;
	else
		vb = 4;
	cfg[k].on = k;
	cfg[k].value = 4;
	if (k)
		for (int i = 0; i < 8; i++)
			table[i] = i;
	out[k] = pick(k, 5);
	return 0;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	printf("%d %d\n", out[0] != 0, out[1] != 0);
	return 0;
}
