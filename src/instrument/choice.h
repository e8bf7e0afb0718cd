/* Choices between two reads, as the source has them.
 *
 * The optimiser makes of c ? x : y two reads and a choice between what they gave. Where that was asked of one variable only, the other read is not
 * the program's own, and no race of it would be. So each such read goes back to where it is wanted. */
#ifndef NORN_INSTRUMENT_CHOICE_H
#define NORN_INSTRUMENT_CHOICE_H

#include "instrument/pass.h"

/* All of pass->function, before its sites are looked for. */
void norn_choice_restore(struct norn_pass *pass);

#endif
