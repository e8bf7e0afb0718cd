/* Watch mode: calls and returns of functions that properties name, with their arguments and results. */
#include <assert.h>
#include <string.h>

#include "runtime/heap.h"
#include "runtime/hooks.h"
#include "runtime/watch/watch.h"
#include "runtime/watch/watch_state.h"

static bool wants_site(uint32_t site)
{
	for (uint32_t l = 0; l < norn_watch.props_count; l++)
		if (norn_event_match_site(&norn_watch.props[l].event_match, site))
			return true;
	return false;
}

static uint32_t arguments_of(uint32_t site)
{
	for (uint32_t l = 0; l < norn_watch.props_count; l++) {
		const struct norn_event_match_site *s = norn_event_match_site(&norn_watch.props[l].event_match, site);
		if (s)
			return s->arguments;
	}
	return 0;
}

bool norn_watch_frames_grow(struct norn_watcher *w)
{
	uint32_t room = w->frame_room ? w->frame_room * 2 : 64;
	struct norn_watch_frame *frames = norn_heap_realloc(w->frames, room * sizeof *frames);
	if (!frames)
		return false;
	w->frames = frames;
	w->frame_room = room;
	return true;
}

/* The call has all its arguments. */
static void entered(struct norn_watcher *w)
{
	const struct norn_event event = {.kind = NORN_EVENT_ENTER,
	        .known = true,
	        .thread = w->number,
	        .site = w->enter_site,
	        .call_site = w->enter_call,
	        .count = NORN_WATCH_ARGS,
	        .argument = w->enter_known,
	        .args = w->enter_args};
	struct norn_watch_frame *frame = norn_watch_push(w, w->enter_depth, w->enter_site, w->enter_call);
	w->awaited = 0;
	if (frame && w->enter_known) {
		frame->known = w->enter_known;
		memcpy(frame->args, w->enter_args, sizeof frame->args);
	}
	for (uint32_t l = 0; l < norn_watch.props_count; l++) {
		const struct norn_event_match_site *site = norn_event_match_site(&norn_watch.props[l].event_match, w->enter_site);
		w->look.count = 0;
		if (site && site->calls.count)
			norn_event_match_enter(&norn_watch.props[l].event_match, &w->props[l], &event, site, &w->look);
		norn_watch_tell(w, l, &event, &w->look);
	}
}

static void start_function(struct norn_watcher *w, uint32_t site)
{
	struct norn_site_words words;
	norn_modules_site(&norn_watch.modules, site, &words);
	snprintf(w->started, sizeof w->started, "%s", *words.name ? words.name : "?");
	if (w->begun)
		norn_watch_find_types(w); /* something happened before it entered a function */
}

static void enter(struct norn_slot *self, uint32_t site, uint32_t call_site)
{
	struct norn_watcher *w = norn_watcher;
	if (!w)
		return;
	if (!*w->started)
		start_function(w, site);
	if (!w->begun && !norn_watcher_ready())
		return;
	if (w->awaited)
		entered(w);
	if (!wants_site(site))
		return;
	w->enter_site = site;
	w->enter_call = call_site;
	w->enter_known = 0;
	w->has_result = false;
	w->enter_depth = self->depth + 1; /* hooks count a frame after its ENTER, and no longer before its LEAVE */
	w->awaited = arguments_of(site);
	if (!w->awaited)
		entered(w);
}

static void take_value(struct norn_watcher *w, unsigned index, uint64_t value)
{
	if (index == NORN_VALUE_RESULT) {
		w->result = value;
		w->result_depth = norn_self ? norn_self->depth : 0;
		w->has_result = true;
		return;
	}
	if (!w->awaited || index >= NORN_WATCH_ARGS)
		return;
	w->enter_args[index] = value;
	w->enter_known |= 1u << index;
	w->awaited &= ~((2u << index) - 1); /* they come in order */
	if (!w->awaited)
		entered(w);
}

static void left(struct norn_watcher *w, uint32_t site, const struct norn_watch_frame *frame, bool unwound)
{
	const struct norn_event event = {.kind = NORN_EVENT_LEAVE,
	        .known = true,
	        .thread = w->number,
	        .site = site,
	        .call_site = frame ? frame->call_site : 0,
	        .argument = unwound ? NORN_LEAVE_UNWOUND : 0,
	        .count = w->has_result && !unwound,
	        .args = &w->result};
	for (uint32_t l = 0; l < norn_watch.props_count; l++) {
		const struct norn_event_match_site *s = norn_event_match_site(&norn_watch.props[l].event_match, site);
		w->look.count = 0;
		if (s && s->returns.count)
			norn_event_match_leave(&norn_watch.props[l].event_match, &w->props[l], &event, s,
			        frame ? frame->args : NULL, frame ? frame->known : 0, &w->look);
		norn_watch_tell(w, l, &event, &w->look);
	}
}

static void leave(struct norn_slot *self, uint32_t site, bool unwound)
{
	struct norn_watcher *w = norn_watcher;
	if (!w || !w->begun)
		return;
	if (w->awaited)
		entered(w);
	uint32_t depth = self->depth + 1;
	const struct norn_watch_frame *frame = norn_watch_pop(w, depth);
	if (unwound && frame)
		site = frame->site;
	else if (frame && frame->site != site)
		frame = NULL;
	w->has_result &= w->result_depth == depth;
	if ((!unwound || frame) && wants_site(site))
		left(w, site, frame, unwound);
	w->has_result = false;
}

/* No function that a selector names, and that is not over, lies above the one that is left now. */
static bool is_outermost(const struct norn_watcher *w)
{
	return !w->frame_count || (norn_self && w->frames[w->frame_count - 1].depth <= norn_self->depth);
}

void norn_watch_unit(uint64_t first, uint64_t second)
{
	struct norn_watcher *w = norn_watcher;
	unsigned tag = norn_record_tag(first);
	uint32_t site = (uint32_t)(first >> 8) & ((1u << NORN_SITE_BITS) - 1);
	/* Events that no property names, which are almost all, end here. */
	if (w && w->begun && !w->awaited) {
		bool enters = tag == NORN_TAG_ENTER, leaves = tag == NORN_TAG_LEAVE && !(first >> 36 & NORN_LEAVE_UNWOUND);
		if (norn_watch.quick && (enters || leaves) &&
		        norn_quick_call(w, site, enters ? NORN_QUICK_ENTER : NORN_QUICK_LEAVE))
			return;
		if (tag == NORN_TAG_THREAD || (enters && !wants_site(site)))
			return;
		if (leaves && is_outermost(w) && !wants_site(site))
			return;
		if (!w->frame_count && tag == NORN_TAG_VALUE) {
			take_value(w, norn_record_sub(first), second);
			return;
		}
	}
	struct norn_slot *self = norn_busy_or_attach();
	if (self) {
		if (tag == NORN_TAG_ENTER)
			enter(self, site, (uint32_t)(first >> 36));
		else if (tag == NORN_TAG_LEAVE)
			leave(self, site, first >> 36 & NORN_LEAVE_UNWOUND);
		else if (tag == NORN_TAG_VALUE && norn_watcher)
			take_value(norn_watcher, norn_record_sub(first), second);
		if (norn_watcher)
			norn_watch_settle(self, norn_watcher);
	}
	norn_idle(self);
}
