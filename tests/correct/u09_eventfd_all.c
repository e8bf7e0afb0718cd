/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the sum of what was written to an eventfd tells that all three workers are done */
#include "correct.h"
#include <sys/eventfd.h>
static int e, part[3];
T(worker)
{
	int i = (int)(intptr_t)a;
	J();
	part[i] = i + 1;
	eventfd_write(e, 1u << i * 8);
	return 0;
}
int main(void)
{
	pthread_t t[3];
	eventfd_t n, all = 0;
	e = eventfd(0, 0);
	for (int i = 0; i < 3; i++) {
		GO(t[i], worker, i);
		pthread_detach(t[i]);
	}
	while (all != 0x010101 && !eventfd_read(e, &n))
		all += n;
	int sum = part[0] + part[1] + part[2];
	printf("%d\n", sum);
	return sum != 6;
}
