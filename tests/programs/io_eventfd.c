/* norn-test
 * cc: -g -O1 -pthread
 * prop: io_order.prop
 * no-finding: yes
 */
/* Turns through two eventfds, with libc's own functions for them. */
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

int ping, pong;
static int there, back;

static void *serve(void *unused)
{
	eventfd_t value;
	for (int i = 1; i <= 10; i++) {
		if (eventfd_read(there, &value) != 0)
			return &ping;
		pong = i;
		if (eventfd_write(back, 1) != 0)
			return &ping;
	}
	return unused;
}

int main(void)
{
	pthread_t t;
	void *failed;
	eventfd_t value;
	there = eventfd(0, 0);
	back = eventfd(0, 0);
	pthread_create(&t, NULL, serve, NULL);
	for (int i = 1; i <= 10; i++) {
#ifndef BAD
		ping = i;
#endif
		eventfd_write(there, 1);
		eventfd_read(back, &value);
		ping = i;
	}
	pthread_join(t, &failed);
	return failed || close(there) || close(back);
}
