/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion dequeue\(&queue\) == stored\[i\] predicted
 * silent: -DRIGHT
 * unjudged: -DRIGHT
 */
/* An element can be taken before it is noted what it should be (SCTBench, queue). */
#include "twin.h"

#define SIZE 4
#define EMPTY (-1)
struct ring {
	int element[SIZE];
	int head, tail, amount;
};
static struct ring queue;
static int stored[SIZE];
static int empty(struct ring *q)
{
	return q->head == q->tail;
}

static int enqueue(struct ring *q, int x)
{
	q->element[q->tail] = x;
	q->amount++;
	q->tail = q->tail == SIZE - 1 ? 0 : q->tail + 1;
	return 0;
}

static int dequeue(struct ring *q)
{
	int x = q->element[q->head];
	q->amount--;
	q->head = q->head == SIZE - 1 ? 0 : q->head + 1;
	return x;
}

static void *one(void *unused)
{
	gate('a');
	for (int i = 1; i < 4; i++) {
		pthread_mutex_lock(&lock);
		enqueue(&queue, i);
		gap();
		stored[i - 1] = i;
		pthread_mutex_unlock(&lock);
	}
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		if (!empty(&queue))
			assert(dequeue(&queue) == stored[i]);
		pthread_mutex_unlock(&lock);
	}
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
