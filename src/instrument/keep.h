/* Keeping functions as functions, at -O1: a pass at the pipeline's start.
 *
 * Properties speak of calls, their arguments and results. The optimiser dissolves them: it puts functions into their callers, drops
 * calls that have no effect, and leaves out arguments that nobody uses or that are always the same. From -O2 on that is what the
 * user asked for; -O1 is the level to look at a program with, so there functions that are not declared inline stay what they are. */
#ifndef NORN_INSTRUMENT_KEEP_H
#define NORN_INSTRUMENT_KEEP_H

#include "instrument/shim.h" /* norn_keep_functions */

#endif
