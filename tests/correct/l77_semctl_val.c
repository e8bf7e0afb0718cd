/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the value of the System V semaphore is set after the data are written */
#include "hand.h"
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
	semctl(s, 0, SETVAL, 0);
}
static void set(void)
{
	semctl(s, 0, SETVAL, 3);
}
static int seen(void)
{
	return semctl(s, 0, GETVAL) == 3;
}
