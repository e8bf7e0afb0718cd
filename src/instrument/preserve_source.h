/* Keeping conditions, lines, loops, variables, writes and functions that the optimiser would change: passes at the pipeline's
 * start.
 *
 * Conditions, at all levels: the optimiser may read a variable before it knows whether the program would (if (mine) use(x) reads x
 * first, then chooses). An unobserved program cannot tell; in an observed one it is a read, and maybe a race, that is not in its
 * source. LLVM has an attribute by which functions ask not to get such reads, sanitize_thread, which does nothing else. Where LLVM
 * does not ask for it, shim.cpp sees to it when the plugin is loaded, so that no option has to be given:
 *   LICM's promotion (disable-licm-promotion)      reads a variable before a loop that only might
 *   GVN in loops (enable-load-in-loop-pre)         reads at the end of a round what the next one would read, and there may be none
 *   interleaved groups (enable-interleaved-…)      a vectorised loop over one field reads those between, too
 *   ArgumentPromotion (is left out)                the caller reads what the function only might
 *   SROA, InstCombine (loads are held)             read both sides of a choice of addresses, and all lanes of a masked load
 * tests/instrument/invented looks for others. Link-time optimisation comes after the hooks: it sees calls.
 *
 * Lines: what was made of several places has one of theirs (pick-merged-source-locations), what was moved has its own.
 *
 * Loops that are said to end (NORN_LOOP_ENDS), from -O1 on, as far as no other loop can be taken for one of them.
 *
 * Variables of one file as variables. The optimiser turns one with two values into a single bit, a struct into a variable for each
 * member, and removes one that is never read, with all stores to it: properties could not name them. The last, from -O2 on, is what
 * the user asked for; the others are kept at all levels.
 *
 * Writes. The optimiser leaves out a write that is written over, and makes one of those of a loop; properties speak of each value.
 * So writes are volatile until they get their hooks: at -O1 those of all memory that may be shared, above it those of variables by
 * their names; for programs that are to be watched (hook_filter.h), those of what properties name, at all levels.
 *
 * Calls: each gets a number, which copies of it share (flow/frame_need.h).
 *
 * Functions as functions, at -O1, and those that properties name at all levels (hook_filter.h). Properties speak of calls, their
 * arguments and results. The optimiser inlines functions, removes calls that have no effect, and removes arguments that are unused
 * or constant. From -O2 on that is what the user asked for; -O1 is the level to look at a program with, so there functions that are
 * not declared inline stay what they are. */
#ifndef NORN_INSTRUMENT_PRESERVE_SOURCE_H
#define NORN_INSTRUMENT_PRESERVE_SOURCE_H

#include "instrument/shim.h" /* norn_preserve_conditions, norn_preserve_variables, norn_preserve_functions, norn_preserve_writes */

struct norn_pass;
/* Writes through pointers may have been left out: the table of the module's sites says so (NORN_SITE_LOOSE_WRITES). */
bool norn_preserve_lost_writes(LLVMModuleRef module);
void norn_preserve_release(struct norn_pass *pass); /* accesses that were made volatile in pass->function no longer are */

#endif
