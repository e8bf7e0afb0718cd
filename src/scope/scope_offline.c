#include "scope/scope_offline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "scope/scope_channel.h"
#include "judge/finding_id.h"
#include "causality/relevant_happens_before.h"
#include "judge/recorded/recent_positions.h"
#include "judge/recorded/report_message.h"
#include "trace/record.h"

#define SHOWN_MAX 40u /* events of a region that a finding shows */
#define ARGUMENTS_MAX 16u

/* An action, or an event of a local. */
struct offline_event {
	uint32_t thread, count; /* number of it among the thread's relevant events */
	struct norn_past past;
};

/* A thread in a channel_threads. */
struct offline_member {
	struct norn_seat *seat;
	struct offline_event last; /* its last event in the region; count 0: none */
};

/* A channel and its threads. */
struct channel_threads {
	struct norn_scope_channel *channel;
	struct offline_member *members; /* by thread */
	struct offline_event action; /* that began the region; count 0: the begin of the run */
	struct norn_past shown[SHOWN_MAX]; /* its first events */
	uint32_t shown_count;
	uint64_t events;
	bool loose; /* some event of the region is not ordered with the actions around it */
};

/* Deviations from the paper's assumptions. */
struct flaw {
	uint64_t count;
	struct norn_past first, second;
};

struct reported_violation {
	struct norn_finding finding;
	char id[20];
};

struct offline_scope {
	const struct norn_scope *scope;
	struct norn_scope_machines *scoping;
	struct norn_view **locals, **checks;
	struct channel_threads *channel_threads; /* the only one; NULL if nested */
	struct channel_threads **nested; /* by thread */
	struct flaw unordered, loose;
	NORN_VECTOR(struct reported_violation) violations;
	bool given_up; /* whether something happened is not known */
	uint64_t regions, judged;
};

struct norn_scope_offline {
	const struct norn_sources *sources;
	const struct norn_binding *binding;
	struct norn_relevant_hb happens;
	struct offline_scope *scopes;
	uint32_t count;
	uint32_t threads; /* room of what is kept per thread */
	uint32_t *parents; /* per thread: 1 + the thread that forked it */
	bool *seated;
	uint64_t *letters; /* of the event: per local of all scopes */
	bool *happened; /* whether it is one to the local: a letter may have no atom that holds */
	uint32_t last_thread;
	bool lost;
};

/* ---- life ---- */

static struct channel_threads *channel_threads_new(const struct norn_scope_offline *s, const struct norn_scope_machines *scoping)
{
	struct channel_threads *f = norn_must(aligned_alloc(_Alignof(struct channel_threads), sizeof *f));
	memset(f, 0, sizeof *f);
	size_t bytes = s->threads * sizeof *f->members;
	f->members = norn_must(aligned_alloc(_Alignof(struct offline_member), bytes));
	norn_must_do(norn_scope_channel_new(scoping, &f->channel));
	memset(f->members, 0, bytes);
	f->channel->trusted = true; /* the order is checked here */
	return f;
}

static void channel_threads_free(struct channel_threads *f)
{
	if (!f)
		return;
	norn_scope_channel_free(f->channel);
	free(f->members);
	free(f);
}

static int scope_init(
        struct norn_scope_offline *s, const struct norn_scope *scope, struct offline_scope *ret, struct norn_error *err)
{
	ret->scope = scope;
	int r = norn_scope_machines_new(s->binding->spec, scope, &ret->scoping, err);
	if (r != 0)
		return r;
	ret->locals = norn_must_calloc(scope->local_count, sizeof *ret->locals);
	ret->checks = norn_must_calloc(scope->check_count, sizeof *ret->checks);
	ret->nested = norn_must_calloc(s->threads, sizeof *ret->nested);
	for (uint32_t i = 0; i < scope->local_count; i++)
		ret->locals[i] = norn_view_new(s->binding, &scope->locals[i].property);
	for (uint32_t i = 0; i < scope->check_count; i++)
		ret->checks[i] = norn_view_new(s->binding, &scope->checks[i].property);
	if (!scope->nested)
		ret->channel_threads = channel_threads_new(s, ret->scoping);
	return 0;
}

static void scope_done(struct norn_scope_offline *s, struct offline_scope *scope)
{
	for (uint32_t i = 0; scope->locals && i < scope->scope->local_count; i++)
		norn_view_free(scope->locals[i]);
	for (uint32_t i = 0; scope->checks && i < scope->scope->check_count; i++)
		norn_view_free(scope->checks[i]);
	for (uint32_t i = 0; scope->nested && i < s->threads; i++)
		channel_threads_free(scope->nested[i]);
	channel_threads_free(scope->channel_threads);
	norn_scope_machines_free(scope->scoping);
	free(scope->locals);
	free(scope->checks);
	free(scope->nested);
	norn_vector_done(&scope->violations);
}

int norn_scope_offline_new(const struct norn_sources *sources, const struct norn_binding *binding,
        struct norn_scope_offline **ret_scoped, struct norn_error *err)
{
	const struct norn_spec *spec = binding->spec;
	uint32_t locals = 0;
	*ret_scoped = NULL;
	if (spec->scope_count == 0)
		return 0;
	struct norn_scope_offline *s = norn_must_calloc(1, sizeof *s);
	*s = (struct norn_scope_offline){.sources = sources, .binding = binding, .threads = binding->threads + 1};
	for (uint32_t i = 0; i < spec->scope_count; i++)
		locals += spec->scopes[i].local_count;
	s->scopes = norn_must(aligned_alloc(_Alignof(struct offline_scope), spec->scope_count * sizeof *s->scopes));
	s->parents = norn_must_calloc(s->threads, sizeof *s->parents);
	s->seated = norn_must_calloc(s->threads, sizeof *s->seated);
	s->letters = norn_must_calloc(locals, sizeof *s->letters);
	s->happened = norn_must_calloc(locals, sizeof *s->happened);
	norn_relevant_hb_init(&s->happens, binding->trace);
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < spec->scope_count; i++) {
		memset(&s->scopes[s->count], 0, sizeof *s->scopes);
		r = scope_init(s, &spec->scopes[i], &s->scopes[s->count++], err);
	}
	if (r != 0) {
		norn_scope_offline_free(s);
		return r;
	}
	*ret_scoped = s;
	return 0;
}

void norn_scope_offline_free(struct norn_scope_offline *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->count; i++)
		scope_done(s, &s->scopes[i]);
	norn_relevant_hb_done(&s->happens);
	free(s->scopes);
	free(s->parents);
	free(s->seated);
	free(s->letters);
	free(s->happened);
	free(s);
}

/* ---- threads ---- */

static uint64_t types_of(const struct norn_binding *b, uint32_t thread)
{
	return thread < b->threads ? b->types[thread] : 0;
}

/* The seat of the thread: in the only channel_threads, or in that of the thread that forked it. */
static struct channel_threads *channel_threads_of(
        const struct norn_scope_offline *s, const struct offline_scope *scope, uint32_t thread)
{
	if (!scope->scope->nested)
		return scope->channel_threads;
	return s->parents[thread] ? scope->nested[s->parents[thread] - 1] : NULL;
}

static void seat_thread(struct norn_scope_offline *s, uint32_t thread)
{
	uint64_t types = types_of(s->binding, thread);
	s->seated[thread] = true;
	for (uint32_t i = 0; i < s->count; i++) {
		struct channel_threads *f = channel_threads_of(s, &s->scopes[i], thread);
		if (!f || !(types & s->scopes[i].scoping->types))
			continue;
		f->members[thread].seat = norn_must(norn_scope_channel_join(f->channel, thread, types));
	}
}

static void unseat_thread(struct norn_scope_offline *s, uint32_t thread)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct channel_threads *f = channel_threads_of(s, &s->scopes[i], thread);
		if (f && f->members[thread].seat)
			norn_scope_channel_leave(f->channel, f->members[thread].seat);
	}
}

/* A thread is there as soon as its parent has made it, whether or not it has done anything. */
static void fork_thread(struct norn_scope_offline *s, uint32_t parent, uint64_t child)
{
	if (child >= s->threads || s->seated[child])
		return;
	s->parents[child] = parent + 1;
	for (uint32_t i = 0; i < s->count; i++)
		if (s->scopes[i].scope->nested && !s->scopes[i].nested[parent])
			s->scopes[i].nested[parent] = channel_threads_new(s, s->scopes[i].scoping);
	seat_thread(s, (uint32_t)child);
}

/* ---- what an event is ---- */

static enum norn_truth is_action(const struct offline_scope *scope, const struct norn_moment *m)
{
	enum norn_truth truth = NORN_TRUTH_NO;
	for (uint32_t i = 0; i < scope->scope->sync_count; i++) {
		enum norn_truth one = (enum norn_truth)m->events[scope->scope->sync[i]];
		if (one == NORN_TRUTH_YES)
			return one;
		truth = one == NORN_TRUTH_UNKNOWN ? one : truth;
	}
	return truth;
}

static struct norn_past past_of(const struct norn_moment *m, uint32_t event)
{
	const struct norn_position *p = m->position;
	return (struct norn_past){.number = p->number,
	        .thread = p->thread,
	        .site = p->caller ? p->caller : p->site,
	        .place = NORN_SLOT_NONE,
	        .event = event,
	        .kind = p->kind,
	        .op = p->op};
}

static uint32_t acting_event(const struct offline_scope *scope, const struct norn_moment *m)
{
	for (uint32_t i = 0; i < scope->scope->sync_count; i++)
		if (m->events[scope->scope->sync[i]] == NORN_TRUTH_YES)
			return scope->scope->sync[i];
	return NORN_SLOT_NONE;
}

/* The letters of the event for all locals; false if it is none to any. */
static bool read_letters(struct norn_scope_offline *s, const struct norn_moment *m)
{
	uint32_t at = 0;
	bool any = false;
	for (uint32_t i = 0; i < s->count; i++) {
		struct offline_scope *scope = &s->scopes[i];
		for (uint32_t k = 0; k < scope->scope->local_count; k++, at++) {
			struct norn_letter letter = {0};
			s->happened[at] = false;
			if (!norn_binding_is_type(s->binding, m->position->thread, scope->scope->locals[k].type) ||
			        !norn_view_letter(scope->locals[k], m, NULL, &letter))
				continue;
			scope->given_up |= letter.unknown != 0;
			s->letters[at] = letter.yes;
			s->happened[at] = letter.yes || letter.sure;
			any |= s->happened[at];
		}
	}
	return any;
}

/* ---- findings ---- */

static void make_id(const struct norn_scope_offline *s, const struct norn_property *p, const struct norn_past *at,
        char id[NORN_FINDING_ID_BYTES])
{
	struct norn_site_info site = {0};
	norn_trace_site(s->binding->trace, at->site, &site);
	norn_finding_id_text(&(struct norn_finding_id){.by = NORN_BY_SCOPE,
	                             .property = p->name,
	                             .source = p->source,
	                             .file = site.file,
	                             .function = site.function,
	                             .line = site.line},
	        id);
}

void norn_scope_offline_mark(const struct norn_property *p, struct norn_finding *finding)
{
	struct norn_span span = p->node_count ? p->nodes[p->node_count - 1].span : (struct norn_span){0};
	if (!p->decl || !*finding->definition || span.file != p->decl->span.file || span.offset < p->decl->span.offset ||
	        span.offset + span.length > p->decl->span.offset + strlen(finding->definition))
		return;
	finding->part = span.offset - p->decl->span.offset;
	finding->part_length = span.length;
}

/* The region: the action that began it, its events, the action that ended it. */
static void tell_region(const struct norn_scope_offline *s, const struct channel_threads *channel_threads,
        const struct norn_past *end, struct norn_findings *f, struct norn_finding *finding)
{
	struct norn_step_text *steps = norn_must_arena_alloc(&f->arena, (SHOWN_MAX + 2ul) * sizeof *steps);
	uint32_t count = 0;
	if (channel_threads->action.count)
		norn_past_text(s->binding, &channel_threads->action.past, f, &steps[count++]);
	for (uint32_t i = 0; i < channel_threads->shown_count; i++)
		norn_past_text(s->binding, &channel_threads->shown[i], f, &steps[count++]);
	if (end)
		norn_past_text(s->binding, end, f, &steps[count++]);
	finding->witness = steps;
	finding->witness_count = count;
	finding->where = count ? &steps[count - 1] : NULL;
	finding->where_count = count > 0;
}

static const struct norn_named_value *state_of(
        const struct offline_scope *scope, const struct norn_region *region, struct norn_findings *f, uint32_t *ret_count)
{
	struct norn_named_value *list = norn_must_arena_alloc(&f->arena, (scope->scope->atom_count + 1ul) * sizeof *list);
	*ret_count = 0;
	for (uint32_t i = 0; i < scope->scope->atom_count; i++)
		list[(*ret_count)++] = (struct norn_named_value){
		        norn_findings_text(f, "%s", scope->scope->atoms[i].name), region->state.unknown >> i & 1 ? "unknown"
		                                                                  : region->state.atoms >> i & 1 ? "yes"
		                                                                                                 : "no"};
	return list;
}

static void reported_violation(struct norn_scope_offline *s, struct offline_scope *scope,
        const struct channel_threads *channel_threads, const struct norn_region *region, uint32_t check,
        const struct norn_past *end, const struct norn_moment *m, struct norn_findings *f)
{
	const struct norn_property *p = &scope->scope->checks[check].property;
	char id[20];
	make_id(s, p, end ? end : &channel_threads->action.past, id);
	for (uint32_t i = 0; i < scope->violations.count; i++)
		if (strcmp(scope->violations.items[i].id, id) == 0) {
			scope->violations.items[i].finding.count++;
			return;
		}
	struct norn_finding finding = norn_finding_of_property(f, id, p->name);
	finding.outcome = norn_findings_text(
	        f, end ? "violated in region %" PRIu64 : "violated in region %" PRIu64 ", at the end of the run", region->number);
	finding.extent = channel_threads->loose
	                         ? "Not all events of this region are ordered with the actions around it by the program's own "
	                           "synchronization, so that they are in it is by chance."
	                         : "";
	struct norn_queued_action actions[NORN_VERDICT_ACTIONS];
	struct norn_leaf_context leaf_context = {.moment = m};
	uint32_t count;
	norn_handlers_actions(p, 1u << NORN_OUTCOME_VIOLATION, NORN_FSM_DEAD,
	        m ? &(const struct norn_eval_env){norn_moment_leaf, &leaf_context} : NULL, actions, &count);
	norn_finding_respond(&finding, actions, count, f);
	norn_finding_define(&finding, s->sources, p->decl, f);
	norn_scope_offline_mark(p, &finding);
	finding.atoms = state_of(scope, region, f, &finding.atom_count);
	tell_region(s, channel_threads, end, f, &finding);
	struct reported_violation *to = norn_must_add(&scope->violations);
	to->finding = finding;
	memcpy(to->id, id, sizeof id);
}

static void add_violations(struct norn_scope_offline *s, struct offline_scope *scope, const struct channel_threads *channel_threads,
        const struct norn_region *region, const struct norn_past *end, const struct norn_moment *m, struct norn_findings *f)
{
	scope->regions++;
	scope->judged += !region->empty;
	for (uint32_t i = 0; i < scope->scope->check_count && i < 64; i++) {
		if (!(region->violated >> i & 1))
			continue;
		reported_violation(s, scope, channel_threads, region, i, end, m, f);
		if (norn_handlers_reset(&scope->scope->checks[i].property, 1u << NORN_OUTCOME_VIOLATION, NORN_FSM_DEAD))
			norn_scope_channel_reset(channel_threads->channel, i);
	}
}

/* ---- actions and events ---- */

static void note_flaw(struct flaw *flaw, const struct norn_past *first, const struct norn_past *second)
{
	if (flaw->count++ > 0)
		return;
	flaw->first = *first;
	flaw->second = *second;
}

static void act(struct norn_scope_offline *s, struct offline_scope *scope, const struct norn_moment *m, struct norn_findings *f)
{
	uint32_t thread = m->position->thread;
	struct channel_threads *channel_threads = scope->scope->nested ? scope->nested[thread] : scope->channel_threads;
	struct norn_scope_action action = {.thread = thread, .site = m->position->site};
	struct norn_region region;
	if (!channel_threads)
		return;
	struct offline_event now = {thread, norn_relevant_hb_count(&s->happens, thread), past_of(m, acting_event(scope, m))};
	if (channel_threads->action.count &&
	        !norn_relevant_hb_before(&s->happens, channel_threads->action.thread, channel_threads->action.count, thread))
		note_flaw(&scope->unordered, &channel_threads->action.past, &now.past);
	for (uint32_t i = 0; i < s->threads; i++) {
		const struct offline_event *last = &channel_threads->members[i].last;
		if (last->count && !norn_relevant_hb_before(&s->happens, i, last->count, thread)) {
			note_flaw(&scope->loose, &last->past, &now.past);
			channel_threads->loose = true;
		}
	}
	norn_scope_channel_sync(channel_threads->channel, &action, &region);
	add_violations(s, scope, channel_threads, &region, &now.past, m, f);
	for (uint32_t i = 0; channel_threads->events && i < s->threads; i++)
		channel_threads->members[i].last.count = 0;
	channel_threads->action = now;
	channel_threads->shown_count = 0;
	channel_threads->events = 0;
	channel_threads->loose = false;
}

static void tell_local(
        struct norn_scope_offline *s, struct offline_scope *scope, uint32_t local, uint64_t letter, const struct norn_moment *m)
{
	uint32_t thread = m->position->thread;
	struct channel_threads *channel_threads = channel_threads_of(s, scope, thread);
	if (!channel_threads || !channel_threads->members[thread].seat)
		return;
	norn_seat_event(channel_threads->channel, channel_threads->members[thread].seat, local, letter);
	struct offline_event now = {thread, norn_relevant_hb_count(&s->happens, thread),
	        past_of(m, norn_moment_named(m, &scope->scope->locals[local].property, letter))};
	if (channel_threads->action.count &&
	        !norn_relevant_hb_before(&s->happens, channel_threads->action.thread, channel_threads->action.count, thread)) {
		note_flaw(&scope->loose, &now.past, &channel_threads->action.past);
		channel_threads->loose = true;
	}
	bool again =
	        channel_threads->shown_count && channel_threads->shown[channel_threads->shown_count - 1].number == now.past.number;
	if (channel_threads->shown_count < SHOWN_MAX && !again)
		channel_threads->shown[channel_threads->shown_count++] = now.past;
	channel_threads->events++;
	channel_threads->members[thread].last = now;
}

/* An action that is an event of locals, too, belongs to the region that it begins. */
static void tell_scopes(struct norn_scope_offline *s, const struct norn_moment *m, struct norn_findings *f)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		struct offline_scope *scope = &s->scopes[i];
		enum norn_truth acts = is_action(scope, m);
		scope->given_up |= acts == NORN_TRUTH_UNKNOWN;
		if (acts == NORN_TRUTH_YES && !scope->given_up)
			act(s, scope, m, f);
		for (uint32_t k = 0; k < scope->scope->local_count; k++, at++)
			if (s->happened[at] && !scope->given_up)
				tell_local(s, scope, k, s->letters[at], m);
	}
}

int norn_scope_offline_event(struct norn_scope_offline *s, const struct norn_event *e, const struct norn_moment *m,
        struct norn_findings *f, uint64_t *relevant)
{
	if (e->thread >= s->threads)
		return 0;
	s->lost |= e->kind == NORN_EVENT_LOST;
	s->last_thread = e->thread;
	if (!s->seated[e->thread])
		seat_thread(s, e->thread);
	bool matters = m && read_letters(s, m);
	for (uint32_t i = 0; m && i < s->count; i++)
		matters |= is_action(&s->scopes[i], m) != NORN_TRUTH_NO;
	*relevant += matters;
	int r = norn_relevant_hb_event(&s->happens, e, matters);
	if (r != 0)
		return r;
	if (matters)
		tell_scopes(s, m, f);
	if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_FORK)
		fork_thread(s, e->thread, e->value);
	if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_FORK_FAILED && e->value < s->threads)
		unseat_thread(s, (uint32_t)e->value);
	if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_END)
		unseat_thread(s, e->thread);
	return 0;
}

/* ---- the end ---- */

/* "acq of thread main/2 (rw.c:12)" */
static const char *scope_event_text(const struct norn_scope_offline *s, const struct norn_past *past, struct norn_findings *f)
{
	struct norn_step_text t;
	norn_past_text(s->binding, past, f, &t);
	return norn_findings_text(
	        f, "%s%s%s of thread %s (%s:%u)", t.event, *t.what ? " " : "", t.what, t.thread, basename(t.file), t.line);
}

static void tell_flaws(struct norn_scope_offline *s, const struct offline_scope *scope, struct norn_findings *f)
{
	const char *name = scope->scope->name;
	if (scope->given_up || s->lost) {
		norn_findings_partial(f, NORN_REASON_PROPERTY, 1, "", "scope %s: its verdict is not known: %s", name,
		        s->lost ? "events were lost" : "whether some event happened depends on values that are not known");
	}
	if (scope->unordered.count) {
		norn_findings_partial(f, NORN_REASON_PROPERTY, scope->unordered.count,
		        "order these actions, by a lock or otherwise",
		        "scope %s: its verdict is withdrawn, since nothing in the program orders its synchronizing actions: %s and "
		        "%s may "
		        "come in any order, or at once (%" PRIu64 " such pair%s)",
		        name, scope_event_text(s, &scope->unordered.first, f), scope_event_text(s, &scope->unordered.second, f),
		        scope->unordered.count, scope->unordered.count == 1 ? "" : "s");
	}
	if (scope->loose.count)
		norn_findings_partial(f, NORN_REASON_PROPERTY, scope->loose.count,
		        "take actions that the program orders with these events (`norn scope suggest` proposes some)",
		        "scope %s: its regions are not sound and faithful: nothing orders %s and %s, so that which region the "
		        "event "
		        "belongs to is by chance (%" PRIu64 " such event%s)",
		        name, scope_event_text(s, &scope->loose.first, f), scope_event_text(s, &scope->loose.second, f),
		        scope->loose.count, scope->loose.count == 1 ? "" : "s");
}

static void end_channel_threads(
        struct norn_scope_offline *s, struct offline_scope *scope, struct channel_threads *channel_threads, struct norn_findings *f)
{
	struct norn_region region;
	/* A property without actions has threads of its own, but no regions. */
	if (!channel_threads || scope->given_up || (scope->scope->nested && !channel_threads->action.count))
		return;
	norn_scope_channel_end(channel_threads->channel, s->last_thread, &region);
	add_violations(s, scope, channel_threads, &region, NULL, NULL, f);
}

void norn_scope_offline_end(struct norn_scope_offline *s, struct norn_findings *f)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct offline_scope *scope = &s->scopes[i];
		end_channel_threads(s, scope, scope->channel_threads, f);
		for (uint32_t k = 0; k < s->threads; k++)
			end_channel_threads(s, scope, scope->nested[k], f);
		tell_flaws(s, scope, f);
		if (scope->given_up || scope->unordered.count || s->lost)
			continue;
		for (uint32_t k = 0; k < scope->violations.count; k++)
			norn_findings_add(f, &scope->violations.items[k].finding);
		if (scope->judged == 0)
			norn_findings_note(f, "scope %s: there was no region with an event in it (%" PRIu64 " regions)",
			        scope->scope->name, scope->regions);
	}
}
