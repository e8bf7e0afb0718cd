/* norn-test
 * cc: -O1 -pthread
 * errors: yes
 * no-finding: yes
 * repeat: 3
 * check-exit: 3
 */
/* The twin of looks.c: which of the two makes the folder is decided by what the call returns, so there is no race on y. */
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

int y;

static void *one(void *unused)
{
	y = 1;
	if (mkdir("folder", 0700) != 0)
		return NULL;
	return unused;
}

static void *two(void *unused)
{
	usleep(100000);
	if (mkdir("folder", 0700) != 0)
		y = 2;
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
