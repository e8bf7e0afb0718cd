/* The letters of a property that depend on the valuation alone. A cut of n threads is reached by up to n events; if a property is
 * only about the values of variables that are always at the same place, the letter is worked out once, not once for each of them.
 * Not thread-safe. */
#ifndef NORN_PREDICT_LETTER_CACHE_H
#define NORN_PREDICT_LETTER_CACHE_H

#include "judge/recorded/valuation.h"

/* The letter of the moment for a stepper (lattice/stepper.h). */
bool norn_stepped_letter(const struct norn_view *view, const struct norn_moment *moment, const struct norn_value *keys,
        struct norn_letter *ret_letter);

struct norn_letter_cache {
	bool plain; /* the property is of that sort; else nothing is cached */
	struct norn_letter_cache_entry {
		uint64_t yes, unknown;
		bool known;
	} *letters; /* by valuation */
	uint32_t letter_count;
	uint8_t *kinds; /* by index of what is kept: what is known of the position */
	uint32_t kind_count;
};

void norn_letter_cache_init(struct norn_letter_cache *cache, const struct norn_view *view);
void norn_letter_cache_done(struct norn_letter_cache *cache);
size_t norn_letter_cache_bytes(const struct norn_letter_cache *cache);
void norn_letter_cache_forget(struct norn_letter_cache *cache); /* valuations have other numbers */

/* The letter of a position that leads to this valuation. kept: the position's index. */
enum norn_letter_cache_answer { NORN_LETTER_CACHE_UNKNOWN, NORN_LETTER_CACHE_NONE, NORN_LETTER_CACHE_LETTER };
enum norn_letter_cache_answer norn_letter_cache_get(
        const struct norn_letter_cache *cache, uint32_t kept, uint32_t valuation, struct norn_letter *ret_letter);
/* letter: NULL if it is no position of the property. */
void norn_letter_cache_put(struct norn_letter_cache *cache, const struct norn_position *position, uint32_t kept, uint32_t valuation,
        const struct norn_letter *letter);

#endif
