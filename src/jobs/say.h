/* Messages of the command on stderr, and whether they may be coloured.
 *
 * A message is one sentence without a full stop; where there is a remedy it names it. Results go to stdout, and never through
 * here. */
#ifndef NORN_JOBS_SAY_H
#define NORN_JOBS_SAY_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* Exit statuses of every sub-command. */
enum norn_exit {
	NORN_EXIT_OK,
	NORN_EXIT_FINDINGS,
	NORN_EXIT_USAGE, /* bad usage or input */
	NORN_EXIT_CUT, /* the search was cut short and found nothing */
	NORN_EXIT_PROGRAM, /* nothing was found, but the program itself failed */
};

/* Print `norn: …` and return NORN_EXIT_USAGE, so that a command can write: return norn_fail("…"). */
int norn_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
int norn_fail_error(const struct norn_error *err); /* with file, line and column where err has them */
int norn_fail_unrecorded(const char *program); /* it made no events */
int norn_fail_outdated(const char *program); /* it was built by another version of norn cc */

struct norn_recording;
void norn_say_full(const struct norn_recording *recording, int error); /* no more of a run can be written */
void norn_say_name(const struct norn_recording *recording); /* the trace got another name than was asked for, if it did */

/* How the program ended, in a note; with_zero: also that it exited with status 0. */
void norn_say_status(const char *program, int status, bool with_zero);
void norn_note(const char *format, ...) __attribute__((format(printf, 1, 2))); /* `norn: …`, not an error */

/* At exit: what was printed must have arrived, else the status is NORN_EXIT_USAGE whatever it was. Says so, unless the reader went
 * away. */
void norn_finish_output(void);

/* A terminal that is not dumb, and no NO_COLOR in the environment. */
bool norn_colour(FILE *stream);
/* Columns of a line: COLUMNS if that is set, or what the terminal has; 0: no terminal, so as many as it takes. */
unsigned norn_width(FILE *stream);

#endif
