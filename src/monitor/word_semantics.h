/* The semantics of a word: the value of every subformula at each position of a word of letters, straight from the definitions: for
 * judging lassos (lasso.h) and telling what failed (failed_part.h). The word ends, or its end repeats for ever. Three truth values,
 * after Kleene: unknown bits of letters, and what comes after the end, are unknown. */
#ifndef NORN_MONITOR_WORD_SEMANTICS_H
#define NORN_MONITOR_WORD_SEMANTICS_H

#include "property/property.h"

/* In their order: and is the minimum, or the maximum. */
enum { NORN_WORD_SEMANTICS_FALSE, NORN_WORD_SEMANTICS_MAYBE, NORN_WORD_SEMANTICS_TRUE };

#define NORN_WORD_SEMANTICS_END UINT32_MAX

struct norn_word_semantics {
	const uint64_t *letters;
	const uint64_t *unknown; /* bits that are not known; NULL: none */
	uint32_t count, loop; /* loop: where the word goes on after its last letter; count: nowhere */
};

/* NORN_WORD_SEMANTICS_END after the last one. */
static inline uint32_t norn_word_semantics_next(const struct norn_word_semantics *word, uint32_t i)
{
	return i + 1 < word->count ? i + 1 : word->loop < word->count ? word->loop : NORN_WORD_SEMANTICS_END;
}

/* values: for each node a row of count positions. Operators of the past look back from the first iteration of a loop. */
void norn_word_semantics_judge(const struct norn_word_semantics *word, const struct norn_property *property, uint8_t *values);

#endif
