/* norn-test
 * silent:
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 9e51032): -O0 to -O2: race d, race *p predicted: one segment at two addresses.
 * Correct: two attachments of one segment: the flag is set through one and read through the other */
#include "hand.h"
#include <sys/ipc.h>
#include <sys/shm.h>
static atomic_int *f1, *f2;
static void init(void)
{
	int s = shmget(IPC_PRIVATE, 4096, 0600);
	f1 = shmat(s, 0, 0);
	f2 = shmat(s, 0, 0);
	shmctl(s, IPC_RMID, 0);
}
static void set(void)
{
	atomic_store(f1, 1);
}
static int seen(void)
{
	return atomic_load(f2);
}
