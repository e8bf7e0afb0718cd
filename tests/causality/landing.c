/* The flight controller of the JMPaX paper (figure 1), its steps in the order that the argument says. */
#include <pthread.h>

#include "gate.h"

int landing = 0, approved = 0, radio = 1;

static void *controller(void *unused)
{
	gate('a');
	if (radio == 0)
		approved = 0;
	else {
		gate('b');
		approved = 1;
	}
	gate('c');
	if (approved == 1) {
		gate('d');
		landing = 1;
	}
	gate_leave();
	return unused;
}

static void *watch(void *unused)
{
	gate('r');
	while (radio) {
		gate('s');
		radio = 0;
	}
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	if (argc != 2)
		return 2;
	gate_open(argv[1]);
	if (pthread_create(&threads[0], 0, controller, 0) || pthread_create(&threads[1], 0, watch, 0))
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], 0);
	return landing == 1 && radio == 0 ? 0 : 1;
}
