/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: -O1 settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race d
 * unjudged:
 */
/* Wrong: the second thread works without the lock in its last round */
#define LAX
#include "../lock.h"
#include <sys/ipc.h>
#include <sys/sem.h>
static int s;
static void bye(void)
{
	semctl(s, 0, IPC_RMID);
}
static void init(void)
{
	s = semget(IPC_PRIVATE, 1, 0600);
	atexit(bye);
	semctl(s, 0, SETVAL, 1);
}
static void lk(int i)
{
	(void)i;
	if (semop(s, &(struct sembuf){0, -1, 0}, 1))
		abort();
}
static void ul(int i)
{
	(void)i;
	semop(s, &(struct sembuf){0, 1, 0}, 1);
}
