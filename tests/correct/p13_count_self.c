/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the program sees only its own descriptors and threads */
#include "correct.h"
#include <dirent.h>
#include <fcntl.h>
static int count(const char *n)
{
	int k = 0;
	DIR *q = opendir(n);
	for (struct dirent *e; (e = readdir(q));)
		k += e->d_name[0] != '.';
	closedir(q);
	return k;
}
static pthread_barrier_t b, c;
T(w)
{
	pthread_barrier_wait(&b);
	pthread_barrier_wait(&c);
	return a;
}
int main(void)
{
	pthread_t x;
	pthread_barrier_init(&b, 0, 2);
	pthread_barrier_init(&c, 0, 2);
	GO(x, w, 0);
	pthread_barrier_wait(&b);
	int t = count("/proc/self/task"), f = open("/dev/null", O_RDONLY);
	pthread_barrier_wait(&c);
	WAIT(x);
	printf("%d %d\n", t, f);
	return 0;
}
