#include "jobs/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/elapsed.h"

#define PATIENCE 0.5 /* seconds before the line appears, and */
#define PAUSE 0.2 /* between its changes */

static volatile sig_atomic_t interrupted; /* written by the handler */
static struct sigaction before;
static struct timespec start;
static double shown; /* seconds after start, 0: not yet */
static bool terminal;

static void on_interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

void norn_progress_begin(void)
{
	struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESETHAND};
	clock_gettime(CLOCK_MONOTONIC, &start);
	shown = 0;
	terminal = isatty(STDERR_FILENO);
	sigaction(SIGINT, NULL, &before);
	if (before.sa_handler != SIG_IGN)
		sigaction(SIGINT, &action, NULL);
}

int norn_progress(void *context, double done)
{
	(void)context;
	if (interrupted)
		return -ECANCELED;
	double now = terminal ? norn_seconds_since(&start) : 0;
	if (now < PATIENCE || now - shown < PAUSE)
		return 0;
	fprintf(stderr, "\r\033[Knorn: %3.0f %% read", done * 100);
	fflush(stderr);
	shown = now;
	return 0;
}

void norn_progress_end(void)
{
	if (terminal && shown > 0)
		fputs("\r\033[K", stderr);
	fflush(stderr);
	if (interrupted) {
		signal(SIGINT, SIG_DFL);
		raise(SIGINT);
	}
	sigaction(SIGINT, &before, NULL);
}
