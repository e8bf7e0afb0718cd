/* The contents of memory after so many events of the observed order, as far as writes tell.
 *
 * Code that is not instrumented may write without being noticed, if another write follows before the next read. So what was
 * written before a call of such code, or its return, before input and output, or before a join, is not known any more
 * (norn_memory_contents_unseen); nor are words with an external write.
 *
 * Memory: 4 bytes per word in blocks of 64, 16 more per word that was accessed by at most 8 bytes at once. */
#ifndef NORN_SLICED_MEMORY_CONTENTS_H
#define NORN_SLICED_MEMORY_CONTENTS_H

#include <stdbool.h>

#include "base/vector.h"
#include "causality/dependence_graph.h"
#include "sliced/schedule.h"
#include "sliced/word_table.h"

struct norn_content {
	uint64_t bytes;
	uint32_t age; /* how much had been forgotten when it was written */
	uint8_t known; /* a bit per byte */
};

struct norn_memory_contents {
	struct norn_word_table words; /* 1 + index */
	NORN_VECTOR(struct norn_content) list;
	uint32_t age;
};

void norn_memory_contents_init(struct norn_memory_contents *contents);
void norn_memory_contents_done(struct norn_memory_contents *contents);

/* May code without hooks have written memory at this event? */
bool norn_memory_contents_unseen(const struct norn_graph_event *event);
/* Takes in the next event. */
void norn_memory_contents_event(struct norn_memory_contents *contents, const struct norn_graph_event *event);
/* The contents of the word at addr. */
struct norn_content norn_memory_contents_word(struct norn_memory_contents *contents, uint64_t addr);

/* Does the event, after this schedule, read in its first bytes what it read in the run? Nothing that may write unseen may have come
 * since, either. */
bool norn_memory_contents_as_then(
        const struct norn_graph *graph, const struct norn_schedule *schedule, uint32_t event, uint64_t bytes);

#endif
