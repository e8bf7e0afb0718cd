#include "predict/live_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "judge/recorded/recorded_match.h"
#include "predict/search.h"

struct live_thread {
	NORN_VECTOR(struct norn_clock_entry) clock; /* of its last event, or of its fork */
	uint32_t version; /* grows with it; 0: nothing has come */
	uint32_t waits_for; /* 1 + the thread that it joins, 0: none */
	bool known, ended;
};

struct norn_live_search {
	struct norn_property_search search;
	struct norn_recorded_match *match;
	uint32_t room; /* threads that valuations have room for */
	uint64_t numbered, highest; /* events with a number, and the highest one */
	uint64_t changes, probed; /* changes grows with all that comes; probed: its value at the last probe */
	NORN_VECTOR(struct live_thread) threads;
};

/* ---- checking what was found ---- */

/* Is this the beginning of a run? From the definition, with the clocks as they came: every event of the instance that precedes a
 * step is before it. 0, or -EINVAL and what is wrong. */
static int check_order(const struct norn_projection *p, const struct norn_lattice_violation *v, struct norn_error *err)
{
	uint32_t *done = norn_must_calloc(p->columns.count, sizeof *done);
	int r = 0;
	for (uint64_t i = 0; r == 0 && i < v->length; i++) {
		uint32_t at = v->events[i].thread;
		if (at >= p->columns.count || v->events[i].k != done[at] || done[at] >= p->columns.items[at].events.count) {
			r = norn_error_set(err, -EINVAL, "step %llu is not its thread's next event", (unsigned long long)i + 1);
			break;
		}
		const struct norn_projected *kept = norn_projection_event(p, at, done[at]++);
		for (uint32_t k = 0; r == 0 && k < kept->entries; k++) {
			const struct norn_projection_column *column = norn_projection_find(p, kept->clock[k].thread);
			uint32_t next = column ? done[column - p->columns.items] : 0;
			if (column && next < column->events.count && column->events.items[next]->nth <= kept->clock[k].count)
				r = norn_error_set(err, -EINVAL, "step %llu comes before an event that precedes it",
				        (unsigned long long)i + 1);
		}
	}
	for (uint32_t c = 0; r == 0 && v->at_end && c < p->columns.count; c++)
		if (done[c] != p->columns.items[c].events.count)
			r = norn_error_set(err, -EINVAL, "the run does not end there");
	free(done);
	return r;
}

/* Is it the observed run? Only if all that happened until its last step has come can that be told. */
static bool is_observed(const struct norn_instance_search *i, const struct norn_lattice_violation *v)
{
	const struct norn_projection *p = &i->projection;
	uint64_t last = 0, before = 0;
	for (uint64_t k = 0; k < v->length; k++) {
		uint64_t number = norn_projection_event(p, v->events[k].thread, v->events[k].k)->number;
		if (number <= last)
			return false;
		last = number;
	}
	for (uint32_t c = 0; c < p->columns.count; c++)
		for (uint32_t k = 0; k < p->columns.items[c].events.count && norn_projection_event(p, c, k)->number <= last; k++)
			before++;
	return before == v->length && i->search->complete_to >= last;
}

static int found(struct norn_instance_search *i, const struct norn_lattice_violation *violation, struct norn_candidate *candidate,
        struct norn_error *err)
{
	struct norn_findings *findings = i->search->findings;
	struct norn_error why = {0};
	uint32_t before = findings->count;
	if (check_order(&i->projection, violation, &why) != 0) {
		norn_candidate_refuse(candidate, why.message, findings);
		return 0;
	}
	int r = norn_candidate_check(candidate, findings, err);
	if (r == 0 && findings->count > before) {
		if (i->finding_count < NORN_SEARCH_VIOLATIONS)
			i->findings[i->finding_count++] = before;
		if (is_observed(i, violation))
			findings->list[before].status = "observed";
	}
	return r;
}

/* ---- life ---- */

static bool has_pointers(const struct norn_spec *spec, const struct norn_influence *influence)
{
	for (uint32_t i = 0; i < spec->place_count; i++)
		if (influence->places[i] && spec->places[i].hops > 1)
			return true;
	for (uint32_t e = 0; e < spec->event_count; e++)
		for (uint32_t s = 0; influence->events[e] && s < spec->events[e].selector_count; s++) {
			const struct norn_checked_selector *x = &spec->events[e].selectors[s];
			if (x->kind >= NORN_POINT_READ && x->kind <= NORN_POINT_UNLOCK && spec->places[x->place].hops > 1)
				return true;
		}
	return false;
}

/* Properties that go through pointers are given up before the first event. */
static void refuse_pointers(struct norn_property_search *s)
{
	for (uint32_t i = 0; i < s->group_count; i++) {
		const struct norn_searched_property *p = s->groups[i].members[0];
		if (!has_pointers(s->binding->spec, &p->influence))
			continue;
		s->groups[i].given_up = "it goes through pointers";
		norn_findings_partial(s->findings, NORN_REASON_PROPERTY, 1, "judge it by norn record and norn check",
		        "property %s is not judged while the program runs: it goes through pointers", p->property->name);
	}
}

static const char *add_name(struct norn_findings *findings, const char *names, const char *name)
{
	return norn_findings_text(findings, "%s%s%s", names, *names ? ", " : "", name);
}

static int add_properties(struct norn_property_search *s, struct norn_error *err)
{
	const struct norn_spec *spec = s->binding->spec;
	const char *others = "", *loops = "", *sliced = "";
	bool any = false;
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < spec->property_count; i++) {
		const struct norn_property *p = &spec->properties[i];
		bool wanted = norn_search_wants(p, &s->options);
		if (wanted)
			r = norn_search_add_property(s, p, err);
		else
			others = add_name(s->findings, others, p->name);
		if (wanted && p->predict == NORN_PREDICT_SLICED)
			sliced = add_name(s->findings, sliced, p->name);
		any |= wanted && p->predict == NORN_PREDICT_DEFAULT;
		if (p->liveness)
			loops = add_name(s->findings, loops, p->name);
	}
	if (r != 0)
		return r;
	norn_search_make_groups(s, false);
	refuse_pointers(s);
	for (uint32_t i = 0; i < spec->scope_count; i++)
		others = add_name(s->findings, others, spec->scopes[i].name);
	if (*loops)
		norn_findings_note(
		        s->findings, "loops that could go on for ever are not looked for while the program runs: %s", loops);
	if (*sliced)
		norn_findings_partial(s->findings, NORN_REASON_PROPERTY, 1, "judge these by norn record and norn check",
		        "not judged by sliced causality while the program runs, only under mvc, which allows fewer runs: %s",
		        sliced);
	else if (any)
		norn_findings_note(s->findings, "while the program runs properties are judged under mvc; norn record and norn "
		                                "check judge by sliced causality, "
		                                "which allows more runs");
	if (*others)
		norn_findings_partial(s->findings, NORN_REASON_PROPERTY, 1, "judge these by norn record and norn check",
		        "not judged while the program runs: %s", others);
	return 0;
}

int norn_live_search_new(const struct norn_sources *sources, struct norn_binding *binding,
        const struct norn_property_search_options *options, struct norn_findings *findings, struct norn_live_search **ret_search,
        struct norn_error *err)
{
	struct norn_live_search *l = norn_must_alloc(1, sizeof *l);
	*l = (struct norn_live_search){.search = {.sources = sources,
	                                       .binding = binding,
	                                       .options = *options,
	                                       .findings = findings,
	                                       .live = true,
	                                       .found = found},
	        .room = binding->threads};
	l->match = norn_recorded_match_new(binding, NULL);
	l->search.start = norn_recorded_match_start(l->match);
	norn_search_init(&l->search);
	int r = add_properties(&l->search, err);
	if (r == 0)
		*ret_search = l;
	else
		norn_live_search_free(l);
	return r;
}

void norn_live_search_free(struct norn_live_search *l)
{
	if (!l)
		return;
	norn_search_done(&l->search);
	for (uint32_t t = 0; t < l->threads.count; t++)
		norn_vector_done(&l->threads.items[t].clock);
	norn_vector_done(&l->threads);
	norn_recorded_match_free(l->match);
	free(l);
}

/* ---- threads ---- */

static struct live_thread *thread_of(struct norn_live_search *l, uint32_t thread)
{
	while (l->threads.count <= thread)
		norn_must_add(&l->threads);
	return &l->threads.items[thread];
}

/* The clock that a thread's next event comes after. */
static void note_clock(struct live_thread *t, const uint32_t *clock, uint32_t width)
{
	t->clock.count = 0;
	for (uint32_t j = 0; j < width; j++)
		if (clock[j])
			norn_must_push(&t->clock, (struct norn_clock_entry){j, clock[j]});
	t->version++;
}

/* The binding may have got room for more threads, which valuations have to follow. */
static void follow_binding(struct norn_live_search *l)
{
	const struct norn_property_search *s = &l->search;
	if (l->room == s->binding->threads)
		return;
	for (uint32_t g = 0; g < s->group_count; g++)
		for (uint32_t k = 0; k < s->groups[g].instances.count; k++) {
			struct norn_instance_search *i = s->groups[g].instances.items[k]->open;
			if (i->lattice)
				norn_valuation_table_widen(&i->valuations, l->room);
		}
	l->room = s->binding->threads;
}

int norn_live_search_thread(struct norn_live_search *l, uint32_t thread, const uint32_t *clock, uint32_t width)
{
	struct live_thread *t = thread_of(l, thread);
	l->changes++;
	if (t->version)
		return 0;
	t->known = true;
	note_clock(t, clock, width);
	return 0;
}

void norn_live_search_wait(struct norn_live_search *l, uint32_t thread, uint32_t joined)
{
	l->changes++;
	if (thread < l->threads.count)
		l->threads.items[thread].waits_for = joined + 1;
}

void norn_live_search_end(struct norn_live_search *l, uint32_t thread)
{
	l->changes++;
	if (thread < l->threads.count)
		l->threads.items[thread].ended = true;
}

/* ---- events ---- */

static void note_number(struct norn_live_search *l, uint64_t number)
{
	l->numbered += number > 0;
	l->highest = number > l->highest ? number : l->highest;
	if (l->numbered == l->highest)
		l->search.complete_to = l->highest;
}

static const struct norn_projected *keep(struct norn_live_search *l, const struct norn_position *position, uint64_t number)
{
	const struct live_thread *t = &l->threads.items[position->thread];
	struct norn_projected *kept = norn_search_keep(&l->search, position, t->clock.count, number);
	for (uint32_t i = 0; i < t->clock.count; i++) {
		kept->clock[kept->entries++] = t->clock.items[i];
		if (t->clock.items[i].thread == position->thread)
			kept->nth = t->clock.items[i].count;
	}
	return kept;
}

int norn_live_search_event(
        struct norn_live_search *l, const struct norn_event *event, const uint32_t *clock, uint32_t width, uint64_t number)
{
	const struct norn_projected *kept = NULL;
	if (event->thread >= width || clock[event->thread] == 0)
		return -EBADMSG;
	struct live_thread *t = thread_of(l, event->thread);
	note_clock(t, clock, width);
	t->known = true;
	t->waits_for = 0;
	follow_binding(l);
	l->changes++;
	note_number(l, number);
	const struct norn_position *p = norn_recorded_match_event(l->match, event);
	if (!p)
		return 0;
	if (norn_search_concerns(&l->search, p)) {
		kept = keep(l, p, number);
		p = kept->position;
		l->search.findings->stats.relevant++;
	}
	return norn_search_distribute(&l->search, p, kept);
}

/* ---- how far threads are ---- */

static uint64_t seen_by(const struct norn_projection *p, const struct live_thread *t)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < t->clock.count; i++)
		sum += norn_projection_rank(p, t->clock.items[i].thread, t->clock.items[i].count);
	return sum;
}

/* A thread that waits for another comes after all that this one does. Does a bound rise? */
static bool raise_waiting(const struct norn_live_search *l, struct norn_instance_search *i)
{
	bool raised = false;
	for (uint32_t t = 0; t < i->bound_count; t++) {
		uint32_t joined = l->threads.items[t].waits_for;
		if (!joined || joined > i->bound_count || i->bounds[joined - 1].bound <= i->bounds[t].bound)
			continue;
		i->bounds[t].bound = i->bounds[joined - 1].bound;
		raised = true;
	}
	return raised;
}

/* Tells the lattice how many events all that each thread may still do comes after. */
static void set_bounds(const struct norn_live_search *l, struct norn_instance_search *i)
{
	uint64_t hold = UINT64_MAX;
	if (i->bound_count < l->threads.count) {
		i->bounds = norn_must_realloc(i->bounds, l->threads.count, sizeof *i->bounds);
		memset(i->bounds + i->bound_count, 0, (l->threads.count - i->bound_count) * sizeof *i->bounds);
		i->bound_count = l->threads.count;
	}
	for (uint32_t t = 0; t < i->bound_count; t++) {
		struct norn_thread_bound *b = &i->bounds[t];
		const struct live_thread *thread = &l->threads.items[t];
		uint64_t bound = b->version == thread->version ? 0 : seen_by(&i->projection, thread);
		b->version = thread->version;
		b->bound = bound > b->bound ? bound : b->bound;
	}
	for (uint32_t n = 0; n < i->bound_count && raise_waiting(l, i); n++)
		;
	for (uint32_t t = 0; t < i->bound_count; t++) {
		const struct norn_projection_column *column = norn_projection_find(&i->projection, t);
		const struct live_thread *thread = &l->threads.items[t];
		if (column) {
			uint32_t at = (uint32_t)(column - i->projection.columns.items);
			norn_lattice_bound(i->lattice, at, i->bounds[t].bound);
			if (thread->ended)
				norn_lattice_end(i->lattice, at);
		} else if (thread->known && !thread->ended && i->bounds[t].bound < hold) {
			hold = i->bounds[t].bound;
		}
	}
	norn_lattice_hold(i->lattice, hold);
}

/* ---- the search ---- */

static int finish(struct norn_instance_search *i, bool whole, struct norn_error *err)
{
	int r = norn_instance_search_finish(i, whole, err);
	return r == 0 ? norn_instance_search_report(i, err) : r;
}

static int advance(
        struct norn_live_search *l, struct norn_property_group *g, struct norn_searched_instance *instance, struct norn_error *err)
{
	struct norn_instance_search *i = instance->open;
	if (i->changes == l->changes)
		return 0;
	i->changes = l->changes;
	set_bounds(l, i);
	int r = norn_instance_search_advance(i, err);
	/* No event can concern it any more: its memory may go. */
	if (r == 0 && instance->ended && !g->may_be_common)
		r = finish(i, true, err);
	return r;
}

enum job { ADVANCE, PROBE, FINISH, FINISH_WHOLE };

static int each(struct norn_live_search *l, enum job job, struct norn_error *err)
{
	int r = 0;
	follow_binding(l); /* a thread may have become known since the last event */
	for (uint32_t n = 0; n < l->search.group_count; n++) {
		struct norn_property_group *g = &l->search.groups[n];
		for (uint32_t k = 0; r == 0 && k < g->instances.count && !g->given_up; k++) {
			struct norn_instance_search *i = g->instances.items[k]->open;
			if (!i->lattice)
				continue; /* it is finished */
			r = job == ADVANCE ? advance(l, g, g->instances.items[k], err)
			    : job == PROBE ? norn_instance_search_probe(i, err)
			                   : finish(i, job == FINISH_WHOLE, err);
		}
	}
	return r;
}

int norn_live_search_advance(struct norn_live_search *l, struct norn_error *err)
{
	return each(l, ADVANCE, err);
}

int norn_live_search_probe(struct norn_live_search *l, struct norn_error *err)
{
	l->probed = l->changes;
	return each(l, PROBE, err);
}

bool norn_live_search_has_news(const struct norn_live_search *l)
{
	return l->probed != l->changes;
}

int norn_live_search_finish(struct norn_live_search *l, bool whole, struct norn_error *err)
{
	follow_binding(l);
	/* Position 0 may violate, and with it runs without events. */
	for (uint32_t n = 0; n < l->search.group_count; n++) {
		struct norn_property_group *g = &l->search.groups[n];
		struct norn_searched_instance *only;
		int r = g->given_up || g->members[0]->property->key_count ? 0 : norn_search_only_instance(g, &only);
		if (r != 0)
			return norn_error_set(err, r, "the lattice of property %s could not be searched: %s",
			        g->members[0]->property->name, strerror(-r));
	}
	return each(l, whole ? FINISH_WHOLE : FINISH, err);
}
