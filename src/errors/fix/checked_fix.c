#include "errors/fix/checked_fix.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/record.h"
#include "trace/site.h"

#define TRIES 24u /* fixes that are tried in all, of runs that are not long */
#define EVENTS 1000000u /* that are gone through for them */
#define CANDIDATES 3u /* of a finding */
#define LINES 12u /* of a region; more are not guarded as one */

struct fix_search {
	struct norn_builtin_driver_sites *sites;
	struct norn_run *run;
	const struct norn_graph *graph;
	const struct norn_builtin_options *options;
	const struct norn_predictions *before;
	struct norn_findings *findings;
	uint32_t tried, untried, allowed;
};

struct fix_candidate {
	struct norn_fix fix;
	const char *text;
};

static void site_of(const struct fix_search *s, uint32_t event, struct norn_site_info *ret_info)
{
	norn_trace_site(s->sites->trace, norn_graph_event(s->graph, event)->site, ret_info);
}

static const char *lines_text(const struct fix_search *s, const struct norn_fix_region *r)
{
	const char *name = basename(r->file);
	return r->first == r->last ? norn_findings_text(s->findings, "%s:%u (%s)", name, r->first, r->function)
	                           : norn_findings_text(s->findings, "%s:%u to %u (%s)", name, r->first, r->last, r->function);
}

/* ---- regions ---- */

/* The lines of these events, which are 0 or in one function. False: that is not so, or not known. */
static bool region_of(const struct fix_search *s, const uint32_t *events, uint32_t count, struct norn_fix_region *ret)
{
	*ret = (struct norn_fix_region){.first = 0};
	for (uint32_t i = 0; i < count; i++) {
		struct norn_site_info info;
		if (!events[i])
			continue;
		site_of(s, events[i], &info);
		if (!info.line || !*info.function ||
		        (ret->first && (strcmp(ret->function, info.function) != 0 || strcmp(ret->file, info.file) != 0)))
			return false;
		ret->function = info.function;
		ret->file = info.file;
		ret->first = ret->first && ret->first < info.line ? ret->first : info.line;
		ret->last = ret->last > info.line ? ret->last : info.line;
	}
	return ret->first && ret->last - ret->first < LINES;
}

/* The events of a side of a race that belong together: an update that is lost, too. */
static bool race_region(const struct fix_search *s, const struct norn_predicted *p, uint32_t side, struct norn_fix_region *ret)
{
	const struct norn_consequence *c = &p->consequence;
	uint32_t events[3] = {p->stops[side]};
	bool same = c->kind == NORN_CONSEQUENCE_LOST_UPDATE &&
	            norn_graph_event(s->graph, c->read)->thread == norn_graph_event(s->graph, events[0])->thread;
	if (same) {
		events[1] = c->read;
		events[2] = c->write;
	}
	return region_of(s, events, 3, ret);
}

/* ---- locks ---- */

/* Is it one lock that is taken at this place, not one of each object? */
static bool is_one_lock(const struct fix_search *s, uint32_t acquire)
{
	const struct norn_graph_event *events = norn_graph_events(s->graph), *a = events + acquire;
	for (uint32_t i = 1; i <= norn_graph_count(s->graph); i++)
		if (events[i].kind == NORN_EVENT_SYNC && events[i].op == a->op && events[i].site == a->site &&
		        events[i].addr != a->addr)
			return false;
	return a->op == NORN_SYNC_ACQUIRE && a->site;
}

/* The innermost lock that is held there, if there is one lock of the name; 0: none. */
static uint32_t lock_at(const struct fix_search *s, uint32_t event)
{
	uint32_t held = norn_graph_event(s->graph, event)->held, rest;
	uint32_t acquire = held ? norn_graph_held(s->graph, held, &rest) : 0;
	return acquire && acquire > norn_graph_carried(s->graph) && is_one_lock(s, acquire) ? acquire : 0;
}

/* The name that the finding has for it: of the side with this one lock. */
static const char *lock_name(const struct fix_search *s, const struct norn_finding *x, uint32_t acquire)
{
	struct norn_site_info info;
	site_of(s, acquire, &info);
	for (uint32_t i = 0; i < x->where_count; i++)
		for (uint32_t k = 0; k < x->sides[i].lock_count; k++) {
			const struct norn_step_text *lock = &x->sides[i].locks[k];
			if (lock->line == info.line && strcmp(basename(lock->file), basename(info.file)) == 0)
				return lock->what;
		}
	return "the lock";
}

static struct fix_candidate hold(const struct fix_search *s, const struct norn_finding *x, uint32_t acquire,
        const struct norn_fix_region *regions, uint32_t count)
{
	struct fix_candidate c = {.fix = {.region_count = count, .lock = NORN_FIX_NEW_LOCK}};
	struct norn_site_info info;
	const char *places = "";
	for (uint32_t i = 0; i < count; i++) {
		c.fix.regions[i] = regions[i];
		places = norn_findings_text(s->findings, "%s%s%s", places, i ? " and at " : "", lines_text(s, &regions[i]));
	}
	if (acquire) {
		site_of(s, acquire, &info);
		c.fix.lock = norn_graph_event(s->graph, acquire)->addr;
		c.fix.lock_site = norn_graph_event(s->graph, acquire)->site;
		c.text = norn_findings_text(s->findings, "hold %s (which is taken at %s:%u) at %s", lock_name(s, x, acquire),
		        basename(info.file), info.line, places);
	} else {
		c.text = norn_findings_text(s->findings, "hold one mutex, a new one, at %s", places);
	}
	return c;
}

/* Lines of one function are one region, with what lies between them. */
static uint32_t join_regions(struct norn_fix_region regions[2])
{
	struct norn_fix_region *a = &regions[0], *b = &regions[1];
	uint32_t first = a->first < b->first ? a->first : b->first, last = a->last > b->last ? a->last : b->last;
	if (strcmp(a->function, b->function) != 0 || strcmp(a->file, b->file) != 0 || last - first >= LINES)
		return 2;
	a->first = first;
	a->last = last;
	return 1;
}

/* A lock that one side has is held at the other, too (widened: and throughout the side that has it); or a new one at both. */
static uint32_t guard_both(const struct fix_search *s, const struct norn_finding *x, struct norn_fix_region regions[2],
        const uint32_t acquires[2], bool widened, struct fix_candidate *ret)
{
	struct norn_fix_region other[2] = {regions[1], regions[0]};
	uint32_t count = 0, both = join_regions(regions);
	for (uint32_t i = 0; i < 2; i++)
		if (acquires[i])
			ret[count++] = hold(s, x, acquires[i], widened || both == 1 ? regions : &other[i], widened ? both : 1);
	ret[count++] = hold(s, x, 0, regions, both);
	return count;
}

/* ---- candidates ---- */

static uint32_t race_candidates(
        const struct fix_search *s, const struct norn_predicted *p, const struct norn_finding *x, struct fix_candidate *ret)
{
	struct norn_fix_region regions[2];
	if (p->stop_count != 2 || !race_region(s, p, 0, &regions[0]) || !race_region(s, p, 1, &regions[1]))
		return 0;
	uint32_t count = guard_both(s, x, regions, (uint32_t[2]){lock_at(s, p->stops[0]), lock_at(s, p->stops[1])}, false, ret);
	for (uint32_t i = 0; i < count && p->consequence.kind != NORN_CONSEQUENCE_LOST_UPDATE; i++)
		ret[i].text = norn_findings_text(s->findings, "%s (which of the accesses comes first stays open)", ret[i].text);
	return count;
}

static uint32_t atomicity_candidates(
        const struct fix_search *s, const struct norn_predicted *p, const struct norn_finding *x, struct fix_candidate *ret)
{
	const uint32_t *e = p->cycle.events;
	struct norn_fix_region regions[2];
	if (p->cycle.count != 3 || !region_of(s, (uint32_t[2]){e[0], e[2]}, 2, &regions[0]) || !region_of(s, e + 1, 1, &regions[1]))
		return 0;
	return guard_both(s, x, regions, (uint32_t[2]){lock_at(s, e[0]), lock_at(s, e[1])}, true, ret);
}

/* The lines at which the thread of a write writes what the assertion reads, in the same function. */
static bool written_region(
        const struct fix_search *s, const struct norn_graph_assertion *a, uint32_t write, struct norn_fix_region *ret)
{
	const struct norn_graph_event *events = norn_graph_events(s->graph);
	if (!write || !region_of(s, &write, 1, ret))
		return false;
	for (uint32_t i = norn_graph_first(s->graph, events[write].thread); i; i = events[i].next)
		for (uint32_t k = 0; k < a->count && events[i].kind == NORN_EVENT_WRITE; k++) {
			struct norn_fix_region more[2] = {*ret};
			if (events[i].addr == events[a->reads[k]].addr && region_of(s, &i, 1, &more[1]) && join_regions(more) == 1)
				*ret = more[0];
		}
	return true;
}

/* A write of what the assertion is about: one that it fails by, else the first of another thread. */
static uint32_t written_for(const struct fix_search *s, const struct norn_predicted *p)
{
	const struct norn_graph_event *events = norn_graph_events(s->graph);
	const struct norn_graph_assertion *a = p->assertion;
	if (p->first)
		return p->first;
	for (uint32_t i = 1; i <= norn_graph_count(s->graph); i++)
		for (uint32_t k = 0; k < a->count && events[i].kind == NORN_EVENT_WRITE; k++)
			if (events[i].addr == events[a->reads[k]].addr && events[i].thread != events[a->reads[k]].thread)
				return i;
	return 0;
}

/* What the assertion reads is read, and what it fails by is written, under one lock. */
static uint32_t assertion_candidates(
        const struct fix_search *s, const struct norn_predicted *p, const struct norn_finding *x, struct fix_candidate *ret)
{
	const struct norn_graph_assertion *a = p->assertion;
	struct norn_fix_region regions[2];
	uint32_t write = written_for(s, p);
	if (!region_of(s, a->reads, a->count, &regions[0]) || !written_region(s, a, write, &regions[1]))
		return 0;
	return guard_both(s, x, regions, (uint32_t[2]){lock_at(s, a->reads[0]), lock_at(s, write)}, true, ret);
}

static uint32_t order_candidates(const struct fix_search *s, const struct norn_predicted *p, struct fix_candidate *ret)
{
	const struct norn_missing_order *m = &p->missing;
	struct norn_site_info store, load;
	struct fix_candidate c = {.text = ""};
	site_of(s, m->store, &store);
	site_of(s, m->load, &load);
	if (m->release) {
		c.fix.store = norn_graph_event(s->graph, m->store)->site;
		c.text = norn_findings_text(s->findings, "let the store at %s:%u release", basename(store.file), store.line);
	}
	if (m->acquire) {
		c.fix.load = norn_graph_event(s->graph, m->load)->site;
		c.text = norn_findings_text(s->findings, "%s%slet the load at %s:%u acquire", c.text, m->release ? ", and " : "",
		        basename(load.file), load.line);
	}
	*ret = c;
	return m->release || m->acquire;
}

/* Two threads, each of which waits for the lock that the other holds. */
static uint32_t deadlock_candidates(const struct fix_search *s, const struct norn_predicted *p, struct fix_candidate *ret)
{
	uint32_t inner = p->stop_count == 2 ? p->stops[1] : 0, rest, count = 0;
	for (uint32_t i = 0; i < p->stop_count; i++)
		if (p->stop_count != 2 || p->asleep || norn_graph_event(s->graph, p->stops[i])->kind != NORN_EVENT_SYNC ||
		        norn_graph_event(s->graph, p->stops[i])->op != NORN_SYNC_ACQUIRE ||
		        !norn_graph_event(s->graph, p->stops[i])->held)
			return 0;
	for (uint32_t i = 2; inner && i-- > 0;) {
		uint32_t waited = p->stops[i], wanted = p->stops[!i], outer = 0;
		for (uint32_t held = norn_graph_event(s->graph, waited)->held; held && !outer; held = rest) {
			uint32_t acquire = norn_graph_held(s->graph, held, &rest);
			if (norn_graph_event(s->graph, acquire)->addr == norn_graph_event(s->graph, wanted)->addr)
				outer = acquire;
		}
		struct norn_site_info a, b;
		if (!outer)
			return 0;
		site_of(s, outer, &a);
		site_of(s, waited, &b);
		bool by_address = norn_graph_place(s->graph, norn_graph_event(s->graph, p->stops[0])->site) ==
		                  norn_graph_place(s->graph, norn_graph_event(s->graph, p->stops[1])->site);
		struct fix_candidate c = {.fix = {.outer = norn_graph_event(s->graph, outer)->site,
		                                  .inner = norn_graph_event(s->graph, waited)->site,
		                                  .by_address = by_address}};
		c.text = by_address ? norn_findings_text(s->findings,
		                              "of the locks that are taken at %s:%u and %s:%u (%s), take the one with the lower "
		                              "address first",
		                              basename(a.file), a.line, basename(b.file), b.line, b.function)
		                    : norn_findings_text(s->findings,
		                              "take the lock of %s:%u before that of %s:%u (%s): exchange the two",
		                              basename(b.file), b.line, basename(a.file), a.line, b.function);
		ret[count++] = c;
		if (by_address)
			return count;
	}
	return count;
}

static uint32_t candidates(
        const struct fix_search *s, const struct norn_predicted *p, const struct norn_finding *x, struct fix_candidate *ret)
{
	if (p->kind == NORN_PREDICTED_RACE && p->missing.store)
		return order_candidates(s, p, ret);
	if (p->kind == NORN_PREDICTED_RACE)
		return race_candidates(s, p, x, ret);
	if (p->kind == NORN_PREDICTED_ATOMICITY)
		return atomicity_candidates(s, p, x, ret);
	if (p->kind == NORN_PREDICTED_ASSERTION)
		return assertion_candidates(s, p, x, ret);
	return p->kind == NORN_PREDICTED_DEADLOCK ? deadlock_candidates(s, p, ret) : 0;
}

/* ---- the check ---- */

static uint64_t line_hash(const struct fix_search *s, uint32_t site)
{
	struct norn_site_info info;
	norn_trace_site(s->sites->trace, site, &info);
	uint64_t h = 0xcbf29ce484222325u + info.line;
	for (const char *c = info.file; *c; c++)
		h = (h ^ (unsigned char)*c) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t place_hash(const struct fix_search *s, const struct norn_graph *graph, uint32_t event)
{
	return line_hash(s, norn_graph_event(graph, event)->site);
}

/* Kind and lines, in no order. */
static uint64_t signature(const struct fix_search *s, const struct norn_graph *graph, const struct norn_predicted *p)
{
	uint64_t sum = p->kind;
	if (p->assertion)
		return sum + line_hash(s, p->assertion->site);
	for (uint32_t i = 0; i < p->cycle.count; i++)
		sum += place_hash(s, graph, p->cycle.events[i]);
	if (p->cycle.count)
		return sum;
	for (uint32_t i = 0; i < p->stop_count; i++)
		sum += place_hash(s, graph, p->stops[i]);
	return p->first ? sum + place_hash(s, graph, p->first) : sum;
}

static bool was_there(const struct fix_search *s, uint64_t wanted)
{
	for (uint32_t i = 0; i < s->before->count; i++)
		if (signature(s, s->graph, &s->before->list[i]) == wanted)
			return true;
	return false;
}

/* Nothing is left of the finding, no deadlock is new, and no more was given up than before. */
static bool is_better(
        const struct fix_search *s, const struct norn_graph *fixed, const struct norn_predictions *after, uint64_t finding)
{
	for (uint32_t i = 0; i < after->count; i++) {
		uint64_t found = signature(s, fixed, &after->list[i]);
		if (found == finding || (after->list[i].kind == NORN_PREDICTED_DEADLOCK && !was_there(s, found)))
			return false;
	}
	for (unsigned i = 0; i < NORN_BUILTIN_LIMITS; i++)
		if (after->stats.limits[i] > s->before->stats.limits[i])
			return false;
	return true;
}

static bool check(struct fix_search *s, const struct fix_candidate *c, const struct norn_predicted *p)
{
	struct norn_graph *fixed = norn_fixed_run_graph(s->sites, s->run, s->graph, &c->fix);
	struct norn_predictions after = {0};
	s->tried++;
	if (!fixed)
		return false;
	norn_builtin_errors(fixed, s->options, &after);
	bool better = is_better(s, fixed, &after, signature(s, s->graph, p));
	norn_predictions_done(&after);
	norn_graph_free(fixed);
	return better;
}

static void take(struct fix_search *s, const struct fix_candidate *c, struct norn_finding *x)
{
	struct norn_fix_place *places = norn_must_arena_alloc(&s->findings->arena, NORN_FIX_REGIONS * sizeof *places);
	for (uint32_t i = 0; i < c->fix.region_count; i++) {
		const struct norn_fix_region *r = &c->fix.regions[i];
		places[i] = (struct norn_fix_place){.file = norn_findings_text(s->findings, "%s", r->file),
		        .function = norn_findings_text(s->findings, "%s", r->function),
		        .first = r->first,
		        .last = r->last};
	}
	x->fix = c->text;
	x->fix_places = places;
	x->fix_place_count = c->fix.region_count;
}

static void fix_one(struct fix_search *s, const struct norn_predicted *p, struct norn_finding *x)
{
	struct fix_candidate list[CANDIDATES];
	uint32_t count = candidates(s, p, x, list);
	for (uint32_t i = 0; i < count && !x->fix; i++) {
		if (s->tried == s->allowed) {
			s->untried++;
			return;
		}
		if (check(s, &list[i], p))
			take(s, &list[i], x);
	}
}

void norn_checked_fixes_find(struct norn_builtin_driver_sites *sites, struct norn_run *run, const struct norn_graph *graph,
        const struct norn_builtin_options *options, const struct norn_predictions *predictions, const uint32_t *indices,
        struct norn_findings *findings)
{
	uint32_t allowed = EVENTS / (norn_graph_count(graph) + 1);
	struct fix_search s = {.sites = sites,
	        .run = run,
	        .graph = graph,
	        .options = options,
	        .before = predictions,
	        .findings = findings,
	        .allowed = allowed > TRIES ? TRIES : allowed};
	for (uint32_t i = 0; i < predictions->count; i++)
		if (!findings->list[indices[i]].fix && !predictions->list[i].assumed_count)
			fix_one(&s, &predictions->list[i], &findings->list[indices[i]]);
	if (s.untried)
		norn_findings_note(findings, "%u fixes were tried on the recorded run; for %u finding%s none was", s.tried,
		        s.untried, s.untried == 1 ? "" : "s");
}
