#include "errors/fix/fix_candidates.h"

#include <string.h>

#include "errors/harm/update.h"
#include "finding/kept_state.h"
#include "trace/record.h"

/* The input of candidates. */
struct fix_search {
	const struct norn_fix_run *run;
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	const struct norn_predicted *predicted;
	const struct norn_finding *finding;
	struct norn_fix_candidates *found;
};

static struct norn_fix_candidate *add(const struct fix_search *s)
{
	struct norn_fix_candidates *f = s->found;
	struct norn_fix_candidate *c = &f->list[f->count < NORN_FIX_CANDIDATES ? f->count++ : f->count - 1];
	*c = (struct norn_fix_candidate){.text = ""};
	return c;
}

/* ---- locks ---- */

/* Do all acquires at this place take one and the same lock, not one of each object? */
static bool is_one_lock(const struct fix_search *s, uint32_t acquire)
{
	const struct norn_graph_event *a = s->events + acquire;
	for (uint32_t i = 1; i <= norn_graph_count(s->graph); i++)
		if (s->events[i].kind == NORN_EVENT_SYNC && s->events[i].op == a->op && s->events[i].site == a->site &&
		        s->events[i].addr != a->addr)
			return false;
	return a->op == NORN_SYNC_ACQUIRE && a->site;
}

/* The innermost lock that is held there, if there is one lock of the name; 0: none. */
static uint32_t lock_at(const struct fix_search *s, uint32_t event)
{
	uint32_t held = event ? s->events[event].held : 0, rest;
	uint32_t acquire = held ? norn_graph_held(s->graph, held, &rest) : 0;
	return acquire && acquire > norn_graph_carried(s->graph) && is_one_lock(s, acquire) ? acquire : 0;
}

/* The name in the call, else the one that the finding has for it: of the side with this one lock. */
static const char *lock_name(const struct fix_search *s, uint32_t acquire, const char *place)
{
	const struct norn_finding *x = s->finding;
	struct norn_site_info info;
	norn_trace_site(s->run->trace, s->events[acquire].site, &info);
	if (info.site && info.site->kind == NORN_SITE_CALL && *info.field && !norn_is_library_file(info.file))
		return norn_findings_text(s->run->findings, "%s", info.field);
	for (uint32_t i = 0; i < x->where_count; i++)
		for (uint32_t k = 0; k < x->sides[i].lock_count; k++) {
			const struct norn_step_text *lock = &x->sides[i].locks[k];
			if (strcmp(norn_findings_text(s->run->findings, "%s:%u", basename(lock->file), lock->line), place) == 0)
				return lock->what;
		}
	return "the lock";
}

/* A region, and where the lock is given up within it. */
static const char *held_text(const struct fix_search *s, const struct norn_fix_region *region, uint64_t lock)
{
	const char *text = norn_fix_region_text(s->run, region);
	unsigned line = norn_fix_gives_up(s->run, region, lock);
	return line ? norn_findings_text(s->run->findings, "%s, without giving it up at line %u,", text, line) : text;
}

/* The acquire itself; where it ends a wait for a condition, the latest of the thread and the lock before it that does not. */
static uint32_t plain_acquire(const struct fix_search *s, uint32_t acquire)
{
	const struct norn_graph_event *a = s->events + acquire;
	uint32_t found = acquire;
	if (!(a->flags & NORN_GRAPH_WAKES))
		return acquire;
	for (uint32_t i = norn_graph_first(s->graph, a->thread); i && i < acquire; i = s->events[i].next)
		if (norn_graph_is_acquire(s->events + i) && s->events[i].addr == a->addr &&
		        !(s->events[i].flags & NORN_GRAPH_WAKES))
			found = i;
	return found;
}

static void hold(const struct fix_search *s, uint32_t acquire, const struct norn_fix_region *regions, uint32_t count)
{
	struct norn_findings *f = s->run->findings;
	struct norn_fix_candidate *c = add(s);
	c->fix.region_count = count;
	c->fix.lock = acquire ? s->events[acquire].addr : NORN_FIX_NEW_LOCK;
	c->fix.lock_site = acquire ? s->events[acquire].site : 0;
	const char *places = "";
	for (uint32_t i = 0; i < count; i++) {
		c->fix.regions[i] = regions[i];
		places = norn_findings_text(f, "%s%s%s", places, i ? " and at " : "", held_text(s, &regions[i], c->fix.lock));
	}
	if (places[strlen(places) - 1] == ',')
		places = norn_findings_text(f, "%.*s", (int)strlen(places) - 1, places);
	if (acquire) {
		uint32_t plain = plain_acquire(s, acquire);
		const char *place = norn_fix_place_text(s->run, plain);
		c->text = norn_findings_text(f, "hold %s (which is taken at %s) at %s", lock_name(s, plain, place), place, places);
	} else {
		c->text = norn_findings_text(f, "hold one mutex, a new one, at %s", places);
	}
}

/* The lock of one side is held at both; but for the side that has it, and does not give it up. */
static void hold_at_both(
        const struct fix_search *s, const struct norn_fix_region regions[2], const uint32_t acquires[2], uint32_t side)
{
	uint64_t lock = s->events[acquires[side]].addr;
	struct norn_fix_region needed[2];
	uint32_t count = 0;
	for (uint32_t i = 0; i < 2; i++) {
		bool has = acquires[i] && s->events[acquires[i]].addr == lock;
		if (!has || norn_fix_gives_up(s->run, &regions[i], lock))
			needed[count++] = regions[i];
	}
	if (count)
		hold(s, acquires[side], needed, count);
}

/* A lock that one side has is held at the other, too, and throughout the side that has it; or a new one at both. */
static void guard_both(const struct fix_search *s, const struct norn_fix_region both[2], const uint32_t acquires[2])
{
	struct norn_fix_region regions[2] = {both[0], both[1]};
	uint32_t count = norn_fix_regions_join(regions);
	bool same = acquires[0] && acquires[1] && s->events[acquires[0]].addr == s->events[acquires[1]].addr;
	for (uint32_t i = 0; i < 2; i++) {
		if (!acquires[i] || (i && same))
			continue;
		if (count == 1)
			hold(s, acquires[i], regions, 1);
		else
			hold_at_both(s, regions, acquires, i);
	}
	hold(s, 0, regions, count);
}

/* ---- waiting ---- */

/* The thread of the second event waits before it until the first has been done. */
static void wait_for(const struct fix_search *s, uint32_t first, uint32_t second)
{
	struct norn_fix fix = {.waits = true, .region_count = 2};
	if (!first || !second || first > second || s->events[first].thread == s->events[second].thread ||
	        !norn_fix_region_of(s->run, &first, 1, &fix.regions[0]) || !norn_fix_region_of(s->run, &second, 1, &fix.regions[1]))
		return;
	struct norn_fix_candidate *c = add(s);
	c->fix = fix;
	c->text = norn_findings_text(s->run->findings,
	        "let %s wait for %s: sem_post() of a semaphore, a new one, after %s, and sem_wait() before %s (which waits for "
	        "ever "
	        "where %s does not come by)",
	        fix.regions[1].function, fix.regions[0].function, norn_fix_region_text(s->run, &fix.regions[0]),
	        norn_fix_region_text(s->run, &fix.regions[1]), fix.regions[0].function);
}

/* The write of another thread that this read saw when recorded; 0: there is none, or several. */
static uint32_t writer_of(const struct fix_search *s, uint32_t read)
{
	const uint32_t *writers;
	uint32_t count = norn_graph_list(s->graph, &s->events[read].link, &writers);
	bool one = count == 1 && s->events[writers[0]].kind == NORN_EVENT_WRITE;
	return one && s->events[writers[0]].thread != s->events[read].thread ? writers[0] : 0;
}

/* ---- what was read before ---- */

/* The latest access of these bytes by the same thread before this one, if it has a lock: before it took that. 0: there is none. */
static uint32_t access_before(const struct fix_search *s, uint32_t access)
{
	uint32_t found = 0, acquire = lock_at(s, access);
	for (uint32_t i = norn_graph_first(s->graph, s->events[access].thread); i && i < access; i = s->events[i].next)
		if ((i < acquire || !acquire) && norn_graph_is_access(s->events + i) &&
		        norn_same_bytes(s->events + i, s->events + access))
			found = i;
	return found;
}

/* The lock is taken between the two, so what the first has read may be old: it is read again. */
static void read_again(const struct fix_search *s, uint32_t read, uint32_t access)
{
	uint32_t acquire = lock_at(s, access);
	struct norn_fix_region region;
	if (!read || s->events[read].kind != NORN_EVENT_READ || !acquire || acquire < read ||
	        !norn_fix_region_of(s->run, (uint32_t[]){read, acquire}, 2, &region))
		return;
	struct norn_site_info info;
	norn_trace_site(s->run->trace, s->events[read].site, &info);
	const char *place = norn_fix_place_text(s->run, acquire);
	struct norn_fix_candidate *c = add(s);
	c->fix.read = s->events[read].site;
	c->fix.again = s->events[acquire].site;
	c->fix.regions[0] = region;
	c->text = norn_findings_text(s->run->findings, "look at %s, as at %s, once more after %s is taken at %s",
	        *info.name ? info.name : "the variable", norn_fix_place_text(s->run, read), lock_name(s, acquire, place), place);
}

/* ---- updates ---- */

/* A write of these bytes by another thread: the one that was seen, else the first. */
static uint32_t other_write(const struct fix_search *s, uint32_t read)
{
	uint32_t seen = writer_of(s, read);
	for (uint32_t i = 1; !seen && i <= norn_graph_count(s->graph); i++)
		if (s->events[i].kind == NORN_EVENT_WRITE && s->events[i].thread != s->events[read].thread &&
		        norn_same_bytes(s->events + i, s->events + read))
			seen = i;
	return seen;
}

/* An update must not be torn by another thread's. */
static void guard_update(const struct fix_search *s, uint32_t write)
{
	uint32_t read = write && s->events[write].kind == NORN_EVENT_WRITE ? norn_update_read(s->graph, write, 0) : 0;
	uint32_t other = read ? other_write(s, read) : 0;
	struct norn_fix_region regions[2];
	if (!other || !norn_fix_region_of(s->run, (uint32_t[]){read, write}, 2, &regions[0]) ||
	        !norn_fix_region_of(s->run, (uint32_t[]){norn_update_read(s->graph, other, 0), other}, 2, &regions[1]))
		return;
	guard_both(s, regions, (uint32_t[2]){lock_at(s, write), lock_at(s, other)});
}

/* ---- kinds of errors ---- */

/* The events of a side of a race that belong together: an update that is lost, too. */
static bool race_region(const struct fix_search *s, uint32_t side, struct norn_fix_region *ret)
{
	const struct norn_consequence *c = &s->predicted->consequence;
	uint32_t stop = s->predicted->stops[side];
	bool same = c->kind == NORN_CONSEQUENCE_LOST_UPDATE && s->events[c->read].thread == s->events[stop].thread;
	return norn_fix_region_of(s->run, (uint32_t[]){stop, same ? c->read : 0, same ? c->write : 0}, 3, ret);
}

static void fix_race(const struct fix_search *s)
{
	const struct norn_predicted *p = s->predicted;
	struct norn_fix_region regions[2];
	const char *function;
	if (p->stop_count != 2 || norn_kept_state_instead_of(s->run->trace, s->graph, p->stops, 2, &function))
		return;
	if (p->consequence.kind == NORN_CONSEQUENCE_ASSERTION && !p->consequence.late)
		wait_for(s, writer_of(s, p->consequence.event), p->consequence.event);
	wait_for(s, p->consequence.sets, p->consequence.uses);
	if (!race_region(s, 0, &regions[0]) || !race_region(s, 1, &regions[1]))
		return;
	uint32_t before = s->found->count;
	guard_both(s, regions, (uint32_t[2]){lock_at(s, p->stops[0]), lock_at(s, p->stops[1])});
	for (uint32_t i = before; i < s->found->count && p->consequence.kind != NORN_CONSEQUENCE_LOST_UPDATE; i++)
		s->found->list[i].text = norn_findings_text(
		        s->run->findings, "%s (which of the accesses comes first stays open)", s->found->list[i].text);
}

static void fix_atomicity(const struct fix_search *s)
{
	const uint32_t *e = s->predicted->cycle.events;
	struct norn_fix_region regions[2];
	if (s->predicted->cycle.count != 3 || !norn_fix_region_of(s->run, (uint32_t[]){e[0], e[2]}, 2, &regions[0]) ||
	        !norn_fix_region_of(s->run, e + 1, 1, &regions[1]))
		return;
	guard_both(s, regions, (uint32_t[2]){lock_at(s, e[0]), lock_at(s, e[1])});
	read_again(s, e[0], e[2]);
}

/* The lines at which the thread of a write writes what the assertion reads, in the same function. */
static bool written_region(
        const struct fix_search *s, const struct norn_graph_assertion *a, uint32_t write, struct norn_fix_region *ret)
{
	if (!write || !norn_fix_region_of(s->run, &write, 1, ret))
		return false;
	for (uint32_t i = norn_graph_first(s->graph, s->events[write].thread); i; i = s->events[i].next)
		for (uint32_t k = 0; k < a->count && s->events[i].kind == NORN_EVENT_WRITE; k++) {
			struct norn_fix_region more[2] = {*ret};
			if (s->events[i].addr == s->events[a->reads[k]].addr && norn_fix_region_of(s->run, &i, 1, &more[1]) &&
			        norn_fix_regions_join(more) == 1)
				*ret = more[0];
		}
	return true;
}

/* A write of what the assertion is about: one that it fails by, else the first of another thread. */
static uint32_t written_for(const struct fix_search *s)
{
	const struct norn_graph_assertion *a = s->predicted->assertion;
	if (s->predicted->first)
		return s->predicted->first;
	for (uint32_t i = 1; i <= norn_graph_count(s->graph); i++)
		for (uint32_t k = 0; k < a->count && s->events[i].kind == NORN_EVENT_WRITE; k++)
			if (s->events[i].addr == s->events[a->reads[k]].addr &&
			        s->events[i].thread != s->events[a->reads[k]].thread)
				return i;
	return 0;
}

/* Reads that belong together, with an earlier look at the first; and the lines that another thread writes at. */
static void guard_reads(const struct fix_search *s, const uint32_t *reads, uint32_t count, uint32_t lock,
        const struct norn_fix_region *written, uint32_t write)
{
	uint32_t events[NORN_FIX_EVENTS], before = access_before(s, reads[0]);
	struct norn_fix_region regions[2] = {{.first = 0}, *written};
	for (uint32_t i = 0; i < count; i++)
		events[i] = reads[i];
	events[count] = before;
	const uint32_t locks[2] = {lock_at(s, lock), lock_at(s, write)};
	if (norn_fix_region_of(s->run, reads, count, &regions[0]))
		guard_both(s, regions, locks);
	if (before && norn_fix_region_of(s->run, events, count + 1, &regions[0]))
		guard_both(s, regions, locks);
	read_again(s, before, reads[0]);
}

/* Reads that are to see what they saw, or what the write that they saw was made of. */
static void fix_assertion(const struct fix_search *s)
{
	const struct norn_graph_assertion *a = s->predicted->assertion;
	struct norn_fix_region written;
	uint32_t write = written_for(s);
	guard_update(s, write);
	if (written_region(s, a, write, &written))
		guard_reads(s, a->reads, a->count, a->reads[0], &written, write);
	for (uint32_t i = 0; i < a->count && a->known; i++) {
		wait_for(s, writer_of(s, a->reads[i]), a->reads[i]);
		wait_for(s, a->reads[i], s->predicted->first);
	}
	for (uint32_t node = write ? s->events[write].other : 0, read, b; node;) {
		if (s->events[write].kind == NORN_EVENT_WRITE && norn_graph_node(s->graph, node, &read, &b) == NORN_NODE_READ)
			wait_for(s, writer_of(s, read), read);
		break;
	}
}

/* Fixes of a null dereference: the pointer was cleared, or is not set yet. */
static void fix_null(const struct fix_search *s)
{
	const struct norn_predicted *p = s->predicted;
	uint32_t write = p->second ? p->second : writer_of(s, p->first);
	struct norn_fix_region written;
	if (!write || !norn_fix_region_of(s->run, &write, 1, &written))
		return;
	guard_reads(s, (uint32_t[]){p->first, p->second ? p->stops[0] : 0}, 2, p->first, &written, write);
	wait_for(s, p->second ? p->stops[0] : write, p->second ? p->second : p->first);
}

static void fix_use_after_free(const struct fix_search *s)
{
	const struct norn_predicted *p = s->predicted;
	wait_for(s, p->stops[p->stop_count - 1], p->first ? p->first : p->stops[0]);
}

static void fix_order(const struct fix_search *s)
{
	const struct norn_missing_order *m = &s->predicted->missing;
	if (!m->release && !m->acquire)
		return;
	struct norn_fix_candidate *c = add(s);
	if (m->release) {
		c->fix.store = s->events[m->store].site;
		c->text =
		        norn_findings_text(s->run->findings, "let the store at %s release", norn_fix_place_text(s->run, m->store));
	}
	if (m->acquire) {
		c->fix.load = s->events[m->load].site;
		c->text = norn_findings_text(s->run->findings, "%s%slet the load at %s acquire", c->text,
		        m->release ? ", and " : "", norn_fix_place_text(s->run, m->load));
	}
}

static uint32_t held_lock(const struct fix_search *s, uint32_t event, uint64_t addr)
{
	uint32_t rest;
	for (uint32_t held = s->events[event].held; held; held = rest) {
		uint32_t acquire = norn_graph_held(s->graph, held, &rest);
		if (s->events[acquire].addr == addr)
			return acquire;
	}
	return 0;
}

static bool are_two_locks(const struct fix_search *s)
{
	const struct norn_predicted *p = s->predicted;
	bool two = p->stop_count == 2 && !p->asleep;
	for (uint32_t i = 0; two && i < 2; i++) {
		const struct norn_graph_event *e = s->events + p->stops[i];
		two = e->kind == NORN_EVENT_SYNC && e->op == NORN_SYNC_ACQUIRE && e->held;
	}
	return two;
}

/* Fixes of a deadlock of two threads, each of which waits for the lock that the other holds. */
static void fix_deadlock(const struct fix_search *s)
{
	const uint32_t *stops = s->predicted->stops;
	if (!are_two_locks(s))
		return;
	bool by_address =
	        norn_graph_place(s->graph, s->events[stops[0]].site) == norn_graph_place(s->graph, s->events[stops[1]].site);
	for (uint32_t i = 2; i-- > 0 && !(by_address && i == 0);) {
		uint32_t waited = stops[i], outer = held_lock(s, waited, s->events[stops[!i]].addr);
		struct norn_fix_region region;
		if (!outer || !norn_fix_region_of(s->run, &waited, 1, &region))
			return;
		struct norn_fix_candidate *c = add(s);
		const char *a = norn_fix_place_text(s->run, outer), *b = norn_fix_place_text(s->run, waited);
		c->fix.outer = s->events[outer].site;
		c->fix.inner = s->events[waited].site;
		c->fix.by_address = by_address;
		c->text = norn_findings_text(s->run->findings,
		        by_address ? "of the locks that are taken at %s and %s (%s), take the one with the lower address first"
		                   : "take the lock of %s before that of %s (%s): exchange the two",
		        by_address ? a : b, by_address ? b : a, region.function);
	}
}

void norn_fix_candidates_find(const struct norn_fix_run *run, const struct norn_predicted *predicted,
        const struct norn_finding *finding, struct norn_fix_candidates *ret_candidates)
{
	static void (*const by_kind[])(const struct fix_search *) = {[NORN_PREDICTED_RACE] = fix_race,
	        [NORN_PREDICTED_ATOMICITY] = fix_atomicity,
	        [NORN_PREDICTED_ASSERTION] = fix_assertion,
	        [NORN_PREDICTED_NULL] = fix_null,
	        [NORN_PREDICTED_USE_AFTER_FREE] = fix_use_after_free,
	        [NORN_PREDICTED_DEADLOCK] = fix_deadlock};
	const struct fix_search s = {.run = run,
	        .graph = run->graph,
	        .events = norn_graph_events(run->graph),
	        .predicted = predicted,
	        .finding = finding,
	        .found = ret_candidates};
	ret_candidates->count = 0;
	if (predicted->kind == NORN_PREDICTED_RACE && predicted->missing.store)
		fix_order(&s);
	else if (predicted->kind < sizeof by_kind / sizeof *by_kind && by_kind[predicted->kind])
		by_kind[predicted->kind](&s);
}
