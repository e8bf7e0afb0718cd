#include "errors/fix/fix_regions.h"

#include <string.h>

#include "finding/own_place.h"
#include "trace/record.h"

#define FRAMES 12u

/* A place of the thread, and the frame: an ENTER, and what was inlined into it. */
struct frame {
	struct norn_own_place place;
	uint32_t enter;
};

struct region_frames {
	struct frame list[FRAMES];
	uint32_t count;
};

static void add_frames(const struct norn_fix_run *run, uint32_t site, uint32_t enter, struct region_frames *ret)
{
	struct norn_own_places places;
	struct norn_own_place place;
	norn_own_places(run->trace, site, &places);
	while (ret->count < FRAMES && norn_own_places_next(&places, &place))
		ret->list[ret->count++] = (struct frame){place, enter};
}

/* The innermost call that is open when the event comes. */
static uint32_t open_enter(const struct norn_fix_run *run, uint32_t event)
{
	const struct norn_graph_event *events = norn_graph_events(run->graph), *e;
	uint32_t open = 0;
	for (uint32_t i = norn_graph_first(run->graph, events[event].thread); i && i < event; i = e->next) {
		e = events + i;
		if (e->kind == NORN_EVENT_ENTER)
			open = i;
		else if (e->kind == NORN_EVENT_LEAVE && e->link)
			open = events[e->link].other;
	}
	return open;
}

static void frames_of(const struct norn_fix_run *run, uint32_t event, struct region_frames *ret)
{
	const struct norn_graph_event *events = norn_graph_events(run->graph);
	uint32_t enter = open_enter(run, event);
	ret->count = 0;
	add_frames(run, events[event].site, enter, ret);
	for (; enter && !(events[enter].flags & NORN_GRAPH_UNSEEN) && events[enter].other; enter = events[enter].other)
		add_frames(run, events[enter].link, events[enter].other, ret);
}

static const struct norn_own_place *in_frame(const struct region_frames *f, const struct frame *wanted)
{
	for (uint32_t i = 0; i < f->count; i++) {
		const struct frame *x = &f->list[i];
		if (x->enter == wanted->enter && x->place.inlined_at == wanted->place.inlined_at &&
		        strcmp(x->place.function, wanted->place.function) == 0 && strcmp(x->place.file, wanted->place.file) == 0)
			return &x->place;
	}
	return NULL;
}

static bool region_in(const struct region_frames *frames, uint32_t count, const struct frame *wanted, struct norn_fix_region *ret)
{
	const struct norn_own_place *first = &wanted->place;
	*ret = (struct norn_fix_region){first->file, first->function, first->line, first->line};
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_own_place *place = in_frame(&frames[i], wanted);
		if (!place)
			return false;
		ret->first = ret->first < place->line ? ret->first : place->line;
		ret->last = ret->last > place->line ? ret->last : place->line;
	}
	return ret->last - ret->first < NORN_FIX_LINES;
}

bool norn_fix_region_of(const struct norn_fix_run *run, const uint32_t *events, uint32_t count, struct norn_fix_region *ret_region)
{
	struct region_frames frames[NORN_FIX_EVENTS];
	uint32_t known = 0;
	for (uint32_t i = 0; i < count && known < NORN_FIX_EVENTS; i++)
		if (events[i])
			frames_of(run, events[i], &frames[known++]);
	for (uint32_t i = 0; known && i < frames[0].count; i++)
		if (region_in(frames, known, &frames[0].list[i], ret_region))
			return true;
	return false;
}

uint32_t norn_fix_regions_join(struct norn_fix_region regions[2])
{
	struct norn_fix_region *a = &regions[0], *b = &regions[1];
	uint32_t first = a->first < b->first ? a->first : b->first, last = a->last > b->last ? a->last : b->last;
	if (strcmp(a->function, b->function) != 0 || strcmp(a->file, b->file) != 0 || last - first >= NORN_FIX_LINES)
		return 2;
	a->first = first;
	a->last = last;
	return 1;
}

const char *norn_fix_region_text(const struct norn_fix_run *run, const struct norn_fix_region *r)
{
	const char *name = basename(r->file);
	return r->first == r->last ? norn_findings_text(run->findings, "%s:%u (%s)", name, r->first, r->function)
	                           : norn_findings_text(run->findings, "%s:%u to %u (%s)", name, r->first, r->last, r->function);
}

const char *norn_fix_place_text(const struct norn_fix_run *run, uint32_t event)
{
	struct norn_fix_region r;
	struct norn_site_info info;
	if (norn_fix_region_of(run, &event, 1, &r))
		return norn_findings_text(run->findings, "%s:%u", basename(r.file), r.first);
	norn_trace_site(run->trace, norn_graph_event(run->graph, event)->site, &info);
	return norn_findings_text(run->findings, "%s:%u", basename(info.file), info.line);
}

unsigned norn_fix_gives_up(const struct norn_fix_run *run, const struct norn_fix_region *region, uint64_t lock)
{
	const struct norn_graph_event *events = norn_graph_events(run->graph);
	unsigned found = 0;
	for (uint32_t i = 1; i <= norn_graph_count(run->graph); i++) {
		struct norn_own_place at;
		if (events[i].kind == NORN_EVENT_SYNC && events[i].op == NORN_SYNC_RELEASE && events[i].addr == lock &&
		        norn_own_place(run->trace, events[i].site, &at) && norn_fix_is_in(region, &at) && at.line < region->last &&
		        (!found || at.line < found))
			found = at.line;
	}
	return found;
}
