/* Watch mode: accesses to memory.
 *
 * Most are of no interest, and are performed and forgotten. Those to memory that a property speaks of are performed under the lock
 * of the machines that it concerns, so that the order of steps is the order of the accesses; those that carry knowledge
 * (wants_words), under their word's cell. */
#include <string.h>

#include "runtime/record/access.h"
#include "runtime/watch/watch_state.h"
#include "runtime/watch/watch_words.h"

#define RANGES NORN_HITS_MAX
#define PIECE 512u /* bytes of a copy, on the stack of the program's thread, which may be small */

struct watch_access {
	struct norn_slot *self;
	struct norn_watcher *watcher;
	struct norn_event event;
	uint32_t props; /* whose machines are concerned, a bit each */
};

/* ---- concerned properties ---- */

static uint32_t concerned(const void *addr, size_t bytes, uint32_t site)
{
	uint32_t props = 0;
	for (uint32_t l = 0; norn_watch.wants_memory && l < norn_watch.props_count; l++) {
		const struct norn_event_match *event_match = &norn_watch.props[l].event_match;
		const struct norn_event_match_site *s = event_match->has_fields ? norn_event_match_site(event_match, site) : NULL;
		if ((s && s->field) || norn_place_index_touch(&event_match->place_index, (uintptr_t)addr, bytes))
			props |= 1u << l;
	}
	return props;
}

/* ---- locks ---- */

static void hold(struct norn_watcher *w, uint32_t props)
{
	for (uint32_t l = 0; l < norn_watch.props_count; l++)
		if (props >> l & 1)
			norn_live_monitors_lock(norn_watch.props[l].machines);
	w->held = props;
	w->paused = 0;
}

static void release(struct norn_watcher *w)
{
	uint32_t props = w->held;
	w->held = 0;
	for (uint32_t l = 0; l < norn_watch.props_count; l++)
		if (props >> l & 1)
			norn_live_monitors_unlock(norn_watch.props[l].machines);
}

void norn_watch_interrupted(void)
{
	struct norn_watcher *w = norn_watcher;
	if (!w || !w->held)
		return;
	uint32_t props = w->held;
	release(w);
	w->paused = props;
}

void norn_watch_resumed(void)
{
	struct norn_watcher *w = norn_watcher;
	if (w && w->paused)
		hold(w, w->paused);
}

/* ---- one access ---- */

static void before(struct watch_access *a)
{
	uint32_t ranges[RANGES];
	for (uint32_t l = 0; l < norn_watch.props_count; l++) {
		if (!(a->props >> l & 1))
			continue;
		uint32_t count = norn_place_index_find(
		        &norn_watch.props[l].event_match.place_index, a->event.addr, a->event.size, ranges, RANGES);
		norn_live_monitors_before(norn_watch.props[l].machines, &a->watcher->props[l], a->watcher->scratches[l], &a->event,
		        ranges, count, &a->watcher->look);
	}
}

static void after(struct watch_access *a, const struct norn_event *event)
{
	uint32_t ranges[RANGES];
	for (uint32_t l = 0; l < norn_watch.props_count; l++) {
		if (!(a->props >> l & 1))
			continue;
		uint32_t count = norn_place_index_find(
		        &norn_watch.props[l].event_match.place_index, event->addr, event->size, ranges, RANGES);
		norn_live_monitors_access(norn_watch.props[l].machines, &a->watcher->props[l], a->watcher->scratches[l], event,
		        ranges, count, &a->watcher->look);
		norn_watch_tell_engines(a->watcher, l, event, &a->watcher->look);
	}
}

/* False: the thread is not watched. */
static bool begin(struct watch_access *a, unsigned kind, const void *addr, size_t bytes, uint32_t site)
{
	a->self = norn_busy_or_attach();
	a->watcher = a->self ? norn_watcher_ready() : NULL;
	if (!a->watcher) {
		norn_idle(a->self);
		return false;
	}
	a->event = (struct norn_event){.kind = (uint8_t)kind,
	        .known = true,
	        .thread = a->watcher->number,
	        .site = site,
	        .addr = (uintptr_t)addr,
	        .size = bytes};
	hold(a->watcher, a->props);
	for (uint32_t l = 0; l < norn_watch.props_count; l++)
		if (a->props >> l & 1)
			norn_live_monitors_arrive(norn_watch.props[l].machines, &a->watcher->props[l], a->watcher->scratches[l]);
	return true;
}

static void finish(struct watch_access *a)
{
	release(a->watcher);
	norn_watch_settle(a->self, a->watcher);
	norn_idle(a->self);
}

static bool in_one_word(const void *addr, size_t bytes)
{
	return ((uintptr_t)addr & 7) + bytes <= 8;
}

/* The access itself, as the program meant it; once, whatever is concerned. */
static uint64_t do_read(const void *addr, unsigned bytes, uint32_t site)
{
	uint64_t value = 0;
	if (!norn_watch.wants_words)
		return norn_load(addr, bytes);
	if (in_one_word(addr, bytes))
		return norn_watch_word(NORN_EVENT_READ, (void *)(uintptr_t)addr, 0, bytes, site);
	norn_watch_words_read(&value, addr, bytes, site);
	return value;
}

static void do_write(void *addr, uint64_t value, unsigned bytes, uint32_t site)
{
	if (!norn_watch.wants_words)
		norn_store(addr, value, bytes);
	else if (in_one_word(addr, bytes))
		norn_watch_word(NORN_EVENT_WRITE, addr, value, bytes, site);
	else
		norn_watch_words_write(addr, &value, bytes, site);
}

static void do_read_range(void *to, const void *from, size_t bytes, uint32_t site)
{
	if (norn_watch.wants_words)
		norn_watch_words_read(to, from, bytes, site);
	else if (to)
		memcpy(to, from, bytes);
}

static void do_write_range(void *to, const void *from, size_t bytes, uint32_t site)
{
	if (norn_watch.wants_words)
		norn_watch_words_write(to, from, bytes, site);
	else
		memcpy(to, from, bytes);
}

static uint64_t read_watched(uint32_t props, const void *addr, unsigned bytes, uint32_t site)
{
	struct watch_access a = {.props = props};
	if (!begin(&a, NORN_EVENT_READ, addr, bytes, site))
		return norn_load(addr, bytes);
	before(&a);
	uint64_t value = do_read(addr, bytes, site);
	a.event.value = value;
	after(&a, &a.event);
	finish(&a);
	return value;
}

static void write_watched(uint32_t props, void *addr, uint64_t value, unsigned bytes, uint32_t site)
{
	struct watch_access a = {.props = props};
	if (!begin(&a, NORN_EVENT_WRITE, addr, bytes, site)) {
		norn_store(addr, value, bytes);
		return;
	}
	do_write(addr, value, bytes, site);
	a.event.value = value;
	after(&a, &a.event);
	finish(&a);
}

/* ---- hooks ---- */

uint64_t norn_watch_read(const void *addr, unsigned bytes, uint32_t site)
{
	uint32_t props = norn_watch.wants_memory ? concerned(addr, bytes, site) : 0;
	return __builtin_expect(props, 0) ? read_watched(props, addr, bytes, site) : do_read(addr, bytes, site);
}

void norn_watch_write(void *addr, uint64_t value, unsigned bytes, uint32_t site)
{
	uint32_t props = norn_watch.wants_memory ? concerned(addr, bytes, site) : 0;
	if (__builtin_expect(props, 0))
		write_watched(props, addr, value, bytes, site);
	else
		do_write(addr, value, bytes, site);
}

/* data: the bytes that were read or written, wherever they are now. */
static void note_range(struct watch_access *a, unsigned kind, const void *addr, size_t bytes, const void *data)
{
	struct norn_event event = a->event;
	event.kind = (uint8_t)kind;
	event.addr = (uintptr_t)addr;
	event.size = bytes;
	if (bytes <= 8)
		memcpy(&event.value, data, bytes);
	else
		event.data = data;
	after(a, &event);
}

void norn_watch_read_range(void *to, const void *from, size_t bytes, uint32_t site)
{
	struct watch_access a = {.props = concerned(from, bytes, site)};
	bool watched = a.props && begin(&a, NORN_EVENT_READ, from, bytes, site);
	if (watched)
		before(&a);
	do_read_range(to, from, bytes, site);
	if (!watched)
		return;
	note_range(&a, NORN_EVENT_READ, from, bytes, to ? to : from);
	finish(&a);
}

void norn_watch_write_range(void *to, const void *from, size_t bytes, uint32_t site)
{
	struct watch_access a = {.props = concerned(to, bytes, site)};
	bool watched = a.props && begin(&a, NORN_EVENT_WRITE, to, bytes, site);
	do_write_range(to, from, bytes, site);
	if (!watched)
		return;
	note_range(&a, NORN_EVENT_WRITE, to, bytes, from);
	finish(&a);
}

void norn_watch_filled(const void *at, size_t bytes, uint32_t site)
{
	struct watch_access a = {.props = concerned(at, bytes, site)};
	if (!a.props || !begin(&a, NORN_EVENT_WRITE, at, bytes, site))
		return;
	note_range(&a, NORN_EVENT_WRITE, at, bytes, at);
	finish(&a);
}

static void do_copy(void *to, const void *from, size_t bytes, uint32_t site)
{
	char piece[PIECE];
	bool backwards = (char *)to > (const char *)from && (char *)to < (const char *)from + bytes;
	if (!norn_watch.wants_words) {
		memmove(to, from, bytes);
		return;
	}
	for (size_t done = 0, n; done < bytes; done += n) {
		n = bytes - done < sizeof piece ? bytes - done : sizeof piece;
		size_t at = backwards ? bytes - done - n : done;
		norn_watch_words_read(piece, (const char *)from + at, n, site);
		norn_watch_words_write((char *)to + at, piece, n, site);
	}
}

void norn_watch_copy(void *to, const void *from, size_t bytes, uint32_t site)
{
	struct watch_access a = {.props = concerned(to, bytes, site) | concerned(from, bytes, site)};
	bool watched = a.props && begin(&a, NORN_EVENT_READ, from, bytes, site);
	if (watched)
		before(&a);
	do_copy(to, from, bytes, site);
	if (!watched)
		return;
	note_range(&a, NORN_EVENT_READ, from, bytes, to);
	note_range(&a, NORN_EVENT_WRITE, to, bytes, to);
	finish(&a);
}

static void do_set(void *to, int byte, size_t bytes, uint32_t site)
{
	char piece[PIECE];
	if (!norn_watch.wants_words) {
		memset(to, byte, bytes);
		return;
	}
	memset(piece, byte, sizeof piece);
	for (size_t done = 0, n; done < bytes; done += n) {
		n = bytes - done < sizeof piece ? bytes - done : sizeof piece;
		norn_watch_words_write((char *)to + done, piece, n, site);
	}
}

void norn_watch_set(void *to, int byte, size_t bytes, uint32_t site)
{
	struct watch_access a = {.props = concerned(to, bytes, site)};
	bool watched = a.props && begin(&a, NORN_EVENT_WRITE, to, bytes, site);
	do_set(to, byte, bytes, site);
	if (!watched)
		return;
	note_range(&a, NORN_EVENT_WRITE, to, bytes, to);
	finish(&a);
}

/* ---- atomics: the instruction stays in the program's code, between two hooks ---- */

void norn_watch_rmw_begin(void *addr, uint32_t bytes, uint32_t site)
{
	struct watch_access a = {.props = norn_watch.wants_memory ? concerned(addr, bytes, site) : 0};
	if (!a.props && !norn_watch.wants_words)
		return;
	if (!begin(&a, NORN_EVENT_RMW, addr, bytes, site))
		return;
	before(&a);
	struct norn_watcher *w = a.watcher;
	w->rmw = true;
	memcpy(w->rmw_before, addr, bytes <= sizeof w->rmw_before ? bytes : sizeof w->rmw_before);
	bool one_word = ((uintptr_t)addr & 7) + bytes <= 8;
	w->rmw_word = norn_watch.wants_words && one_word ? norn_watch_word_begin(addr, bytes) : NULL;
}

void norn_watch_rmw_end(void *addr, uint32_t bytes, uint32_t site, bool wrote)
{
	struct norn_watcher *w = norn_watcher;
	if (!w || !w->rmw)
		return;
	w->rmw = false;
	struct watch_access a = {.self = norn_self, .watcher = w, .props = w->held};
	a.event = (struct norn_event){.kind = wrote ? NORN_EVENT_RMW : NORN_EVENT_READ,
	        .known = true,
	        .thread = w->number,
	        .site = site,
	        .addr = (uintptr_t)addr,
	        .size = bytes};
	if (bytes <= 8)
		memcpy(&a.event.value, addr, bytes);
	else
		a.event.data = addr;
	if (w->rmw_word)
		norn_watch_word_end(w, w->rmw_word, &a.event);
	w->rmw_word = NULL;
	if (a.props)
		after(&a, &a.event);
	finish(&a);
}

/* ---- blocks ---- */

void norn_watch_block(bool frees, unsigned op, const void *block, size_t bytes, uint32_t site)
{
	if (frees && norn_watch.wants_words)
		norn_watch_words_drop(block, bytes);
	if (!norn_watch.wants_blocks)
		return;
	struct norn_slot *self = norn_busy();
	struct norn_watcher *w = self ? norn_watcher_ready() : NULL;
	for (uint32_t l = 0; w && l < norn_watch.props_count; l++) {
		const struct norn_watch_props *props = &norn_watch.props[l];
		if (!props->has_machines ||
		        !(props->event_match.place_index.has_pointers || (frees && props->event_match.has_keys)))
			continue;
		const struct norn_event event = {.kind = frees ? NORN_EVENT_FREE : NORN_EVENT_ALLOC,
		        .op = (uint8_t)op,
		        .known = true,
		        .thread = w->number,
		        .site = site,
		        .addr = (uintptr_t)block,
		        .size = bytes};
		norn_live_monitors_block(props->machines, &w->props[l], w->scratches[l], &event);
	}
	if (w)
		norn_watch_settle(self, w);
	norn_idle(self);
}
