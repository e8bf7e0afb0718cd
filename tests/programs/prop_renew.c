/* norn-test
 * cc: -g -O0 -pthread
 * cc: -g -O2 -pthread
 * prop: prop_renew.prop
 * no-finding: yes
 */
/* A job's state is 0 again when its memory is given out again: calloc's zeros are no write of the program. */
#include <stdlib.h>

struct job {
	volatile int state, result;
};

static void work(struct job *job)
{
	if (!job->state)
		job->state = 1;
}

int main(void)
{
	for (int i = 0; i < 3; i++) {
		struct job *job = calloc(1, sizeof *job);
		if (!job)
			return 1;
		work(job);
#ifdef BAD
		job->state = 2;
#endif
		free(job);
	}
	return 0;
}
