#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum phase { IDLE, BUSY };
typedef struct {
	int x, y;
} point;
struct acct {
	long balance;
	struct acct *next;
	struct {
		int min, max;
	} limits;
	union {
		float rate;
		unsigned bits;
	};
	unsigned open : 2, closed : 3;
	signed char history[4];
	pthread_mutex_t lock;
	point at;
};
struct acct bank[10], *first = &bank[0];
int landing, approved;
bool radio = true;
unsigned tries;
double speed;
long double exact;
enum phase phase;
_Thread_local int own;
unsigned long long big;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, *mutex_pointer = &mutex;
int matrix[3][4];
static int hidden;
void *opaque;
_Atomic int counter;
volatile char letter;

__attribute__((noinline)) int transfer(struct acct *from, unsigned amount)
{
	static int count;
	pthread_mutex_lock(&mutex);
	from->balance -= amount;
	count++;
	pthread_mutex_unlock(&mutex);
	return count;
}
__attribute__((noinline)) static double tax(double rate)
{
	return rate * speed;
}
void *worker(void *argument)
{
	static int count;
	count++;
	hidden += transfer(argument, 5);
	matrix[1][2] = landing + approved + radio + tries + own + phase + letter + counter;
	bank[3].open = 2;
	return NULL;
}
int main(void)
{
	pthread_t t;
	speed = tax(2.5);
	pthread_create(&t, NULL, worker, &bank[1]);
	transfer(&bank[2], 7);
	pthread_join(t, NULL);
	printf("%ld %g\n", bank[1].balance, speed);
	exact = speed;
	big = 1;
	return 0;
}
