#include "base/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupted; /* written by the handler, or by its thread; read by all */
static struct sigaction before;
static bool begun;

static void on_interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

void norn_interrupt_begin(void)
{
	struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESETHAND | SA_RESTART};
	interrupted = 0;
	begun = sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler == SIG_DFL && sigaction(SIGINT, &action, NULL) == 0;
}

void norn_interrupt_end(void)
{
	if (begun)
		sigaction(SIGINT, &before, NULL);
	begun = false;
}

bool norn_interrupted(void)
{
	return interrupted;
}

void norn_interrupt_note(void)
{
	interrupted = 1;
	if (begun)
		sigaction(SIGINT, &before, NULL);
}
