/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: two threads take names of one directory stream in turn; what a name stands for is the thread's own */
#include "correct.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
static DIR *dir;
static int cell[10];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
T(worker)
{
	for (;;) {
		char name[8] = "";
		L(m);
		struct dirent *e = readdir(dir);
		if (e)
			strncpy(name, e->d_name, 7);
		U(m);
		if (!name[0])
			return a;
		if (name[0] == '.')
			continue;
		cell[atoi(name + 1)]++;
		J();
		cell[atoi(name + 1)]++;
	}
}
int main(void)
{
	char at[] = "/tmp/norn-u05-XXXXXX", name[64];
	pthread_t x, y;
	int all = 0;
	if (!mkdtemp(at))
		return 2;
	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof name, "%s/f%d", at, i);
		close(creat(name, 0600));
	}
	dir = opendir(at);
	GO(x, worker, 0);
	GO(y, worker, 0);
	WAIT(x);
	WAIT(y);
	closedir(dir);
	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof name, "%s/f%d", at, i);
		unlink(name);
		all += cell[i];
	}
	rmdir(at);
	printf("%d\n", all);
	return all != 20;
}
