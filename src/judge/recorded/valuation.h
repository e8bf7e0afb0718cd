/* Valuations: the values of spots and ghosts at one point of a run that is recorded, or of another order of its events.
 *
 * A valuation is a flat block that can be copied and compared; the binding says what is in it. Applying a position changes it and
 * tells what happened (a moment, judge/moment.h), from which a view, which is what one property looks at, reads the letter. Spots
 * that fade do so after all that. */
#ifndef NORN_JUDGE_RECORDED_VALUATION_H
#define NORN_JUDGE_RECORDED_VALUATION_H

#include "judge/moment.h"
#include "judge/recorded/binding.h"
#include "judge/recorded/position.h"

struct norn_valuation {
	struct norn_spot_bytes *spots;
	struct norn_value *ghosts; /* [threads × ghosts × 2]: its value in that thread, and the greatest that it had there */
};

size_t norn_valuation_ghosts(const struct norn_binding *binding); /* entries of ghosts */
void norn_valuation_init(struct norn_valuation *valuation, const struct norn_binding *binding); /* at the start of the run */
void norn_valuation_copy(const struct norn_binding *binding, const struct norn_valuation *from, struct norn_valuation *ret_to);
/* The binding has got room for more threads than these; fresh has it already, at the start of the run. */
void norn_valuation_widen(
        const struct norn_binding *binding, const struct norn_valuation *fresh, uint32_t threads, struct norn_valuation *valuation);
bool norn_valuation_equal(const struct norn_binding *binding, const struct norn_valuation *a, const struct norn_valuation *b);
void norn_valuation_done(struct norn_valuation *valuation);

/* A moment of a recorded run: it points to the position and into the valuation. */
void norn_moment_init(struct norn_moment *moment, const struct norn_binding *binding);
void norn_moment_done(struct norn_moment *moment);

/* Applies a position, but for its fades. moment and position must not change until norn_valuation_fade. */
void norn_valuation_apply(struct norn_valuation *valuation, const struct norn_position *position, struct norn_moment *moment);
void norn_valuation_fade(
        struct norn_valuation *valuation, const struct norn_binding *binding, const struct norn_position *position);

/* The place's value before write number write of the position. */
struct norn_value norn_moment_before(const struct norn_moment *moment, uint32_t place, uint32_t write);

static inline struct norn_value norn_valuation_place(
        const struct norn_binding *binding, const struct norn_valuation *valuation, uint32_t place)
{
	return norn_place_value(binding->place_index, valuation->spots, binding->place_index->spot_count, place);
}

/* ---- views ---- */

struct norn_view {
	const struct norn_binding *binding;
	struct norn_property_terms terms;
};

struct norn_view *norn_view_new(const struct norn_binding *binding, const struct norn_property *property);
void norn_view_free(struct norn_view *view);

static inline bool norn_view_letter(const struct norn_view *view, const struct norn_moment *moment, const struct norn_value *keys,
        struct norn_letter *ret_letter)
{
	return norn_moment_letter(moment, &view->terms, keys, ret_letter);
}
/* True if the event binds the property's keys, and to what. */
static inline bool norn_view_keys(const struct norn_view *view, const struct norn_online_hit *hit, struct norn_value *ret_keys)
{
	return norn_property_terms_keys(&view->terms, hit->event, hit->slots, ret_keys);
}

#endif
