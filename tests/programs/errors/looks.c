/* norn-test
 * cc: -O1 -pthread -DCALL=0
 * cc: -O1 -pthread -DCALL=1
 * cc: -O1 -pthread -DCALL=2
 * cc: -O1 -pthread -DCALL=3
 * cc: -O1 -pthread -DCALL=4
 * cc: -O1 -pthread -DCALL=5
 * errors: yes
 * repeat: 3
 * check-exit: 3
 * note: order Norn keeps as recorded though another may be possible
 */
/* What the calls return decides nothing, so the race on y is real; Norn keeps the order of the calls (X7), and must say so. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int y;

/* What it returns is not used. */
static inline void call(void)
{
	if (CALL == 0)
		close(open("/etc/passwd", O_RDONLY));
	else if (CALL == 1)
		(void)lseek(0, 0, SEEK_CUR);
	else if (CALL == 2)
		(void)unlink("no_such_file");
	else if (CALL == 3)
		(void)rand();
	else if (CALL == 4)
		(void)time(NULL);
	else
		fprintf(stderr, "a");
}

static void *one(void *unused)
{
	y = 1;
	call();
	return unused;
}

static void *two(void *unused)
{
	usleep(100000);
	call();
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
