/* norn-test
 * silent:
 */
/* A sorted list with a lock per node: the next lock is taken before this one is given up. */
#include "crew.h"

struct node {
	pthread_mutex_t lock;
	int key;
	struct node *next;
};
static struct node head = {.lock = PTHREAD_MUTEX_INITIALIZER, .key = -1};

static void insert(int key)
{
	struct node *new = calloc(1, sizeof *new), *at = &head;
	pthread_mutex_init(&new->lock, NULL);
	new->key = key;
	pthread_mutex_lock(&at->lock);
	while (at->next) {
		struct node *next = at->next;
		pthread_mutex_lock(&next->lock);
		if (next->key > key) {
			pthread_mutex_unlock(&next->lock);
			break;
		}
		pthread_mutex_unlock(&at->lock);
		at = next;
	}
	new->next = at->next;
	at->next = new;
	pthread_mutex_unlock(&at->lock);
}

static void *work(void *argument)
{
	for (int i = 0; i < 4; i++)
		insert(i * 3 + number_of(argument));
	return NULL;
}

int main(void)
{
	crew(3, work);
	int count = 0;
	for (struct node *n = head.next; n; n = n->next)
		count += n->key == count;
	return count == 12 ? 0 : 1;
}
