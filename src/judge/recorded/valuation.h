/* Valuations: the values of spots and ghosts at one point of a run, and what a position means there.
 *
 * A valuation is a flat block that can be copied and compared; the binding says what is in it. Applying a position changes it and tells
 * what happened (a *moment*): which declared events took place, which ghosts were set. From the moment a view, which is
 * what one property looks at, reads the letter: for each of the property's atoms yes, no or unknown.
 *
 * Within one position: writes come first, then selectors' conditions are evaluated, then the ghosts of the event's thread get their new
 * values, all at once; predicates see the result. Spots that fade do so after all that. */
#ifndef NORN_JUDGE_RECORDED_VALUATION_H
#define NORN_JUDGE_RECORDED_VALUATION_H

#include "judge/property_terms.h"
#include "judge/recorded/binding.h"
#include "judge/recorded/position.h"

struct norn_spot_value {
	uint64_t bytes;
	uint64_t known; /* mask of bytes; bytes that are not known are 0 */
};

struct norn_valuation {
	struct norn_spot_value *spots;
	struct norn_value *ghosts; /* [threads × ghosts × 2]: its value in that thread, and the greatest that it had there */
};

size_t norn_valuation_ghosts(const struct norn_binding *binding); /* entries of ghosts */
int norn_valuation_init(struct norn_valuation *valuation, const struct norn_binding *binding); /* at the start of the run */
int norn_valuation_copy(const struct norn_binding *binding, const struct norn_valuation *from, struct norn_valuation *ret_to);
/* The binding has got room for more threads than these; fresh has it already, at the start of the run. */
int norn_valuation_widen(
        const struct norn_binding *binding, const struct norn_valuation *fresh, uint32_t threads, struct norn_valuation *valuation);
bool norn_valuation_equal(const struct norn_binding *binding, const struct norn_valuation *a, const struct norn_valuation *b);
void norn_valuation_done(struct norn_valuation *valuation);

/* What happened at a position. Points to it and into the valuation. */
struct norn_moment {
	const struct norn_binding *binding;
	const struct norn_valuation *valuation; /* after the position */
	const struct norn_position *position;
	int8_t *holds; /* per hit: enum norn_truth of its condition */
	struct norn_value *old; /* per hit: the place's value before */
	int8_t *events; /* per event of the spec: enum norn_truth */
	uint64_t *changed; /* per write: the bits that it changed */
	struct norn_spot_value *before; /* per write: what the spot was */
	bool *ghosts; /* per ghost of the spec: it was set, or may have been */
	uint32_t room;
};

int norn_moment_init(struct norn_moment *moment, const struct norn_binding *binding);
void norn_moment_done(struct norn_moment *moment);

/* Applies a position, but for its fades. moment and position must not change until norn_valuation_fade. */
int norn_valuation_apply(struct norn_valuation *valuation, const struct norn_position *position, struct norn_moment *moment);
void norn_valuation_fade(
        struct norn_valuation *valuation, const struct norn_binding *binding, const struct norn_position *position);

/* The place's value before write number write of the position. */
struct norn_value norn_moment_before(const struct norn_moment *moment, uint32_t place, uint32_t write);

/* The value of a place; unknown if it is, or if its pointers lead nowhere known. */
struct norn_value norn_valuation_place(const struct norn_binding *binding, const struct norn_valuation *valuation, uint32_t place);

/* ---- views ---- */

struct norn_view {
	const struct norn_binding *binding;
	struct norn_property_terms topic;
};

int norn_view_new(const struct norn_binding *binding, const struct norn_property *property, struct norn_view **ret_view);
void norn_view_free(struct norn_view *view);

/* keys: the instance's, NULL: one that no event has named yet. Hits that bind keys count only for the instance that has them.
 * Returns false if the position is none of this property (instance). */
bool norn_view_letter(const struct norn_view *view, const struct norn_moment *moment, const struct norn_value *keys,
        struct norn_letter *ret_letter);
/* Whether the event binds the property's keys, and to what. */
static inline bool norn_view_keys(const struct norn_view *view, const struct norn_hit *hit, struct norn_value *ret_keys)
{
	return norn_property_terms_keys(&view->topic, hit->event, hit->slots, ret_keys);
}

/* An expression of a handler, at a moment. hit: the one that value, old and self speak of, or NULL. */
struct norn_value norn_view_value(const struct norn_view *view, const struct norn_moment *moment, const struct norn_value *keys,
        const struct norn_hit *hit, const struct norn_expr *expr);

#endif
