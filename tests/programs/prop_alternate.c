/* norn-test
 * cc: -g -O0 -pthread
 * cc: -g -O2 -pthread
 * prop: prop_alternate.prop
 * no-finding: yes
 */
/* Two clients, each suspended and resumed in turns; together they do anything but alternate. */
#include <pthread.h>
#include <stdlib.h>

struct client {
	int suspended;
};

__attribute__((noinline)) static void client_suspend(struct client *c)
{
	c->suspended++;
}

__attribute__((noinline)) static void client_resume(struct client *c)
{
	c->suspended--;
}

static void *work(void *arg)
{
	struct client **clients = arg;
	for (int i = 0; i < 100; i++) {
		client_suspend(clients[0]);
		client_suspend(clients[1]);
		client_resume(clients[0]);
#ifdef BAD
		if (i % 10 == 5)
			client_resume(clients[0]);
#endif
		client_resume(clients[1]);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	struct client *clients[4];
	for (int i = 0; i < 4; i++)
		clients[i] = calloc(1, sizeof *clients[i]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, &clients[2 * i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 4; i++)
		free(clients[i]);
	return 0;
}
