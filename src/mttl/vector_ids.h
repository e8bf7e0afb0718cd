/* Numbers for what words of memory refer to, vectors and parts (knowledge_cell.h), so that a word's two vectors fit into eight
 * bytes; and each thread's tables of what it found out about numbers (knowledge_cache.h).
 *
 * A table says something of a number only while something keeps its object alive: code that sets an entry holds a reference, or the
 * lock of a word that has one. A number that was given back is given again only after the entries for it are zero in the tables of
 * all threads; so a word that has it by then is not mistaken for one of its former life. Numbers rest until there are many of them,
 * and the thread that needs one then clears all tables at once. */
#ifndef NORN_MTTL_VECTOR_IDS_H
#define NORN_MTTL_VECTOR_IDS_H

#include <stdatomic.h>

#include "mttl/knowledge_cache.h"

#define NORN_IDS NORN_KNOWLEDGE_CACHE_KNOWN
#define NORN_ID_NONE 1u /* stands for no vector at all */

extern void *norn_id_objects[NORN_IDS];
uint32_t norn_id_take(void *object); /* 0: there are no more */
void norn_id_give(uint32_t id);
void norn_id_relax(void); /* the calling thread gives back what it has kept for itself: at its end */

/* Of one thread. */
struct norn_id_tables {
	uint8_t *entries; /* two for each number; as in knowledge_cache.h */
	struct norn_seen *seen; /* as in knowledge_cache.h */
	struct norn_id_tables *next, **at;
};

bool norn_id_tables_open(struct norn_id_tables *tables); /* all zero; false: no memory */
void norn_id_tables_close(struct norn_id_tables *tables);

#endif
