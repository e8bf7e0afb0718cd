/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the segment is attached once more after the data are written */
#include "hand.h"
#include <sys/ipc.h>
#include <sys/shm.h>
static int s;
static void bye(void)
{
	shmctl(s, IPC_RMID, 0);
}
static void init(void)
{
	s = shmget(IPC_PRIVATE, 4096, 0600);
	atexit(bye);
}
static void set(void)
{
	shmat(s, 0, 0);
}
static int seen(void)
{
	struct shmid_ds i;
	shmctl(s, IPC_STAT, &i);
	return i.shm_nattch == 1;
}
