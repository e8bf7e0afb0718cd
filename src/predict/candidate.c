#include "predict/candidate.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/must.h"
#include "monitor/lasso.h"
#include "judge/recorded/recent_positions.h"
#include "predict/letter_cache.h"
#include "witness/lasso_witness.h"
#include "witness/sliced_witness.h"
#include "witness/mvc_witness.h"

void norn_candidates_done(struct norn_candidates *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		norn_witness_free(c->list[i].witness);
		norn_lasso_witness_free(c->list[i].lasso);
	}
	free(c->list);
	*c = (struct norn_candidates){0};
}

static struct norn_witness *make_witness(const struct norn_candidate *c)
{
	uint64_t *numbers = norn_must_alloc(c->count, sizeof *numbers);
	for (uint32_t i = 0; i < c->count; i++)
		numbers[i] = c->steps[i]->number;
	struct norn_witness *witness = norn_witness_new(numbers, c->count);
	free(numbers);
	return witness;
}

void norn_candidates_add(struct norn_candidates *list, const struct norn_candidate *candidate)
{
	norn_must_grow(&list->list, list->count + UINT64_C(1), &list->room, sizeof *list->list);
	struct norn_candidate *c = &list->list[list->count];
	*c = *candidate;
	c->serial = list->count++;
	c->witness = c->graph ? NULL : make_witness(c);
	c->lasso = c->loop ? norn_lasso_witness_new(c->loop, list->trace) : NULL;
}

static int by_order(const void *a, const void *b)
{
	const struct norn_candidate *x = a, *y = b;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->serial < y->serial ? -1 : x->serial > y->serial;
}

void norn_candidates_sort(struct norn_candidates *candidates)
{
	if (candidates->count)
		qsort(candidates->list, candidates->count, sizeof *candidates->list, by_order);
}

void norn_candidates_event(struct norn_candidates *candidates, const struct norn_event *event)
{
	candidates->number++;
	for (uint32_t i = 0; i < candidates->count; i++) {
		struct norn_candidate *c = &candidates->list[i];
		bool relevant = c->next < c->relevant_count && c->relevant[c->next] == candidates->number;
		c->next += relevant;
		if (c->witness)
			norn_witness_event(c->witness, event, relevant);
		if (c->lasso)
			norn_lasso_witness_event(c->lasso, event, relevant, norn_witness_step(c->witness, candidates->number));
	}
}

/* ---- the monitor along the run ---- */

/* The run being replayed: step by step, from the start. */
struct replay {
	const struct norn_candidate *candidate;
	struct norn_valuation valuation;
	struct norn_moment moment;
	uint32_t next; /* step that comes next; 0: the start */
};

static void replay_init(struct replay *r, const struct norn_candidate *candidate)
{
	*r = (struct replay){.candidate = candidate};
	norn_valuation_init(&r->valuation, candidate->binding);
	norn_moment_init(&r->moment, candidate->binding);
}

static void replay_done(struct replay *r)
{
	norn_valuation_done(&r->valuation);
	norn_moment_done(&r->moment);
}

static const struct norn_position *step_of(const struct norn_candidate *c, uint32_t i)
{
	return i == 0 ? c->start : c->steps[i - 1];
}

static enum norn_witness_position letter(void *context, uint32_t i, uint64_t *ret_letter, uint64_t *ret_unknown)
{
	struct replay *r = context;
	struct norn_letter l;
	const struct norn_position *p = step_of(r->candidate, i);
	assert(i == r->next);
	r->next++;
	norn_valuation_apply(&r->valuation, p, &r->moment);
	bool is_one = (i > 0 || r->candidate->view->terms.property->states) &&
	              norn_stepped_letter(r->candidate->view, &r->moment, r->candidate->keys, &l);
	norn_valuation_fade(&r->valuation, r->candidate->binding, p);
	if (!is_one)
		return NORN_WITNESS_NO_POSITION;
	*ret_letter = l.yes;
	*ret_unknown = l.unknown;
	return l.sure ? NORN_WITNESS_POSITION : NORN_WITNESS_MAYBE;
}

/* The word of a run that repeats itself, and whether the loop comes back to the same valuation. */
static int check_word(const struct norn_candidate *c, struct replay *replay, uint64_t *letters, struct norn_error *err)
{
	struct norn_valuation at_begin = {0};
	uint32_t count = 0, loop = 0;
	int r = 0;
	for (uint32_t i = 0; r == 0 && i <= c->count; i++) {
		uint64_t unknown = 0;
		enum norn_witness_position kind = letter(replay, i, &letters[count], &unknown);
		if (kind == NORN_WITNESS_MAYBE || (kind == NORN_WITNESS_POSITION && unknown))
			r = norn_error_set(err, -EINVAL, "what happens at step %u is not known", i);
		letters[count] &= ~NORN_STEPPER_UNMADE;
		count += kind == NORN_WITNESS_POSITION;
		if (r == 0 && i == c->loop->begin) {
			loop = count;
			norn_valuation_copy(c->binding, &replay->valuation, &at_begin);
		}
	}
	enum norn_truth holds;
	if (r == 0 && !norn_valuation_equal(c->binding, &at_begin, &replay->valuation))
		r = norn_error_set(err, -EINVAL, "the values after the loop are not those before it");
	if (r == 0 && loop == count)
		r = norn_error_set(err, -EINVAL, "there is no position in the loop");
	if (r == 0)
		r = norn_lasso_judge(c->view->terms.property, letters, NULL, count, loop, &holds);
	if (r == 0 && holds != NORN_TRUTH_NO)
		r = norn_error_set(err, -EINVAL, "the infinite run does not violate the property");
	norn_valuation_done(&at_begin);
	return r;
}

static int check_loop(const struct norn_candidate *c, struct norn_error *err)
{
	struct replay replay;
	int r = norn_lasso_witness_check(c->lasso, c->count, err);
	if (r != 0)
		return r;
	uint64_t *letters = norn_must_calloc(c->count + 2ul, sizeof *letters);
	replay_init(&replay, c);
	r = check_word(c, &replay, letters, err);
	replay_done(&replay);
	free(letters);
	return r;
}

static int check_schedule(const struct norn_candidate *c, struct norn_error *err)
{
	struct norn_sliced_claim claim = {.base = c->schedule.base,
	        .events = c->schedule.events,
	        .count = c->schedule.count,
	        .stops = c->valued,
	        .stop_count = c->valued_count,
	        .watched = c->watched,
	        .watched_count = c->watched_count,
	        .watches_reads = c->watches_reads};
	struct norn_sliced_checker *checker = norn_sliced_checker_new(c->graph);
	int r = norn_sliced_check_sequence(checker, &claim, err);
	norn_sliced_checker_free(checker);
	return r;
}

/* 0, or -EINVAL and why it is refused. */
static int check(const struct norn_candidate *c, struct norn_error *err)
{
	struct replay replay;
	int r = c->graph ? check_schedule(c, err) : c->witness ? norn_witness_check_order(c->witness, c->at_end, err) : 0;
	if (r != 0 || c->loop)
		return r != 0 ? r : check_loop(c, err);
	replay_init(&replay, c);
	struct norn_stepper stepper = norn_stepper_of(c->monitor, c->view->terms.property, true);
	r = norn_witness_check_verdict(&stepper, c->count, c->at_end, letter, &replay, err);
	replay_done(&replay);
	return r;
}

/* ---- the finding ---- */

static void take(
        struct replay *r, struct norn_recorded_property *property, const struct norn_position *p, struct norn_findings *findings)
{
	uint64_t relevant = 0;
	norn_valuation_apply(&r->valuation, p, &r->moment);
	norn_recorded_property_position(property, &r->moment, findings, &relevant);
	norn_valuation_fade(&r->valuation, r->candidate->binding, p);
}

/* The events that have not happened yet, as text. */
static void name_missed(struct replay *r, struct norn_finding *finding, struct norn_findings *findings)
{
	struct norn_past past;
	struct norn_step_text *text = norn_must_arena_alloc(&findings->arena, sizeof *text);
	norn_valuation_apply(&r->valuation, r->candidate->missed, &r->moment);
	norn_past_of(r->candidate->view, &r->moment, NORN_INSTANCE_ALL, &past);
	norn_past_text(r->candidate->binding, &past, findings, text);
	finding->missed = text;
}

/* For replaying it. */
static void keep_run(const struct norn_candidate *c, struct norn_finding *finding, struct norn_findings *findings)
{
	finding->run = norn_must_arena_copy(&findings->arena, c->schedule.events, c->schedule.count, sizeof *c->schedule.events);
	finding->run_base = c->schedule.base;
	finding->run_count = c->schedule.count;
}

/* Gives the run to a recorded property, which makes a finding of it. */
static void play(const struct norn_candidate *c, struct norn_recorded_property *property, struct norn_findings *findings)
{
	struct replay replay;
	uint32_t known = findings->count;
	replay_init(&replay, c);
	for (uint32_t i = 0; i <= c->count; i++)
		take(&replay, property, step_of(c, i), findings);
	if (c->graph && findings->count > known)
		keep_run(c, &findings->list[findings->count - 1], findings);
	if (c->missed && findings->count > known)
		name_missed(&replay, &findings->list[findings->count - 1], findings);
	if (c->at_end) {
		const struct norn_position end = {.number = UINT64_MAX};
		norn_valuation_apply(&replay.valuation, &end, &replay.moment);
		norn_recorded_property_end(property, &replay.moment, findings);
	}
	if (c->loop)
		norn_recorded_property_repeats(
		        property, c->keys, &replay.moment, c->loop->begin < c->count ? c->steps[c->loop->begin] : NULL, findings);
	for (uint32_t i = known; i < findings->count; i++)
		findings->list[i].lattice = c->lattice;
	replay_done(&replay);
}

void norn_candidate_refuse(const struct norn_candidate *c, const char *why, struct norn_findings *findings)
{
	findings->stats.refused++;
	norn_findings_partial(findings, NORN_REASON_REFUSED, 1, "please report it",
	        "an error of Norn itself: a run that was predicted to violate property %s is refused (%s), and not shown",
	        c->view->terms.property->name, why);
}

int norn_candidate_check(const struct norn_candidate *c, struct norn_findings *findings, struct norn_error *err)
{
	struct norn_recorded_property *property;
	struct norn_error why = {0};
	int r = check(c, &why);
	if (r == 0) {
		r = norn_recorded_property_new(c->sources, c->binding, c->view->terms.property, &property, err);
		if (r != 0)
			return r;
		norn_recorded_property_predicts(property, c->graph ? "sliced" : "mvc", c->extent, c->more);
		play(c, property, findings);
		if (!norn_recorded_property_violated(property))
			r = norn_error_set(&why, -EINVAL, "playing it shows no violation");
		norn_recorded_property_free(property);
	}
	if (r == -EINVAL)
		norn_candidate_refuse(c, why.message, findings);
	else
		norn_must_do(r);
	return 0;
}

int norn_candidates_check(struct norn_candidates *candidates, struct norn_findings *findings, struct norn_error *err)
{
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < candidates->count; i++)
		r = norn_candidate_check(&candidates->list[i], findings, err);
	return r;
}
