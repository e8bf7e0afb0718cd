/* norn-test
 * silent: -DCONDITION
 * silent: -DSEMAPHORE
 * silent: -DPOLLED
 */
/* Ownership by message passing: what is put into the queue belongs to the one who takes it out, and frees it. */
#include <sched.h>
#include <semaphore.h>

#include "crew.h"

struct message {
	int number;
	struct message *next;
};
static struct message *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static sem_t count;
static int sum;

static void push(struct message *m)
{
	pthread_mutex_lock(&lock);
	m->next = head;
	head = m;
#ifdef CONDITION
	pthread_cond_signal(&filled);
#endif
	pthread_mutex_unlock(&lock);
#ifdef SEMAPHORE
	sem_post(&count);
#endif
}

static struct message *pop(void)
{
#ifdef SEMAPHORE
	sem_wait(&count);
#endif
	pthread_mutex_lock(&lock);
#ifdef CONDITION
	while (!head)
		pthread_cond_wait(&filled, &lock);
#elif defined(POLLED)
	while (!head) {
		pthread_mutex_unlock(&lock);
		sched_yield();
		pthread_mutex_lock(&lock);
	}
#endif
	struct message *m = head;
	head = m->next;
	pthread_mutex_unlock(&lock);
	return m;
}

static void *work(void *argument)
{
	for (int i = 0; i < 10; i++) {
		if (number_of(argument) == 0) {
			struct message *m = malloc(sizeof *m);
			m->number = i;
			push(m);
		} else {
			struct message *m = pop();
			sum += m->number;
			free(m);
		}
	}
	return NULL;
}

int main(void)
{
	sem_init(&count, 0, 0);
	crew(2, work);
	return sum == 45 ? 0 : 1;
}
