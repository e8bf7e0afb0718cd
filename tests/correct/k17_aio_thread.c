/* norn-test
 * silent: -lrt
 * unjudged:
 */
/* Correct: the notification's thread comes after the request, after the data are written */
#include "correct.h"
#include <aio.h>
#include <fcntl.h>
#include <signal.h>
static char b[16];
static sem_t s;
static int d;
static void done(union sigval v)
{
	d += ((char *)v.sival_ptr)[1];
	sem_post(&s);
}
int main(void)
{
	int f = open("f", O_CREAT | O_RDWR, 0600);
	sem_init(&s, 0, 0);
	if (write(f, "hello", 5) != 5)
		abort();
	struct aiocb c = {.aio_fildes = f,
	        .aio_buf = b,
	        .aio_nbytes = 5,
	        .aio_sigevent = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = done, .sigev_value.sival_ptr = b}};
	d = 1;
	aio_read(&c);
	sem_wait(&s);
	b[1]++;
	printf("%d %s\n", d, b);
	return 0;
}
