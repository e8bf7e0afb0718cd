#include "predict/conflict.h"

#include <errno.h>
#include <stdlib.h>

#include "predict/words.h"
#include "trace/record.h"
#include "trace/site.h"

#define SHARED 0x80000000u /* of a cell while words are classified: several threads accessed it */
#define LOOK_BACK 64u /* accesses of a word that are looked at for each access */

/* The latest access of a word by one thread at one site. */
struct entry {
	uint32_t event;
	uint32_t next; /* the one before it, 0: none */
	uint32_t site;
};

struct search {
	const struct norn_slice *slice;
	const struct norn_slice_event *events;
	const struct norn_conflict_options *options;
	struct norn_conflicts *conflicts;
	struct norn_words cells; /* per word: 1 + its only thread, or SHARED; when all are known, SHARED | its first entry */
	struct entry *entries; /* [0] is none */
	uint32_t entry_count, entry_room, spare;
	struct norn_map pairs; /* positions → 1 + index */
	uint32_t event; /* that is being looked at */
	int error;
};

/* ---- what conflicts ---- */

static bool is_access(const struct norn_slice_event *e)
{
	return e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
}

void norn_conflict_bytes(const struct norn_slice *slice, uint32_t a, uint32_t b, uint64_t *ret_addr, uint64_t *ret_size)
{
	const struct norn_slice_event *x = norn_slice_event(slice, a), *y = norn_slice_event(slice, b);
	uint64_t first = x->addr > y->addr ? x->addr : y->addr;
	uint64_t end = x->addr + x->size < y->addr + y->size ? x->addr + x->size : y->addr + y->size;
	while (first < end && norn_slice_object(slice, first))
		first = (first | 7) + 1;
	uint64_t last = first;
	while (last < end && !norn_slice_object(slice, last))
		last = (last | 7) + 1;
	*ret_addr = first;
	*ret_size = first < end ? (last < end ? last : end) - first : 0;
}

/* A lock that both hold keeps them apart, unless both only read under it. */
static bool locks_apart(const struct search *s, uint32_t a, uint32_t b)
{
	for (uint32_t held = s->events[a].held; held;) {
		uint32_t mine = norn_slice_held(s->slice, held, &held);
		for (uint32_t others = s->events[b].held; others;) {
			uint32_t other = norn_slice_held(s->slice, others, &others);
			if (s->events[mine].size == s->events[other].size &&
			        (s->events[mine].op == NORN_SYNC_ACQUIRE || s->events[other].op == NORN_SYNC_ACQUIRE))
				return true;
		}
	}
	return false;
}

/* Would this event write, whatever it reads? A compare-and-swap may find another value than it did. */
static bool surely_writes(const struct search *s, uint32_t number)
{
	const struct norn_slice_event *e = s->events + number;
	if (e->kind != NORN_EVENT_RMW)
		return e->kind == NORN_EVENT_WRITE;
	struct norn_slice_site site;
	norn_slice_site(s->slice, e->site, &site);
	return site.kind == NORN_SITE_RMW;
}

static bool kinds_race(const struct search *s, uint32_t a, uint32_t b)
{
	const struct norn_slice_event *x = s->events + a, *y = s->events + b;
	if ((x->kind == NORN_EVENT_READ && y->kind == NORN_EVENT_READ) || (x->flags & y->flags & NORN_SLICE_ATOMIC))
		return false;
	return surely_writes(s, a) || surely_writes(s, b);
}

static bool overlap(const struct norn_slice_event *x, const struct norn_slice_event *y)
{
	return x->addr < y->addr + y->size && y->addr < x->addr + x->size;
}

/* ---- pairs of positions ---- */

static struct norn_conflict_pair *get_pair(struct search *s, uint32_t a, uint32_t b, bool frees)
{
	uint32_t x = norn_slice_place(s->slice, s->events[a].site), y = norn_slice_place(s->slice, s->events[b].site);
	if (!frees && x > y) {
		uint32_t swap = x;
		x = y;
		y = swap;
	}
	/* Places are below 2^28 (a site's number) or a caller's own small numbers. */
	uint32_t *index;
	if (norn_map_put(&s->pairs, (uint64_t)x << 32 | (uint64_t)frees << 31 | y, (void **)&index) < 0) {
		s->error = -ENOMEM;
		return NULL;
	}
	struct norn_conflicts *c = s->conflicts;
	if (*index == 0) {
		if (c->pair_count == c->pair_room) {
			uint32_t room = c->pair_room ? c->pair_room * 2 : 64;
			struct norn_conflict_pair *bigger = realloc(c->pairs, room * sizeof *bigger);
			if (!bigger) {
				s->error = -ENOMEM;
				return NULL;
			}
			c->pairs = bigger;
			c->pair_room = room;
		}
		c->pairs[c->pair_count++] = (struct norn_conflict_pair){.place = x, .other = y, .frees = frees};
		*index = c->pair_count;
	}
	return c->pairs + *index - 1;
}

/* The first few, then every one that doubles their number. */
static bool wanted(uint64_t seen, unsigned tries)
{
	return seen <= tries || (seen & (seen - 1)) == 0;
}

static void add(struct search *s, uint32_t first, uint32_t second, bool frees)
{
	struct norn_conflicts *c = s->conflicts;
	struct norn_conflict_pair *pair = get_pair(s, first, second, frees);
	if (!pair || !wanted(pair->seen + 1, s->options->tries)) {
		if (pair)
			pair->seen++;
		return;
	}
	uint64_t addr, size;
	norn_conflict_bytes(s->slice, first, second, &addr, &size);
	if (size == 0)
		return;
	pair->seen++;
	if (c->count == c->room) {
		uint32_t room = c->room ? c->room * 2 : 256;
		struct norn_conflict *bigger = realloc(c->list, room * sizeof *bigger);
		if (!bigger) {
			s->error = -ENOMEM;
			return;
		}
		c->list = bigger;
		c->room = room;
	}
	c->list[c->count++] = (struct norn_conflict){first, second, (uint32_t)(pair - c->pairs)};
}

/* ---- which words are shared ---- */

static void forget_owner(void *context, uint64_t addr, uint32_t *cell)
{
	if (!(*cell & SHARED))
		*cell = 0;
}

static void free_owner(void *context, uint64_t addr, uint32_t *cell)
{
	const struct search *s = context;
	if (!(*cell & SHARED))
		*cell = *cell == s->events[s->event].thread + 1u ? 0 : SHARED;
}

static void own(struct search *s, const struct norn_slice_event *e)
{
	for (uint64_t word = e->addr & ~UINT64_C(7); word < e->addr + e->size; word += 8) {
		uint32_t *cell = norn_words_get(&s->cells, word);
		if (!cell) {
			s->error = -ENOMEM;
			return;
		}
		if (*cell == 0)
			*cell = e->thread + 1;
		else if (*cell != e->thread + 1u)
			*cell = SHARED;
	}
}

static bool takes_memory(const struct norn_slice_event *e)
{
	return e->kind == NORN_EVENT_ALLOC || (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_STACK && e->size);
}

static bool frees_memory(const struct norn_slice_event *e)
{
	return e->kind == NORN_EVENT_FREE && !(e->flags & NORN_SLICE_PIECE);
}

static void classify(struct search *s)
{
	uint32_t count = norn_slice_count(s->slice);
	for (uint32_t i = 1; i <= count && s->error == 0; i++) {
		const struct norn_slice_event *e = s->events + i;
		s->event = i;
		if (is_access(e))
			own(s, e);
		else if (takes_memory(e))
			norn_words_visit(&s->cells, e->addr, e->size, forget_owner, s);
		else if (frees_memory(e))
			norn_words_visit(&s->cells, e->addr, e->size, s->options->frees ? free_owner : forget_owner, s);
	}
}

/* ---- accesses of shared words ---- */

static uint32_t new_entry(struct search *s)
{
	uint32_t i = s->spare;
	if (i) {
		s->spare = s->entries[i].next;
		return i;
	}
	if (s->entry_count == s->entry_room) {
		uint32_t room = s->entry_room ? s->entry_room + s->entry_room / 2 : 1024;
		struct entry *bigger = realloc(s->entries, room * sizeof *bigger);
		if (!bigger) {
			s->error = -ENOMEM;
			return 0;
		}
		s->entries = bigger;
		s->entry_room = room;
		if (s->entry_count == 0)
			s->entry_count = 1;
	}
	return s->entry_count++;
}

/* An access of two words would be seen twice. */
static bool first_common_word(const struct norn_slice_event *x, const struct norn_slice_event *y, uint64_t word)
{
	uint64_t first = x->addr > y->addr ? x->addr : y->addr;
	return (first & ~UINT64_C(7)) == word;
}

static void look_at(struct search *s, const struct entry *entry, uint64_t word)
{
	const struct norn_slice_event *x = s->events + entry->event, *y = s->events + s->event;
	if (s->options->races && x->thread != y->thread && overlap(x, y) && first_common_word(x, y, word) &&
	        kinds_race(s, entry->event, s->event) && !locks_apart(s, entry->event, s->event))
		add(s, entry->event, s->event, false);
}

/* Are these the same locks, in the same order? */
static bool same_locks(const struct search *s, uint32_t a, uint32_t b)
{
	while (a != b && a && b) {
		uint32_t x = norn_slice_held(s->slice, a, &a), y = norn_slice_held(s->slice, b, &b);
		if (s->events[x].size != s->events[y].size || s->events[x].op != s->events[y].op)
			return false;
	}
	return a == b;
}

static bool alike(const struct search *s, const struct entry *entry, const struct norn_slice_event *e)
{
	const struct norn_slice_event *x = s->events + entry->event;
	return entry->site == e->site && x->thread == e->thread && x->kind == e->kind && x->addr == e->addr &&
	       same_locks(s, x->held, e->held);
}

static void give_back(struct search *s, uint32_t first)
{
	while (first) {
		uint32_t next = s->entries[first].next;
		s->entries[first].next = s->spare;
		s->spare = first;
		first = next;
	}
}

/* The event accesses a shared word: compares it with what others did since this thread was last here in the same way, and becomes the
 * first of the word's entries. */
static void visit_word(struct search *s, uint32_t *cell, uint64_t word)
{
	const struct norn_slice_event *e = s->events + s->event;
	uint32_t before = 0, mine = 0, i = *cell & ~SHARED;
	for (unsigned n = 0; i && n < LOOK_BACK; n++) {
		struct entry *entry = s->entries + i;
		if (alike(s, entry, e)) {
			mine = i; /* all behind it are older, and were compared then */
			break;
		}
		look_at(s, entry, word);
		before = i;
		i = entry->next;
	}
	if (mine && before)
		s->entries[before].next = s->entries[mine].next;
	else if (mine)
		*cell = SHARED | s->entries[mine].next;
	else if (before) {
		give_back(s, s->entries[before].next);
		s->entries[before].next = 0;
	}
	if (mine == 0)
		mine = new_entry(s);
	if (mine == 0)
		return;
	s->entries[mine] = (struct entry){s->event, *cell & ~SHARED, e->site};
	*cell = SHARED | mine;
}

static void forget_entries(void *context, uint64_t addr, uint32_t *cell)
{
	struct search *s = context;
	if (!(*cell & SHARED))
		return;
	give_back(s, *cell & ~SHARED);
	*cell = SHARED;
}

/* The event frees this word: who used it? */
static void free_entries(void *context, uint64_t addr, uint32_t *cell)
{
	struct search *s = context;
	const struct norn_slice_event *f = s->events + s->event;
	if (!(*cell & SHARED))
		return;
	for (uint32_t i = *cell & ~SHARED; i && s->options->frees; i = s->entries[i].next) {
		const struct norn_slice_event *x = s->events + s->entries[i].event;
		if (x->thread != f->thread && first_common_word(x, f, addr) && !locks_apart(s, s->entries[i].event, s->event))
			add(s, s->entries[i].event, s->event, true);
	}
	forget_entries(context, addr, cell);
}

static void search(struct search *s)
{
	uint32_t count = norn_slice_count(s->slice);
	for (uint32_t i = 1; i <= count && s->error == 0; i++) {
		const struct norn_slice_event *e = s->events + i;
		s->event = i;
		if (takes_memory(e))
			norn_words_visit(&s->cells, e->addr, e->size, forget_entries, s);
		else if (frees_memory(e))
			norn_words_visit(&s->cells, e->addr, e->size, free_entries, s);
		else if (is_access(e))
			for (uint64_t word = e->addr & ~UINT64_C(7); word < e->addr + e->size && s->error == 0; word += 8) {
				uint32_t *cell = norn_words_get(&s->cells, word);
				if (*cell & SHARED)
					visit_word(s, cell, word);
			}
	}
}

int norn_conflicts_find(
        const struct norn_slice *slice, const struct norn_conflict_options *options, struct norn_conflicts *ret_conflicts)
{
	*ret_conflicts = (struct norn_conflicts){0};
	struct search s = {.slice = slice, .events = norn_slice_events(slice), .options = options, .conflicts = ret_conflicts};
	norn_words_init(&s.cells);
	norn_map_init(&s.pairs, sizeof(uint32_t));
	classify(&s);
	search(&s);
	norn_words_done(&s.cells);
	norn_map_done(&s.pairs);
	free(s.entries);
	if (s.error < 0)
		norn_conflicts_done(ret_conflicts);
	return s.error;
}

void norn_conflicts_done(struct norn_conflicts *conflicts)
{
	free(conflicts->list);
	free(conflicts->pairs);
	*conflicts = (struct norn_conflicts){0};
}
