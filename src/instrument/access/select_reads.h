/* Reads of a select, each in its own branch as in the source.
 *
 * The optimiser turns c ? x : y into two reads and a select, or into a read at an address that a select chose. The source reads one
 * variable only; the other read is not the
 * program's, and a race with it would be a false alarm. So each such read is moved back into its own branch; a read at
 * one of two addresses becomes two, of which each has its name. */
#ifndef NORN_INSTRUMENT_ACCESS_SELECT_READS_H
#define NORN_INSTRUMENT_ACCESS_SELECT_READS_H

#include "instrument/pass.h"

/* All of pass->function, before its sites are looked for. */
void norn_select_reads_restore(struct norn_pass *pass);

#endif
