/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: what has a name for processes is a file, too; who finds it there comes after who made it, who misses it after who removed it */
#include "correct.h"
#include <fcntl.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <unistd.h>
static int y, z, u, v;
static char name[64], semaphore[80], memory[80];
T(makes)
{
	y = 1;
	sem_open(name, O_CREAT, 0600, 1);
	z = 1;
	shm_open(name, O_CREAT | O_RDWR, 0600);
	usleep(60000);
	u = 1;
	sem_unlink(name);
	v = 1;
	shm_unlink(name);
	return a;
}
T(finds)
{
	usleep(30000);
	if (access(semaphore, F_OK) == 0)
		y = 2;
	if (access(memory, F_OK) == 0)
		z = 2;
	usleep(60000);
	if (access(semaphore, F_OK) != 0)
		u = 2;
	if (access(memory, F_OK) != 0)
		v = 2;
	return a;
}
int main(void)
{
	pthread_t s, t;
	snprintf(name, sizeof name, "/norn-l98-%d", getpid());
	snprintf(semaphore, sizeof semaphore, "/dev/shm/sem.%s", name + 1);
	snprintf(memory, sizeof memory, "/dev/shm/%s", name + 1);
	GO(s, makes, 0);
	GO(t, finds, 0);
	WAIT(s);
	WAIT(t);
	return 0;
}
