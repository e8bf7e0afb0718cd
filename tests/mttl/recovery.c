/* A transfer that is broken into is rolled back by a function that the property names, in the thread that came to know it; then it is tried again.
 * Thread 1 transfers 10, and thread 2, in between, 5: the second write of checking by thread 1 would undo that. */
#include <pthread.h>
#include <stdio.h>

#include "player.h"

volatile int checking = 100, saving = 100;
volatile int rollbacks;
static _Thread_local int amount, read_before, undone;
static pthread_t recovered_in;

__attribute__((noinline)) void begin_transfer(int value)
{
	amount = value;
	undone = 0;
	read_before = checking;
}

/* Undoes what this thread has done so far: the others' transfers stay. */
void rollback(void)
{
	undone = 1;
	rollbacks++;
	recovered_in = pthread_self();
}

__attribute__((noinline)) void end_transfer(int value)
{
	(void)value;
	int lost = checking;
	checking = read_before - amount; /* the violation is known here, and rollback() has run when the next line does */
	if (undone) {
		checking = lost;
		return;
	}
	saving += amount;
}

__attribute__((noinline)) void leave_transfer(int value)
{
	if (undone) { /* once more, alone now */
		checking -= amount;
		saving += amount;
	}
	printf("%d: checking %d, saving %d, rollbacks %d%s\n", value, checking, saving, rollbacks,
	        undone && !pthread_equal(recovered_in, pthread_self()) ? ", in another thread" : "");
	fflush(stdout);
}

static const struct act acts[] = {{"(", begin_transfer}, {"w", end_transfer}, {")", leave_transfer}, {0, 0}};

int main(int argc, char **argv)
{
	return argc == 2 ? play(argv[1], 2, acts) : 2;
}
