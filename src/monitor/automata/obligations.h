/* A generalised Büchi automaton of an LTL formula (docs/property-language.md, future-time operators): its states are sets of
 * obligations.
 *
 * An obligation is a subformula that must hold from the next position on; a set of them is a mask, one bit each. Reading a letter,
 * a mask is replaced by one of several: obligations are met, refused, or passed on. An until that is passed on is `postponed` by
 * that edge. A word is accepted iff some path reads it that postpones no until for ever. A mask is live iff it accepts some word.
 *
 * Fewer obligations accept more words: of two masks of which one contains the other, the greater one may be dropped. */
#ifndef NORN_MONITOR_OBLIGATIONS_H
#define NORN_MONITOR_OBLIGATIONS_H

#include "monitor/automata/dfa.h"
#include "monitor/automata/nnf.h"

/* With finite runs: this obligation says that there is a next position. It has the last bit. */
#define NORN_OBLIGATION_MORE (UINT64_C(1) << 63)

struct norn_ltl_edge {
	uint64_t postponed;
	uint32_t to;
};

struct norn_obligations {
	uint64_t *masks;
	uint32_t count;
	uint32_t letters;
	struct norn_ltl_edge *edges;
	uint32_t *first; /* mask × letter, and one more: where its edges begin */
	uint8_t *live;
	uint32_t *initial; /* masks of which one must be met */
	uint32_t initial_count;
};

int norn_obligations_init(struct norn_obligations *o, const struct norn_nnf *nnf, uint32_t formula,
        const struct norn_letters *letters, struct norn_limits *limits, struct norn_error *err);
void norn_obligations_done(struct norn_obligations *o);
/* Per mask whether it accepts the word that is this letter for ever. */
void norn_obligations_stutter(const struct norn_obligations *o, uint32_t letter, uint8_t *ret_accepts);

#endif
