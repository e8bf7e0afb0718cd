/* Recent positions: the last positions of a property, from which witnesses are made.
 *
 * A ring of at most NORN_RECENT_POSITIONS_MAX entries, shared by all instances; each entry tells whose it is. */
#ifndef NORN_JUDGE_RECORDED_RECENT_POSITIONS_H
#define NORN_JUDGE_RECORDED_RECENT_POSITIONS_H

#include "finding/finding.h"
#include "judge/recorded/valuation.h"

#define NORN_RECENT_POSITIONS_MAX 100000u /* positions per property that are kept */
#define NORN_INSTANCE_ALL 0u /* whose entry: that of all instances */

struct norn_past {
	uint64_t number;
	uint32_t thread, site; /* of a call or return: the site that called, if it is known */
	uint32_t instance;
	uint32_t place, event; /* its subject; NORN_SLOT_NONE: not that */
	uint8_t kind, op;
	bool pointer; /* the event's value is one */
	struct norn_letter letter; /* of the property there */
	struct norn_value before, after;
	struct norn_value keys[2]; /* of the event's first parameters, to show it by */
};

struct norn_recent_positions {
	struct norn_past *ring;
	uint32_t count, room, first;
	uint64_t dropped;
};

void norn_recent_positions_done(struct norn_recent_positions *recent);

/* The position as a text about a property. hit: of one of its events, or NULL. */
void norn_past_of(const struct norn_view *view, const struct norn_moment *moment, uint32_t instance, struct norn_past *ret_past);
void norn_recent_positions_add(struct norn_recent_positions *recent, const struct norn_past *past);

/* The name of a place as people know it: of a std::string's characters its own. */
const char *norn_place_shown(struct norn_findings *findings, const char *text);

/* The texts of an entry, in the findings' arena. */
void norn_past_text(const struct norn_binding *binding, const struct norn_past *past, struct norn_findings *findings,
        struct norn_step_text *ret_text);
/* The entries of one instance; *ret_dropped counts those that were not kept (of all instances). NULL: out of memory. */
const struct norn_step_text *norn_recent_positions_texts(const struct norn_recent_positions *recent,
        const struct norn_binding *binding, uint32_t instance, struct norn_findings *findings, uint32_t *ret_count,
        uint64_t *ret_dropped);

/* The letters of the same entries, with what is not known of them. false: out of memory, or not all were kept. The caller frees
 * both. */
bool norn_recent_positions_letters(const struct norn_recent_positions *recent, uint32_t instance, uint64_t **ret_letters,
        uint64_t **ret_unknown, uint32_t *ret_count);

#endif
