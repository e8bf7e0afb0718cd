#include "jobs/progress.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/elapsed.h"
#include "base/interrupt.h"

#define PATIENCE 0.5 /* seconds before the line appears, and */
#define PAUSE 0.2 /* between its changes */

static struct timespec start;
static double shown; /* seconds after start, 0: not yet */
static bool terminal;

void norn_progress_begin(void)
{
	clock_gettime(CLOCK_MONOTONIC, &start);
	shown = 0;
	terminal = isatty(STDERR_FILENO);
}

int norn_progress(void *context, double done)
{
	(void)context;
	if (norn_interrupted())
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
}
