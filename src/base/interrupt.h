/* ^C while something long is under way: what was found so far is to be shown, so searches end as if at a limit.
 *
 * Between norn_interrupt_begin and norn_interrupt_end the first SIGINT is noted, and the second ends the process, as it would
 * without this. Searches ask norn_interrupted between steps. One piece of work at a time; threads may ask. */
#ifndef NORN_BASE_INTERRUPT_H
#define NORN_BASE_INTERRUPT_H

#include <stdbool.h>

void norn_interrupt_begin(void); /* not interrupted so far; a process that ignores SIGINT goes on doing so */
void norn_interrupt_end(void);
bool norn_interrupted(void); /* stays so until the next beginning */
/* A SIGINT that somebody else caught. */
void norn_interrupt_note(void);

#endif
