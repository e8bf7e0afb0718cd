/* Keeping what the optimiser would dissolve: passes at the pipeline's start.
 *
 * Conditions, at all levels: the optimiser may read a variable before it knows whether the program would (if (mine) use(x) reads x first, then
 * chooses). For a program that nobody watches that is no change; for one that is watched it is a read, and maybe a race, that is not in its
 * source. LLVM has an attribute by which functions ask not to get such reads, sanitize_thread, which does nothing else.
 *
 * Loops that are said to end (NORN_LOOP_ENDS), from -O1 on, as far as nobody can take another loop for one of them.
 *
 * Variables of one file as variables. Of one that has two values the optimiser makes a single bit, of a struct a variable for each member, and one that nobody reads it drops, with all
 * that is stored there: properties could not name them. The last, from -O2 on, is what the user asked for; the others are kept at all levels.
 *
 * Functions as functions, at -O1, and those that properties name at all levels (only.h).
 * Properties speak of calls, their arguments and results. The optimiser dissolves them: it puts functions into their callers, drops
 * calls that have no effect, and leaves out arguments that nobody uses or that are always the same. From -O2 on that is what the
 * user asked for; -O1 is the level to look at a program with, so there functions that are not declared inline stay what they are. */
#ifndef NORN_INSTRUMENT_KEEP_H
#define NORN_INSTRUMENT_KEEP_H

#include "instrument/shim.h" /* norn_keep_conditions, norn_keep_variables, norn_keep_functions */

#endif
