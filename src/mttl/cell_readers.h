/* Readers of a word: several vectors in place of their maximum, as the access vector of a word that threads read again and again
 * while they do not know each other's newest vectors. The maximum would be a new vector for each of these reads; here a thread's
 * newest vector takes the place of those that it covers.
 *
 * It has a number as vectors do, and is one to code that only releases it. No thread ever knows it, but it is familiar
 * (knowledge_cache.h) to the threads that are among it. One word has it, with the one reference; the holder of the word's lock may
 * change it. */
#ifndef NORN_MTTL_CELL_READERS_H
#define NORN_MTTL_CELL_READERS_H

#include "mttl/local_monitor.h"

#define NORN_SEAT_MANY (NORN_SEAT_NONE - 1) /* its owner */

static inline bool norn_cell_readers_are(const struct norn_knowledge *knowledge)
{
	return knowledge && knowledge->owner == NORN_SEAT_MANY;
}

/* first: the reference moves, but if there is no memory or no number: NULL. */
struct norn_knowledge *norn_cell_readers_new(struct norn_knowledge *first);
void norn_cell_readers_free(struct norn_knowledge *readers); /* without references */
/* The local monitor's present knowledge, which has a number, is among them. */
void norn_cell_readers_join(struct norn_local_monitor *local_monitor, struct norn_knowledge *readers);
/* The local monitor learns from all. */
void norn_cell_readers_teach(
        const struct norn_knowledge *readers, struct norn_local_monitor *local_monitor, struct norn_knowledge_origin origin);
/* The maximum: a reference for the caller. Without memory it is less. */
struct norn_knowledge *norn_cell_readers_unite(const struct norn_knowledge *readers, struct norn_local_monitors *local_monitors);

#endif
