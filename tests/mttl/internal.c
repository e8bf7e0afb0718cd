/* Internal events: norn_set gives a variable of the thread a value, norn_on_violation tells the program itself. With FOUND the name is found out as the
 * program runs. */
#include <norn.h>
#include <stdio.h>

#include "player.h"

volatile int x;
static int told;

static void on_violation(const char *property, const char *message, void *context)
{
	(void)property;
	(void)message;
	++*(int *)context;
}

#ifdef FOUND
static const char *volatile name = "phase";
#else
#define name "phase"
#endif

__attribute__((noinline)) void set_phase(int value)
{
	norn_set(name, value);
}

__attribute__((noinline)) void read_x(int value)
{
	(void)value;
	(void)x;
}

__attribute__((noinline)) void write_x(int value)
{
	x = value;
}

static const struct act acts[] = {{"s", set_phase}, {"r", read_x}, {"w", write_x}, {0, 0}};

int main(int argc, char **argv)
{
	norn_on_violation("phases", on_violation, &told);
	int status = argc == 2 ? play(argv[1], 2, acts) : 2;
	printf("told %d times\n", told);
	return status;
}
