/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the callbacks count in the thread's own variables */
#include "correct.h"
#include <dirent.h>
#include <sys/stat.h>
static _Thread_local int n;
static int all[2];
static int keep(const struct dirent *e)
{
	n++;
	return e->d_name[0] == 'q';
}
T(w)
{
	struct dirent **l;
	int k = scandir("dd", &l, keep, alphasort);
	for (int i = 0; i < k; i++)
		free(l[i]);
	free(l);
	all[(intptr_t)a] = k * 10 + n;
	return 0;
}
int main(void)
{
	pthread_t x, y;
	mkdir("dd", 0700);
	mkdir("dd/q1", 0700);
	mkdir("dd/q2", 0700);
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	printf("%d %d\n", all[0], all[1]);
	return 0;
}
