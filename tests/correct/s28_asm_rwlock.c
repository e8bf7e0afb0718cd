/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: readers subtract one, writers all, each by an instruction with lock; asm goto tells whether it was too much */
#include "correct.h"
#define ALL 0x1000000
static int word = ALL, d;
static void write_lock(void)
{
	for (;;) {
		__asm__ goto volatile("lock subl %1, %0\n\tjz %l[got]" : : "m"(word), "i"(ALL) : "memory", "cc" : got);
		__asm__ volatile("lock addl %1, %0" : "+m"(word) : "i"(ALL) : "memory", "cc");
		sched_yield();
	}
got:
	return;
}
static void write_unlock(void)
{
	__asm__ volatile("lock addl %1, %0" : "+m"(word) : "i"(ALL) : "memory", "cc");
}
static void read_lock(void)
{
	for (;;) {
		__asm__ goto volatile("lock subl $1, %0\n\tjns %l[got]" : : "m"(word) : "memory", "cc" : got);
		__asm__ volatile("lock incl %0" : "+m"(word)::"memory", "cc");
		sched_yield();
	}
got:
	return;
}
static void read_unlock(void)
{
	__asm__ volatile("lock incl %0" : "+m"(word)::"memory", "cc");
}
T(w)
{
	for (int i = 0; i < 3; i++) {
		write_lock();
		d++;
		write_unlock();
		J();
	}
	return a;
}
T(r)
{
	int sum = 0;
	for (int i = 0; i < 3; i++) {
		read_lock();
		sum += d;
		read_unlock();
	}
	return (void *)(intptr_t)(sum > 100);
}
int main(void)
{
	pthread_t x, y, z;
	GO(x, w, 0);
	GO(y, w, 0);
	GO(z, r, 0);
	WAIT(x);
	WAIT(y);
	WAIT(z);
	printf("%d\n", d);
	return d != 6;
}
