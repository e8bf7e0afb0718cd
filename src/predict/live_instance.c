/* All runs of one instance of a property, while the run goes on. */
#include "predict/live_instance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "predict/candidate.h"

#define PROBE_CUTS 200000u /* to look ahead through at once */

/* ---- what events mean ---- */

static const struct norn_position *position_of(const struct norn_live_instance *p, struct norn_lattice_event e)
{
	if (e.thread == NORN_LATTICE_BEGIN)
		return p->live_view->live_search->start;
	return p->lanes[e.thread].list[e.k]->position;
}

static int apply(void *context, uint32_t world, struct norn_lattice_event event, uint32_t *ret_world)
{
	struct norn_live_instance *p = context;
	p->looked = NULL;
	return norn_valuation_table_next(&p->valuation_table, world, position_of(p, event), ret_world);
}

static enum norn_lattice_position letter(void *context, uint32_t monitor, uint32_t before, uint32_t after,
        struct norn_lattice_event event, uint64_t *ret_letter, uint64_t *ret_unknown)
{
	(void)monitor;
	(void)after;
	struct norn_live_instance *p = context;
	struct norn_letter l;
	const struct norn_position *position = position_of(p, event);
	if (event.thread == NORN_LATTICE_BEGIN && !p->live_view->property->states)
		return NORN_LATTICE_NO_POSITION;
	/* Out of memory is noticed by apply, which does the same. */
	if (norn_valuation_table_look(&p->valuation_table, before, position) != 0 ||
	        !norn_view_letter(p->live_view->view, &p->valuation_table.moment, p->keys, &l))
		return NORN_LATTICE_NO_POSITION;
	*ret_letter = l.yes;
	*ret_unknown = l.unknown;
	return l.sure ? NORN_LATTICE_POSITION : NORN_LATTICE_MAYBE;
}

/* Violations at the same line are the same. */
static uint64_t kind(void *context, uint32_t monitor, struct norn_lattice_event event)
{
	(void)monitor;
	return event.thread == NORN_LATTICE_BEGIN ? 0 : position_of(context, event)->site;
}

static bool attempt_runner(void *context)
{
	return norn_valuation_table_sweep(&((struct norn_live_instance *)context)->valuation_table);
}

static uint32_t rename_world(void *context, uint32_t world)
{
	return norn_valuation_table_rename(&((struct norn_live_instance *)context)->valuation_table, world);
}

static int swept(void *context)
{
	return norn_valuation_table_swept(&((struct norn_live_instance *)context)->valuation_table);
}

/* The lattice counts its own memory only. */
static bool has_room(void *context, const struct norn_lattice_progress *progress)
{
	const struct norn_live_instance *p = context;
	const struct norn_live_search *o = p->live_view->live_search;
	if (o->options.breathe)
		o->options.breathe(o->options.context);
	return !o->options.max_memory ||
	       norn_valuation_table_bytes(&p->valuation_table) + o->kept_bytes + progress->memory <= o->options.max_memory;
}

/* ---- life ---- */

int norn_live_instance_new(struct norn_live_view *v, const struct norn_value *keys, struct norn_live_instance **ret_prospect)
{
	const struct norn_live_search *o = v->live_search;
	struct norn_live_instance *p = calloc(1, sizeof *p);
	if (!p)
		return -ENOMEM;
	p->live_view = v;
	p->keys = keys;
	struct norn_lattice_model model = {.context = p,
	        .apply = apply,
	        .letter = letter,
	        .kind = kind,
	        .renumber_begin = attempt_runner,
	        .rename = rename_world,
	        .renumber_end = swept};
	struct norn_lattice_options options = {.workers = keys ? 1 : o->options.workers,
	        .max_cuts = o->options.max_cuts,
	        .max_memory = o->options.max_memory,
	        .beam = o->options.beam,
	        .context = p,
	        .progress = has_room,
	        .violations = o->options.all ? NORN_LIVE_INSTANCE_FINDINGS : 1};
	struct norn_stepper stepper = norn_stepper_of(v->monitor, v->property, true);
	int r = norn_valuation_table_init(&p->valuation_table, o->binding, o->start);
	if (r == 0)
		r = norn_lattice_new(&model, &stepper, 1, &options, &p->stream);
	if (r == 0)
		*ret_prospect = p;
	else
		norn_live_instance_free(p);
	return r;
}

void norn_live_instance_free(struct norn_live_instance *p)
{
	if (!p)
		return;
	norn_lattice_free(p->stream);
	if (p->valuation_table.binding)
		norn_valuation_table_done(&p->valuation_table);
	for (uint32_t t = 0; t < p->lane_count; t++)
		free(p->lanes[t].list);
	free(p->lanes);
	free(p->marks);
	free(p);
}

int norn_live_instance_widen(struct norn_live_instance *p, uint32_t threads)
{
	return p->stream ? norn_valuation_table_widen(&p->valuation_table, threads) : 0;
}

static int reserve_marks(struct norn_live_instance *p, uint32_t count)
{
	if (count <= p->mark_count)
		return 0;
	struct norn_mark *marks = realloc(p->marks, count * sizeof *marks);
	if (!marks)
		return -ENOMEM;
	memset(marks + p->mark_count, 0, (count - p->mark_count) * sizeof *marks);
	p->marks = marks;
	p->mark_count = count;
	return 0;
}

/* The lane of a thread, made if it has none. */
static int lane_for(struct norn_live_instance *p, uint32_t thread, uint32_t *ret_lane)
{
	int r = reserve_marks(p, thread + 1);
	if (r != 0)
		return r;
	if (!p->marks[thread].lane) {
		struct norn_lane *lanes = realloc(p->lanes, (p->lane_count + 1ul) * sizeof *lanes);
		if (!lanes)
			return -ENOMEM;
		p->lanes = lanes;
		r = norn_lattice_thread(p->stream, p->lane_count);
		if (r != 0)
			return r;
		lanes[p->lane_count++] = (struct norn_lane){.thread = thread};
		p->marks[thread].lane = p->lane_count;
	}
	*ret_lane = p->marks[thread].lane - 1;
	return 0;
}

static const struct norn_lane *lane_of(const struct norn_live_instance *p, uint32_t thread)
{
	uint32_t lane = thread < p->mark_count ? p->marks[thread].lane : 0;
	return lane ? &p->lanes[lane - 1] : NULL;
}

/* ---- events ---- */

/* How many of its events of a thread are among the first so many of all that came. */
static uint32_t rank(const struct norn_live_instance *p, uint32_t thread, uint32_t among)
{
	const struct norn_lane *lane = lane_of(p, thread);
	uint32_t low = 0, high = lane ? lane->count : 0;
	if (high && lane->list[high - 1]->sent <= among)
		return high;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (lane->list[middle]->sent <= among)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int append(struct norn_lane *lane, const struct norn_live_kept *kept)
{
	if (lane->count == lane->room) {
		uint32_t room = lane->room ? 2 * lane->room : 8;
		const struct norn_live_kept **list = realloc(lane->list, room * sizeof(*list));
		if (!list)
			return -ENOMEM;
		lane->list = list;
		lane->room = room;
	}
	lane->list[lane->count++] = kept;
	return 0;
}

static uint64_t place_of(const struct norn_live_kept *kept)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < kept->entries; i++)
		sum += kept->clock[i].count;
	return kept->number ? kept->number : sum;
}

int norn_live_instance_add(struct norn_live_instance *p, const struct norn_live_kept *kept)
{
	uint32_t at;
	if (!p->stream || norn_lattice_is_over(p->stream))
		return 0;
	int r = lane_for(p, kept->thread, &at);
	if (r != 0)
		return r;
	struct norn_lane *lane = &p->lanes[at];
	if (lane->count && lane->list[lane->count - 1] == kept)
		return 0;
	uint32_t *clock = calloc(p->lane_count, sizeof *clock);
	if (!clock)
		return -ENOMEM;
	for (uint32_t i = 0; i < kept->entries; i++) {
		uint32_t events = rank(p, kept->clock[i].thread, kept->clock[i].count);
		if (events)
			clock[p->marks[kept->clock[i].thread].lane - 1] = events;
	}
	clock[at] = lane->count + 1;
	r = append(lane, kept);
	if (r == 0)
		r = norn_lattice_add(p->stream, at, clock, p->lane_count, place_of(kept));
	free(clock);
	return r;
}

/* ---- how far threads are ---- */

static uint64_t seen_by(const struct norn_live_instance *p, const struct norn_live_search_thread *t)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < t->entries; i++)
		sum += rank(p, t->clock[i].thread, t->clock[i].count);
	return sum;
}

/* A thread that waits for another comes after all that this one does. */
static bool pass_on(struct norn_live_instance *p)
{
	const struct norn_live_search *o = p->live_view->live_search;
	bool news = false;
	for (uint32_t t = 0; t < p->mark_count; t++) {
		uint32_t joined = o->threads[t].waits_for;
		if (!joined || joined > p->mark_count || p->marks[joined - 1].bound <= p->marks[t].bound)
			continue;
		p->marks[t].bound = p->marks[joined - 1].bound;
		news = true;
	}
	return news;
}

static int set_bounds(struct norn_live_instance *p)
{
	const struct norn_live_search *o = p->live_view->live_search;
	uint64_t hold = UINT64_MAX;
	int r = reserve_marks(p, o->thread_count);
	if (r != 0)
		return r;
	for (uint32_t t = 0; t < p->mark_count; t++) {
		struct norn_mark *m = &p->marks[t];
		uint64_t bound = m->version == o->threads[t].version ? 0 : seen_by(p, &o->threads[t]);
		m->version = o->threads[t].version;
		m->bound = bound > m->bound ? bound : m->bound;
	}
	for (uint32_t i = 0; i < p->mark_count && pass_on(p); i++)
		;
	for (uint32_t t = 0; t < p->mark_count; t++)
		if (p->marks[t].lane) {
			norn_lattice_bound(p->stream, p->marks[t].lane - 1, p->marks[t].bound);
			if (o->threads[t].ended)
				norn_lattice_end(p->stream, p->marks[t].lane - 1);
		} else if (o->threads[t].known && !o->threads[t].ended && p->marks[t].bound < hold) {
			hold = p->marks[t].bound;
		}
	norn_lattice_hold(p->stream, hold);
	return 0;
}

/* ---- findings ---- */

/* Is this the beginning of a run? From the definition, with the clocks as they came: every event of ours that precedes a step is before
 * it. 0, or -EINVAL and what is wrong, -ENOMEM. */
static int check_order(const struct norn_live_instance *p, const struct norn_lattice_violation *v, struct norn_error *err)
{
	uint32_t *done = calloc(p->lane_count + 1ul, sizeof *done);
	int r = done ? 0 : -ENOMEM;
	for (uint64_t i = 0; r == 0 && i < v->length; i++) {
		uint32_t at = v->events[i].thread;
		if (at >= p->lane_count || v->events[i].k != done[at] || done[at] >= p->lanes[at].count) {
			r = norn_error_set(err, -EINVAL, "step %llu is not its thread's next event", (unsigned long long)i + 1);
			break;
		}
		const struct norn_live_kept *kept = p->lanes[at].list[done[at]++];
		for (uint32_t k = 0; r == 0 && k < kept->entries; k++) {
			const struct norn_lane *lane = lane_of(p, kept->clock[k].thread);
			uint32_t next = lane ? done[lane - p->lanes] : 0;
			if (lane && next < lane->count && lane->list[next]->sent <= kept->clock[k].count)
				r = norn_error_set(err, -EINVAL, "step %llu comes before an event that precedes it",
				        (unsigned long long)i + 1);
		}
	}
	for (uint32_t t = 0; r == 0 && v->at_end && t < p->lane_count; t++)
		if (done[t] != p->lanes[t].count)
			r = norn_error_set(err, -EINVAL, "the run does not end there");
	free(done);
	return r;
}

/* Is it the observed run? Only if all that happened until its last step has come can that be told. */
static bool is_observed(const struct norn_live_instance *p, const struct norn_lattice_violation *v)
{
	uint64_t last = 0;
	for (uint64_t i = 0; i < v->length; i++) {
		uint64_t number = p->lanes[v->events[i].thread].list[v->events[i].k]->number;
		if (number <= last)
			return false;
		last = number;
	}
	uint64_t before = 0;
	for (uint32_t t = 0; t < p->lane_count; t++)
		for (uint32_t k = 0; k < p->lanes[t].count && p->lanes[t].list[k]->number <= last; k++)
			before++;
	return before == v->length && p->live_view->live_search->complete_to >= last;
}

/* "2 of 3 runs violate it; 6 cuts in 4 levels" */
static const char *extent_of(const struct norn_live_instance *p, bool over)
{
	const struct norn_lattice_result *result = norn_lattice_result(p->stream);
	struct norn_findings *findings = p->live_view->live_search->findings;
	const char *text = "";
	if (result->counted) {
		char *runs = norn_bignum_text(&result->runs), *wrong = norn_bignum_text(&result->monitors[0].violating);
		if (runs && wrong)
			text = norn_findings_text(findings, "%s of %s runs that this run stands for violate it; ", wrong, runs);
		free(runs);
		free(wrong);
	}
	return norn_findings_text(findings, "%s%llu cuts in %llu levels%s", text, (unsigned long long)result->cuts,
	        (unsigned long long)result->levels, over ? "" : " so far");
}

static int show(struct norn_live_instance *p, const struct norn_lattice_violation *violation, struct norn_error *err)
{
	struct norn_live_view *v = p->live_view;
	struct norn_live_search *o = v->live_search;
	struct norn_error why = {0};
	const struct norn_position **steps = malloc((violation->length + 1) * sizeof(*steps));
	if (!steps)
		return norn_error_no_memory(err);
	for (uint64_t i = 0; i < violation->length; i++)
		steps[i] = position_of(p, violation->events[i]);
	struct norn_candidate claim = {.binding = o->binding,
	        .sources = o->sources,
	        .view = v->view,
	        .monitor = v->monitor,
	        .keys = p->keys,
	        .start = o->start,
	        .steps = steps,
	        .count = (uint32_t)violation->length,
	        .at_end = violation->at_end,
	        .extent = extent_of(p, false)};
	uint32_t before = o->findings->count;
	int r = check_order(p, violation, &why);
	if (r == 0)
		r = norn_candidate_settle(&claim, o->findings, err);
	else
		r = r == -EINVAL && norn_candidate_refuse(&claim, why.message, o->findings) == 0 ? 0 : norn_error_no_memory(err);
	if (r == 0 && o->findings->count > before) {
		if (p->finding_count < NORN_LIVE_INSTANCE_FINDINGS)
			p->findings[p->finding_count++] = before;
		if (is_observed(p, violation))
			o->findings->list[before].status = "observed";
	}
	free(steps);
	return r;
}

static int show_news(struct norn_live_instance *p, struct norn_error *err)
{
	const struct norn_lattice_result *result = norn_lattice_result(p->stream);
	int r = 0;
	while (r == 0 && p->shown < result->violation_count)
		r = show(p, &result->violations[p->shown++], err);
	return r;
}

/* ---- the search ---- */

static int failed(const struct norn_live_instance *p, int r, struct norn_error *err)
{
	return norn_error_set(
	        err, r, "the lattice of property %s could not be searched: %s", p->live_view->property->name, strerror(-r));
}

int norn_live_instance_climb(struct norn_live_instance *p, bool whole, struct norn_error *err)
{
	(void)whole;
	if (!p->stream || p->finished)
		return 0;
	if (p->changes == p->live_view->live_search->changes)
		return 0;
	p->changes = p->live_view->live_search->changes;
	int r = set_bounds(p);
	if (r == 0)
		r = norn_lattice_advance(p->stream);
	if (r != 0)
		return failed(p, r, err);
	r = show_news(p, err);
	/* Nothing can come of it any more: its memory may go. */
	if (r == 0 && p->ended && !p->live_view->common_events)
		r = norn_live_instance_finish(p, true, err);
	return r;
}

int norn_live_instance_probe(struct norn_live_instance *p, bool whole, struct norn_error *err)
{
	(void)whole;
	if (!p->stream || p->finished || norn_lattice_events(p->stream) == p->probed)
		return 0;
	p->probed = norn_lattice_events(p->stream);
	int r = norn_lattice_probe(p->stream, PROBE_CUTS);
	return r == 0 ? show_news(p, err) : failed(p, r, err);
}

static int say_limit(const struct norn_live_instance *p, const struct norn_lattice_result *result)
{
	struct norn_findings *findings = p->live_view->live_search->findings;
	if (result->limit == NORN_LATTICE_COMPLETE)
		return 0;
	findings->stats.complete = false;
	return norn_findings_note(findings, "property %s: the search was cut short by --%s at level %llu, after %llu cuts",
	        p->live_view->property->name,
	        result->limit == NORN_LATTICE_STOPPED ? "max-memory" : norn_lattice_limit_name(result->limit),
	        (unsigned long long)result->limit_level, (unsigned long long)result->cuts);
}

int norn_live_instance_finish(struct norn_live_instance *p, bool whole, struct norn_error *err)
{
	if (!p->stream || p->finished)
		return 0;
	struct norn_findings *findings = p->live_view->live_search->findings;
	const struct norn_lattice_result *result = norn_lattice_result(p->stream);
	p->finished = true;
	int r = norn_lattice_finish(p->stream, whole);
	if (r != 0)
		return failed(p, r, err);
	r = show_news(p, err);
	findings->stats.cuts += result->cuts;
	if (r == 0 && say_limit(p, result) != 0)
		r = norn_error_no_memory(err);
	for (uint32_t i = 0; i < p->finding_count; i++)
		findings->list[p->findings[i]].extent = extent_of(p, true);
	norn_lattice_free(p->stream);
	p->stream = NULL;
	norn_valuation_table_done(&p->valuation_table);
	return r;
}

uint64_t norn_live_instance_bytes(const struct norn_live_instance *p)
{
	return p->stream ? norn_lattice_bytes(p->stream) + norn_valuation_table_bytes(&p->valuation_table) : 0;
}
