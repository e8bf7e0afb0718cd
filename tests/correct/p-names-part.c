/* Functions whose names libc has, too, but which C leaves to the program: a lock and an event. */
#include <sched.h>
#include <stdatomic.h>
static atomic_int lock, event;
void sync(void)
{
	while (atomic_exchange(&lock, 1))
		sched_yield();
}
int nice(int n)
{
	atomic_store(&lock, 0);
	return n;
}
int pause(void)
{
	while (!atomic_load(&event))
		sched_yield();
	return 0;
}
double y1(double x)
{
	atomic_store(&event, 1);
	return x;
}
