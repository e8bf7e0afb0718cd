/* Shortcuts: letters that depend on the world alone. A cut of n threads is reached by up to n events; if a property is only about the values of
 * variables that are always at the same place, the letter is worked out once, not once for each of them. Not thread-safe. */
#ifndef NORN_PREDICT_LETTER_CACHE_H
#define NORN_PREDICT_LETTER_CACHE_H

#include "judge/recorded/valuation.h"

struct norn_letter_cache {
	bool plain; /* the property is of that sort */
	struct norn_letter_cache_entry {
		uint64_t yes, unknown;
		bool known;
	} *letters; /* by world */
	uint32_t count;
	uint8_t *kinds; /* by payload: what is known of the position */
	uint32_t payload_count;
};

/* If memory is short there are none. */
void norn_letter_cache_init(struct norn_letter_cache *shortcuts, const struct norn_view *view, uint32_t payloads);
void norn_letter_cache_done(struct norn_letter_cache *shortcuts);
size_t norn_letter_cache_bytes(const struct norn_letter_cache *shortcuts);

/* What is known of the letter of a position that leads to this world. */
enum norn_letter_cache_entry_answer {
	NORN_LETTER_CACHE_ENTRY_UNKNOWN,
	NORN_LETTER_CACHE_ENTRY_NONE,
	NORN_LETTER_CACHE_ENTRY_LETTER
};
enum norn_letter_cache_entry_answer norn_letter_cache_get(
        const struct norn_letter_cache *shortcuts, uint32_t payload, uint32_t world, struct norn_letter *ret_letter);
/* Remembers it. letter: NULL if it is no position of the property. */
void norn_letter_cache_put(struct norn_letter_cache *shortcuts, const struct norn_position *position, uint32_t payload,
        uint32_t world, const struct norn_letter *letter);

#endif
