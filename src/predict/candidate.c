#include "predict/candidate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/lasso.h"
#include "judge/recorded/recent_positions.h"
#include "witness/lasso_witness.h"
#include "witness/sliced_witness.h"
#include "witness/witness.h"

void norn_candidates_done(struct norn_candidates *claims)
{
	for (uint32_t i = 0; i < claims->count; i++) {
		norn_witness_free(claims->list[i].witness);
		norn_lasso_witness_free(claims->list[i].recurrence);
	}
	free(claims->list);
	*claims = (struct norn_candidates){0};
}

static int make_witness(const struct norn_candidate *c, struct norn_witness **ret_witness)
{
	uint64_t *numbers = malloc((c->count + 1ul) * sizeof *numbers);
	if (!numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->count; i++)
		numbers[i] = c->steps[i]->number;
	int r = norn_witness_new(numbers, c->count, ret_witness);
	free(numbers);
	return r;
}

int norn_candidates_add(struct norn_candidates *claims, const struct norn_candidate *claim)
{
	if (claims->count == claims->room) {
		uint32_t room = claims->room ? 2 * claims->room : 8;
		struct norn_candidate *list = realloc(claims->list, room * sizeof *list);
		if (!list)
			return -ENOMEM;
		claims->list = list;
		claims->room = room;
	}
	struct norn_candidate *c = &claims->list[claims->count];
	*c = *claim;
	c->serial = claims->count;
	c->recurrence = NULL;
	int r = c->graph ? 0 : make_witness(c, &c->witness);
	claims->count += r == 0;
	return r == 0 && c->loop ? norn_lasso_witness_new(c->loop, &c->recurrence) : r;
}

static int by_order(const void *a, const void *b)
{
	const struct norn_candidate *x = a, *y = b;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->serial < y->serial ? -1 : x->serial > y->serial;
}

void norn_candidates_arrange(struct norn_candidates *claims)
{
	if (claims->count)
		qsort(claims->list, claims->count, sizeof *claims->list, by_order);
}

int norn_candidates_event(struct norn_candidates *claims, const struct norn_event *event)
{
	int r = 0;
	claims->number++;
	for (uint32_t i = 0; r == 0 && i < claims->count; i++) {
		struct norn_candidate *c = &claims->list[i];
		bool relevant = c->next < c->relevant_count && c->relevant[c->next] == claims->number;
		c->next += relevant;
		if (c->witness)
			r = norn_witness_event(c->witness, event, relevant);
		if (r == 0 && c->recurrence)
			r = norn_lasso_witness_event(c->recurrence, event, relevant, norn_witness_step(c->witness, claims->number));
	}
	return r;
}

/* ---- the monitor along the run ---- */

/* The run being replayed: step by step, from the start. */
struct replay {
	const struct norn_candidate *claim;
	struct norn_valuation valuation;
	struct norn_moment moment;
	uint32_t next; /* step that comes next; 0: the start */
	bool failed;
};

static int replay_init(struct replay *r, const struct norn_candidate *claim)
{
	*r = (struct replay){.claim = claim};
	if (norn_valuation_init(&r->valuation, claim->binding) != 0)
		return -ENOMEM;
	if (norn_moment_init(&r->moment, claim->binding) == 0)
		return 0;
	norn_valuation_done(&r->valuation);
	return -ENOMEM;
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
	const struct norn_position *p = step_of(r->claim, i);
	r->failed |= i != r->next++ || norn_valuation_apply(&r->valuation, p, &r->moment) != 0;
	if (r->failed)
		return NORN_WITNESS_NO_POSITION;
	bool is_one = (i > 0 || r->claim->view->topic.property->states) &&
	              norn_view_letter(r->claim->view, &r->moment, r->claim->keys, &l);
	norn_valuation_fade(&r->valuation, r->claim->binding, p);
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
		count += kind == NORN_WITNESS_POSITION;
		if (r == 0 && i == c->loop->begin) {
			loop = count;
			r = norn_valuation_copy(c->binding, &replay->valuation, &at_begin);
		}
	}
	enum norn_truth holds;
	if (r == 0 && !norn_valuation_equal(c->binding, &at_begin, &replay->valuation))
		r = norn_error_set(err, -EINVAL, "the values after the loop are not those before it");
	if (r == 0 && loop == count)
		r = norn_error_set(err, -EINVAL, "there is no position in the loop");
	if (r == 0)
		r = norn_lasso_judge(c->view->topic.property, letters, NULL, count, loop, &holds);
	if (r == 0 && holds != NORN_TRUTH_NO)
		r = norn_error_set(err, -EINVAL, "the infinite run does not violate the property");
	norn_valuation_done(&at_begin);
	return r;
}

static int check_loop(const struct norn_candidate *c, struct norn_error *err)
{
	struct replay replay;
	uint64_t *letters = calloc(c->count + 2ul, sizeof *letters);
	int r = norn_lasso_witness_check(c->recurrence, c->count, err);
	if (r == 0)
		r = letters ? replay_init(&replay, c) : -ENOMEM;
	if (r == 0) {
		r = check_word(c, &replay, letters, err);
		r = replay.failed ? -ENOMEM : r;
		replay_done(&replay);
	}
	free(letters);
	return r;
}

static int check_schedule(const struct norn_candidate *c, struct norn_error *err)
{
	struct norn_sliced_checker *checker;
	struct norn_sliced_claim claim = {.base = c->schedule.base,
	        .events = c->schedule.events,
	        .count = c->schedule.count,
	        .stops = c->valued,
	        .stop_count = c->valued_count};
	int r = norn_sliced_checker_new(c->graph, &checker);
	if (r != 0)
		return r;
	r = norn_sliced_check_sequence(checker, &claim, err);
	norn_sliced_checker_free(checker);
	return r;
}

/* 0, -EINVAL and why it is refused, or -ENOMEM. */
static int check(const struct norn_candidate *c, struct norn_error *err)
{
	struct replay replay;
	int r = c->graph ? check_schedule(c, err) : c->witness ? norn_witness_check_order(c->witness, c->at_end, err) : 0;
	if (r != 0)
		return r;
	if (c->loop)
		return check_loop(c, err);
	r = replay_init(&replay, c);
	if (r != 0)
		return r;
	struct norn_stepper stepper = norn_stepper_of(c->monitor, c->view->topic.property, true);
	r = norn_witness_check_verdict(&stepper, c->count, c->at_end, letter, &replay, err);
	r = replay.failed ? -ENOMEM : r;
	replay_done(&replay);
	return r;
}

/* ---- the recorded property ---- */

static int hear(struct replay *r, struct norn_recorded_property *recorded_property, const struct norn_position *p,
        struct norn_findings *findings)
{
	uint64_t relevant = 0;
	int result = norn_valuation_apply(&r->valuation, p, &r->moment);
	if (result == 0)
		result = norn_recorded_property_position(recorded_property, &r->moment, findings, &relevant);
	norn_valuation_fade(&r->valuation, r->claim->binding, p);
	return result;
}

/* What has not happened yet, as a text. */
static int name_missed(struct replay *r, struct norn_finding *finding, struct norn_findings *findings)
{
	struct norn_past past;
	struct norn_step_text *text = norn_arena_alloc(&findings->arena, sizeof *text);
	if (!text || norn_valuation_apply(&r->valuation, r->claim->missed, &r->moment) != 0)
		return -ENOMEM;
	norn_past_of(r->claim->view, &r->moment, NORN_INSTANCE_ALL, &past);
	norn_past_text(r->claim->binding, &past, findings, text);
	finding->missed = text;
	return 0;
}

/* For who wants to re-enact it. */
static int keep_run(const struct norn_candidate *c, struct norn_finding *finding, struct norn_findings *findings)
{
	uint32_t *run = norn_arena_alloc(&findings->arena, (c->schedule.count + 1ul) * sizeof *run);
	if (!run)
		return -ENOMEM;
	memcpy(run, c->schedule.events, c->schedule.count * sizeof *run);
	finding->run = run;
	finding->run_base = c->schedule.base;
	finding->run_count = c->schedule.count;
	return 0;
}

static int play(const struct norn_candidate *c, struct norn_recorded_property *recorded_property, struct norn_findings *findings)
{
	struct replay replay;
	uint32_t known = findings->count;
	int r = replay_init(&replay, c);
	if (r != 0)
		return r;
	for (uint32_t i = 0; r == 0 && i <= c->count; i++)
		r = hear(&replay, recorded_property, step_of(c, i), findings);
	if (r == 0 && c->graph && findings->count > known)
		r = keep_run(c, &findings->list[findings->count - 1], findings);
	if (r == 0 && c->missed && findings->count > known)
		r = name_missed(&replay, &findings->list[findings->count - 1], findings);
	if (r == 0 && c->at_end) {
		const struct norn_position end = {.number = UINT64_MAX};
		r = norn_valuation_apply(&replay.valuation, &end, &replay.moment);
		if (r == 0)
			r = norn_recorded_property_end(recorded_property, &replay.moment, findings);
	}
	if (r == 0 && c->loop)
		r = norn_recorded_property_repeats(recorded_property, c->keys, &replay.moment,
		        c->loop->begin < c->count ? c->steps[c->loop->begin] : NULL, findings);
	replay_done(&replay);
	return r;
}

int norn_candidate_refuse(const struct norn_candidate *c, const char *why, struct norn_findings *findings)
{
	findings->stats.refused++;
	return norn_findings_note(findings,
	        "an error of Norn itself: a run that was predicted to violate property %s is refused (%s), and not shown",
	        c->view->topic.property->name, why);
}

int norn_candidate_settle(const struct norn_candidate *c, struct norn_findings *findings, struct norn_error *err)
{
	struct norn_recorded_property *recorded_property;
	struct norn_error why = {0};
	int r = check(c, &why);
	if (r == 0) {
		r = norn_recorded_property_new(c->sources, c->binding, c->view->topic.property, &recorded_property, err);
		if (r != 0)
			return r;
		norn_recorded_property_predicts(recorded_property, c->graph ? "sliced" : "mvc", c->extent);
		r = play(c, recorded_property, findings);
		if (r == 0 && !norn_recorded_property_violated(recorded_property))
			r = norn_error_set(&why, -EINVAL, "playing it shows no violation");
		norn_recorded_property_free(recorded_property);
	}
	if (r == -EINVAL)
		r = norn_candidate_refuse(c, why.message, findings);
	return r == 0 ? 0 : norn_error_no_memory(err);
}

int norn_candidates_settle(struct norn_candidates *claims, struct norn_findings *findings, struct norn_error *err)
{
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < claims->count; i++)
		r = norn_candidate_settle(&claims->list[i], findings, err);
	return r;
}
