#include "errors/conflict.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/must.h"
#include "causality/happens_before.h"
#include "errors/builtin_search.h"
#include "errors/judged_places.h"
#include "sliced/word_table.h"
#include "trace/record.h"
#include "trace/site.h"

/* Flags of a cell: several threads accessed its word in one life; one of them wrote it. The other bits: while words are classified
 * 1 + the only thread; after that, if both flags are set, the number of the word's list. */
#define SHARED 0x80000000u
#define WRITTEN 0x40000000u
/* Entries of a word: of more than LOOK_BACK some are forgotten, if happens-before orders them with all that comes; of more than the
 * most, others, too. Where entries are as many as an eighth of the events, words that many use in many ways have fewer: memory is
 * to stay below what is said beforehand (builtin_driver.c). */
#define LOOK_BACK 64u
#define LOOK_BACK_MOST 1024u
#define LOOK_BACK_LESS 4u
#define PLENTY_LEAST 65536u
#define APART_CACHE 4096u
#define FIRST_FEW 32u
#define UNORDERED_FEW 64u /* of a pair of positions, in one list */
#define UNORDERED_MOST (1u << 20) /* in one list, of all pairs together */

/* Of an entry: its event uses an object of synchronization that begins in the word. It conflicts with frees only. */
#define USES_OBJECT 3u

/* The latest access of a word by one thread at one site, with the same locks. */
struct conflict_entry {
	uint32_t event, site;
	uint32_t locks : 31;
	uint32_t others : 1; /* it stands for accesses of other threads, too, which were forgotten for it (keep) */
	uint32_t thread : 20, bytes : 8, kind : 2, atomic : 1; /* kind: 0 reads, 1 writes, 2 both, USES_OBJECT */
	uint32_t early : 1; /* it began in a word before this one */
};

struct access_list {
	uint32_t first, count, room; /* in entries */
};

struct conflict_search {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	const struct norn_conflict_options *options;
	struct norn_conflicts *conflicts;
	struct norn_word_table words;
	NORN_VECTOR(struct access_list) lists; /* [0] is none */
	struct conflict_entry *entries;
	uint32_t entry_count, entry_room;
	uint32_t spare[32]; /* 1 + first of entries that are free, linked by event: 1, 2, 4 … of them */
	uint32_t look_back;
	struct norn_hb *hb;
	uint64_t few; /* unordered conflicts that are taken of a pair of positions */
	const bool *found; /* per pair: it needs no more; NULL: this is the first time */
	struct norn_numbers unordered, ordered; /* earlier events that the one that is being looked at conflicts with */
	struct norn_map sets; /* hash of a set of locks → its number */
	uint32_t *locks; /* per set of held locks: its number from 1 on, sets of the same locks having the same */
	uint32_t lock_room;
	struct norn_numbers helds; /* per number: a set of held locks that has it */
	struct {
		uint32_t a, b;
		bool apart;
	} apart[APART_CACHE];
	uint32_t plenty; /* of entries, beyond which words have fewer */
	uint32_t event; /* that is being looked at */
};

/* ---- what conflicts ---- */

void norn_conflict_bytes(const struct norn_graph *graph, uint32_t a, uint32_t b, uint64_t *ret_addr, uint64_t *ret_size)
{
	const struct norn_graph_event *x = norn_graph_event(graph, a), *y = norn_graph_event(graph, b);
	uint64_t first = x->addr > y->addr ? x->addr : y->addr;
	uint64_t end = x->addr + x->size < y->addr + y->size ? x->addr + x->size : y->addr + y->size;
	while (first < end && norn_graph_object(graph, first))
		first = (first | 7) + 1;
	uint64_t last = first;
	while (last < end && !norn_graph_object(graph, last))
		last = (last | 7) + 1;
	*ret_addr = first;
	*ret_size = first < end ? (last < end ? last : end) - first : 0;
}

static uint64_t end_of(const struct norn_graph_event *e)
{
	return e->addr + (e->kind == NORN_EVENT_SYNC ? 8 : e->size);
}

void norn_conflict_freed_bytes(
        const struct norn_graph *graph, uint32_t use, uint32_t free_event, uint64_t *ret_addr, uint64_t *ret_size)
{
	const struct norn_graph_event *u = norn_graph_event(graph, use), *f = norn_graph_event(graph, free_event);
	uint64_t first = u->addr > f->addr ? u->addr : f->addr, end = end_of(u) < end_of(f) ? end_of(u) : end_of(f);
	*ret_addr = first;
	*ret_size = first < end ? end - first : 0;
}

/* ---- sets of locks ---- */

bool norn_conflict_common_lock(const struct norn_graph *graph, uint32_t held, uint32_t others)
{
	for (uint32_t rest; held; held = rest) {
		const struct norn_graph_event *mine = norn_graph_event(graph, norn_graph_held(graph, held, &rest));
		for (uint32_t at = others; at;) {
			const struct norn_graph_event *other = norn_graph_event(graph, norn_graph_held(graph, at, &at));
			if (mine->size == other->size && (mine->op == NORN_SYNC_ACQUIRE || other->op == NORN_SYNC_ACQUIRE))
				return true;
		}
	}
	return false;
}

static uint32_t set_number(struct conflict_search *s, uint32_t held)
{
	uint64_t hash = 1;
	for (uint32_t at = held; at;) {
		const struct norn_graph_event *e = s->events + norn_graph_held(s->graph, at, &at);
		hash = norn_hash_mix(hash, (uint64_t)e->size << 8 | e->op);
	}
	uint32_t *number = norn_must_map_put(&s->sets, hash);
	if (*number == 0) {
		*number = s->helds.count;
		norn_must_push(&s->helds, held);
	}
	return *number;
}

/* A number for the locks held: the same for the same locks, taken in the same order. (Two sets whose hashes agree by chance are
 * taken for one, which loses entries, and is no error.) */
static uint32_t locks_of(struct conflict_search *s, uint32_t held)
{
	if (held == 0)
		return 0;
	uint32_t old = s->lock_room;
	norn_must_grow(&s->locks, held + UINT64_C(1), &s->lock_room, sizeof *s->locks);
	for (uint32_t i = old; i < s->lock_room; i++)
		s->locks[i] = 0;
	if (s->locks[held] == 0)
		s->locks[held] = set_number(s, held);
	return s->locks[held];
}

/* A lock that both hold keeps them apart, unless both only read under it. x and y are numbers of sets. */
static bool sets_apart(struct conflict_search *s, uint32_t x, uint32_t y)
{
	if (x == 0 || y == 0)
		return false;
	unsigned slot = (x * 0x9e3779b1u ^ y * 0x85ebca6bu) >> 20;
	if (s->apart[slot].a != x || s->apart[slot].b != y) {
		s->apart[slot].a = x;
		s->apart[slot].b = y;
		s->apart[slot].apart = norn_conflict_common_lock(s->graph, s->helds.items[x], s->helds.items[y]);
	}
	return s->apart[slot].apart;
}

static bool locks_apart(struct conflict_search *s, uint32_t a, uint32_t b)
{
	return sets_apart(s, locks_of(s, s->events[a].held), locks_of(s, s->events[b].held));
}

/* ---- kinds ---- */

bool norn_conflict_writes(const struct norn_graph *graph, uint32_t event)
{
	const struct norn_graph_event *e = norn_graph_event(graph, event);
	if (e->kind != NORN_EVENT_RMW)
		return e->kind == NORN_EVENT_WRITE;
	struct norn_graph_site site;
	norn_graph_site(graph, e->site, &site);
	return site.kind == NORN_SITE_RMW;
}

/* ---- pairs of positions ---- */

static struct norn_conflict_pair *get_pair(struct conflict_search *s, uint32_t a, uint32_t b, bool frees)
{
	uint32_t x = norn_graph_place(s->graph, s->events[a].site), y = norn_graph_place(s->graph, s->events[b].site);
	if (!frees && x > y) {
		uint32_t t = x;
		x = y;
		y = t;
	}
	/* Places are below 2^28 (a site's number) or a caller's own small numbers. */
	struct norn_conflicts *c = s->conflicts;
	uint32_t *index = norn_must_map_put(&c->by_places, (uint64_t)x << 32 | (uint64_t)frees << 31 | y);
	if (*index == 0) {
		norn_must_push(&c->pairs, (struct norn_conflict_pair){.place = x, .other = y, .frees = frees});
		*index = c->pairs.count;
	}
	return c->pairs.items + *index - 1;
}

enum meeting { MEETING_ATOMIC, MEETING_LOCKED, MEETING_JOINED, MEETING_CANDIDATE };

/* Counts a meeting of the present event with this earlier one, if judgements are asked for. */
static void judge_meeting(struct conflict_search *s, uint32_t first, enum meeting meeting)
{
	uint64_t addr, size;
	if (!s->options->judged || first <= norn_graph_carried(s->graph))
		return;
	norn_conflict_bytes(s->graph, first, s->event, &addr, &size);
	if (size == 0)
		return;
	struct norn_judged_pair_of_places *pair = norn_judged_places_get(s->options->judged, s->graph, first, s->event);
	pair->atomic += meeting == MEETING_ATOMIC;
	pair->locked += meeting == MEETING_LOCKED;
	pair->joined += meeting == MEETING_JOINED;
	pair->candidates += meeting == MEETING_CANDIDATE;
}

/* Notes that this access is forgotten: later ones are not compared with it. */
static void judge_forgotten(struct conflict_search *s, uint32_t event)
{
	if (s->options->judged && !s->found && event > norn_graph_carried(s->graph))
		norn_judged_places_get(s->options->judged, s->graph, event, 0)->limits |= 1u << NORN_LIMIT_ACCESSES;
}

/* The first few, then every one that doubles their number. */
static bool wanted(uint64_t seen, unsigned tries)
{
	return seen <= tries || (seen & (seen - 1)) == 0;
}

/* Is this the pair's next unordered conflict: were all before it in a list? */
static bool take_unordered(const struct conflict_search *s, struct norn_conflict_pair *pair)
{
	pair->unordered++;
	if (pair->taken + 1 != pair->unordered || pair->unordered > pair->before + s->few)
		return false;
	pair->taken++;
	return true;
}

/* The first time: all that was wanted, and the first few that nothing orders. */
static void add_first(struct conflict_search *s, struct norn_conflict_pair *pair, struct norn_conflict *conflict)
{
	pair->counted += conflict->second <= s->options->seen;
	pair->seen++;
	conflict->sampled = wanted(pair->seen, s->options->tries);
	conflict->late = pair->seen > FIRST_FEW;
	pair->left_out += !conflict->sampled;
	if (conflict->unordered)
		conflict->unordered = take_unordered(s, pair);
	if (conflict->unordered || conflict->sampled)
		norn_must_push(&s->conflicts->list, *conflict);
}

static void add(struct conflict_search *s, uint32_t first, bool frees, bool guarded, bool unordered)
{
	uint32_t second = s->event;
	assert(first < second && s->events[first].thread != s->events[second].thread);
	if (first <= norn_graph_carried(s->graph) || (s->found && !unordered))
		return;
	if (s->options->order && norn_fork_order_before(s->options->order, first, second)) {
		if (!frees && !s->found)
			judge_meeting(s, first, MEETING_JOINED);
		return;
	}
	struct norn_conflict_pair *pair = get_pair(s, first, second, frees);
	uint64_t addr, size;
	if (s->found && s->found[pair - s->conflicts->pairs.items])
		return;
	if (frees)
		norn_conflict_freed_bytes(s->graph, first, second, &addr, &size);
	else
		norn_conflict_bytes(s->graph, first, second, &addr, &size);
	const struct norn_named_memory *only = s->options->only;
	if (size == 0 || (only && !norn_named_memory_shared(only, s->events + first, s->events + second)))
		return;
	struct norn_conflict conflict = {.first = first,
	        .second = second,
	        .pair = (uint32_t)(pair - s->conflicts->pairs.items),
	        .guarded = guarded,
	        .unordered = unordered};
	if (!frees && !s->found)
		judge_meeting(s, first, MEETING_CANDIDATE);
	if (!s->found)
		add_first(s, pair, &conflict);
	else if (take_unordered(s, pair))
		norn_must_push(&s->conflicts->list, conflict);
}

/* ---- which words are shared ---- */

static void forget_owner(void *context, uint64_t addr, uint32_t *cell)
{
	if (*cell != (SHARED | WRITTEN))
		*cell = 0;
}

static void free_owner(void *context, uint64_t addr, uint32_t *cell)
{
	const struct conflict_search *s = context;
	if ((*cell & ~WRITTEN) == s->events[s->event].thread + 1u)
		*cell = 0;
	else
		*cell = SHARED | WRITTEN;
}

static void own(struct conflict_search *s, const struct norn_graph_event *e)
{
	uint32_t mine = e->thread + 1, writes = e->kind == NORN_EVENT_READ ? 0 : WRITTEN;
	for (uint64_t word = e->addr & ~UINT64_C(7); word < end_of(e); word += 8) {
		uint32_t *cell = norn_word_table_get(&s->words, word);
		uint32_t owner = *cell & ~WRITTEN;
		if (owner == 0 || owner == mine)
			*cell |= mine | writes;
		else
			*cell = SHARED | (*cell & WRITTEN) | writes;
	}
}

static bool takes_memory(const struct norn_graph_event *e)
{
	return (e->kind == NORN_EVENT_ALLOC && !norn_graph_frees(e)) ||
	       (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_STACK && e->size);
}

static void classify(struct conflict_search *s)
{
	uint32_t count = norn_graph_count(s->graph);
	for (uint32_t i = 1; i <= count; i++) {
		const struct norn_graph_event *e = s->events + i;
		s->event = i;
		if (norn_graph_is_access(e) || (s->options->frees && norn_graph_uses_object(e)))
			own(s, e);
		else if (takes_memory(e))
			norn_word_table_visit(&s->words, e->addr, e->size, forget_owner, s);
		else if (norn_graph_frees(e))
			norn_word_table_visit(&s->words, e->addr, e->size, s->options->frees ? free_owner : forget_owner, s);
	}
}

/* ---- accesses of shared words ---- */

/* The first entry for lists of 1 << size. */
static uint32_t new_entries(struct conflict_search *s, unsigned size)
{
	uint32_t first = s->spare[size];
	if (first) {
		s->spare[size] = s->entries[first].event;
		return first;
	}
	if (s->entry_count == 0)
		s->entry_count = 1;
	norn_must_grow(&s->entries, s->entry_count + (UINT64_C(1) << size), &s->entry_room, sizeof *s->entries);
	first = s->entry_count;
	s->entry_count += 1u << size;
	return first;
}

static void free_list(struct conflict_search *s, struct access_list *list)
{
	if (list->room) {
		unsigned size = (unsigned)__builtin_ctz(list->room);
		s->entries[list->first].event = s->spare[size];
		s->spare[size] = list->first;
	}
	list->count = list->room = list->first = 0;
}

/* Makes room for one more. */
static void widen(struct conflict_search *s, struct access_list *list)
{
	if (list->count < list->room)
		return;
	unsigned size = list->room ? (unsigned)__builtin_ctz(list->room) + 1 : 0;
	uint32_t first = new_entries(s, size);
	for (uint32_t i = 0; i < list->count; i++)
		s->entries[first + i] = s->entries[list->first + i];
	struct access_list wider = {first, list->count, 1u << size};
	free_list(s, list);
	*list = wider;
}

static struct access_list *get_list(struct conflict_search *s, uint32_t *cell)
{
	uint32_t number = *cell & ~(SHARED | WRITTEN);
	if (number == 0) {
		number = s->lists.count;
		norn_must_add(&s->lists);
		*cell |= number;
	}
	return s->lists.items + number;
}

/* Two accesses with two words in common would be compared in both. */
static bool first_common_word(const struct norn_graph_event *x, const struct norn_graph_event *y, uint64_t word)
{
	uint64_t first = x->addr > y->addr ? x->addr : y->addr;
	return (first & ~UINT64_C(7)) == word;
}

static struct conflict_entry entry_of(struct conflict_search *s, const struct norn_graph_event *e, uint64_t word)
{
	unsigned first = e->addr > word ? (unsigned)(e->addr - word) : 0;
	uint64_t end = end_of(e) - word;
	return (struct conflict_entry){
	        .event = s->event,
	        .site = e->site,
	        .locks = locks_of(s, e->held),
	        .thread = e->thread,
	        .bytes = (0xffu << first & 0xffu) & (end < 8 ? (1u << end) - 1 : 0xffu),
	        .kind = e->kind == NORN_EVENT_READ    ? 0
	                : e->kind == NORN_EVENT_WRITE ? 1
	                : e->kind == NORN_EVENT_RMW   ? 2
	                                              : USES_OBJECT,
	        .atomic = e->flags & NORN_GRAPH_ATOMIC ? 1 : 0,
	        .early = e->addr < word,
	};
}

/* Reads entries alone: their events are far apart in memory. Accesses with several words in common are compared in the first. */
static bool do_meet(const struct conflict_entry *x, const struct conflict_entry *y)
{
	return x->thread != y->thread && x->kind != USES_OBJECT && (x->bytes & y->bytes) && (x->kind | y->kind) &&
	       !(x->early && y->early);
}

/* y: the present event. */
static bool may_race(struct conflict_search *s, const struct conflict_entry *x, const struct conflict_entry *y)
{
	if (!do_meet(x, y))
		return false;
	bool atomic = x->atomic && y->atomic;
	if (!atomic && !sets_apart(s, x->locks, y->locks))
		return true;
	if (s->options->judged && !s->found)
		judge_meeting(s, x->event, atomic ? MEETING_ATOMIC : MEETING_LOCKED);
	return false;
}

/* Does the entry, of an earlier event, come before the one that is being looked at, by happens-before? */
static bool precedes(const struct conflict_search *s, const struct conflict_entry *x, uint32_t thread)
{
	return norn_hb_before(s->hb, x->thread, x->event, thread);
}

static int newest_first(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x < y) - (x > y);
}

/* The nearest come first: their windows are smaller. */
static void add_all(struct conflict_search *s, uint32_t *events, uint32_t count, bool unordered)
{
	if (count > 1)
		qsort(events, count, sizeof *events, newest_first);
	for (uint32_t i = 0; i < count; i++)
		add(s, events[i], false, false, unordered);
}

/* The entry stands for earlier accesses of other threads. The present event, of the entry's own thread, is not compared with these,
 * though it may meet one in another order: that is counted as forgotten. */
static void miss_others(struct conflict_search *s, const struct conflict_entry *x, const struct conflict_entry *now)
{
	struct conflict_entry other = *x;
	other.thread = now->thread + 1u;
	if (s->found || !do_meet(&other, now) || (x->atomic && now->atomic) || sets_apart(s, x->locks, now->locks))
		return;
	s->conflicts->forgotten++;
	judge_forgotten(s, x->event);
}

/* Adds the conflicts with entries that are newer than since: before that the same thread was here in the same way, and what it does
 * not come after now, it did not then. */
static void compare(struct conflict_search *s, const struct access_list *list, const struct conflict_entry *now, uint32_t since)
{
	s->unordered.count = s->ordered.count = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct conflict_entry *x = s->entries + list->first + i;
		if (x->others && x->thread == now->thread && x->event > since)
			miss_others(s, x, now);
		if (x->event <= since || !may_race(s, x, now))
			continue;
		if (!precedes(s, x, now->thread))
			norn_must_push(&s->unordered, x->event);
		else if (!s->found)
			norn_must_push(&s->ordered, x->event);
	}
	add_all(s, s->unordered.items, s->unordered.count, true);
	add_all(s, s->ordered.items, s->ordered.count, false);
}

static bool is_alike(const struct conflict_entry *x, const struct conflict_entry *y)
{
	return x->site == y->site && x->locks == y->locks && x->kind == y->kind && x->bytes == y->bytes;
}

/* An event that is not ordered with x, which comes before y by happens-before, is not ordered with y, either, and in conflict with
 * it. */
static bool stands_for(const struct conflict_entry *y, const struct conflict_entry *x)
{
	return (x->bytes & ~y->bytes) == 0 && (y->kind || !x->kind) && (!y->atomic || x->atomic) &&
	       (y->kind != USES_OBJECT || x->kind == USES_OBJECT);
}

/* The oldest entry that the new one stands for, and that is alike or, if any, not; NULL: none. */
static struct conflict_entry *find_covered(
        struct conflict_search *s, const struct access_list *list, const struct conflict_entry *now, bool any)
{
	struct conflict_entry *oldest = NULL;
	for (uint32_t i = 0; i < list->count; i++) {
		struct conflict_entry *x = s->entries + list->first + i;
		if ((!oldest || x->event < oldest->event) && (any ? stands_for(now, x) : is_alike(x, now)) &&
		        precedes(s, x, now->thread))
			oldest = x;
	}
	return oldest;
}

/* Drops entries that precede everything still to come: they are in conflict only in other orders. */
static void forget_known(struct conflict_search *s, struct access_list *list)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct conflict_entry *x = s->entries + list->first + i;
		if (!norn_hb_before_all(s->hb, x->thread, x->event))
			s->entries[list->first + kept++] = *x;
		else
			judge_forgotten(s, x->event);
	}
	s->conflicts->forgotten += list->count - kept;
	list->count = kept;
}

/* Do forks and joins order the entry's accesses, and all that it stands for, with the event at hand? */
static bool is_past(const struct conflict_search *s, const struct conflict_entry *x)
{
	return !x->others && s->options->order && norn_fork_order_before(s->options->order, x->event, s->event);
}

/* Of many, one that is alike gives way: an event in conflict with it is with the new one, too, at the same places,
 * unless it is of the new one's own thread (miss_others).
 * Without room for more, others are forgotten, and conflicts at their places with them: at first those that
 * happens-before orders. */
static void keep(struct conflict_search *s, struct access_list *list, const struct conflict_entry *now)
{
	bool plenty = s->entry_count >= s->plenty;
	struct conflict_entry *covered = NULL;
	if (list->count >= (plenty ? LOOK_BACK_LESS : s->look_back)) {
		covered = find_covered(s, list, now, false);
		if (!covered && list->count == list->room && !plenty)
			forget_known(s, list);
		if (!covered && list->count >= (plenty ? LOOK_BACK_LESS : LOOK_BACK_MOST)) {
			covered = find_covered(s, list, now, true);
			s->conflicts->forgotten += covered != NULL;
			if (covered)
				judge_forgotten(s, covered->event);
		}
	}
	if (covered) {
		bool others = !is_past(s, covered);
		*covered = *now;
		covered->others = others;
	} else {
		widen(s, list);
		s->entries[list->first + list->count++] = *now;
	}
}

/* The event accesses a shared word: compares it with what others did since this thread was last here in the same way. */
static void visit_word(struct conflict_search *s, uint32_t *cell, uint64_t word)
{
	struct conflict_entry now = entry_of(s, s->events + s->event, word);
	struct access_list *list = get_list(s, cell);
	struct conflict_entry *mine = NULL;
	for (uint32_t i = 0; i < list->count && !mine; i++) {
		struct conflict_entry *x = s->entries + list->first + i;
		if (x->thread == now.thread && is_alike(x, &now))
			mine = x;
	}
	if (s->options->races && now.kind != USES_OBJECT)
		compare(s, list, &now, mine ? mine->event : 0);
	now.others = mine && mine->others;
	if (mine)
		*mine = now;
	else
		keep(s, list, &now);
}

static bool has_list(uint32_t cell)
{
	return (cell & (SHARED | WRITTEN)) == (SHARED | WRITTEN) && cell & ~(SHARED | WRITTEN);
}

static void forget_entries(void *context, uint64_t addr, uint32_t *cell)
{
	struct conflict_search *s = context;
	if (has_list(*cell))
		free_list(s, s->lists.items + (*cell & ~(SHARED | WRITTEN)));
}

/* The event frees this word: looks for its uses. */
static void free_entries(void *context, uint64_t addr, uint32_t *cell)
{
	struct conflict_search *s = context;
	const struct norn_graph_event *f = s->events + s->event;
	if (!has_list(*cell))
		return;
	/* Of a block that is not known, or was freed in the base, nothing can be claimed. */
	bool known = f->life && s->events[f->life].kind != NORN_EVENT_FREE;
	struct access_list list = s->lists.items[*cell & ~(SHARED | WRITTEN)];
	for (uint32_t i = 0; i < list.count && s->options->frees && known; i++) {
		uint32_t use = s->entries[list.first + i].event;
		if (s->events[use].thread == f->thread || !first_common_word(s->events + use, f, addr) ||
		        !norn_graph_ends_life(s->graph, s->event, norn_graph_memory(s->graph, use)))
			continue;
		bool guarded = locks_apart(s, use, s->event);
		if (!guarded || s->options->guarded)
			add(s, use, true, guarded, !guarded && !precedes(s, s->entries + list.first + i, f->thread));
	}
	forget_entries(context, addr, cell);
}

static bool is_atomic(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_RMW || e->flags & NORN_GRAPH_ATOMIC;
}

/* Semaphores and conditions order more in happens-before than they do in fact (C2): pairs that only they order are tried, too. */
static bool orders_too_much(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_SYNC && (e->op == NORN_SYNC_SEM_WAIT || e->op == NORN_SYNC_WAIT_END);
}

/* Passes the event to happens-before. */
static void happen(struct conflict_search *s, const struct norn_graph_event *e)
{
	const struct norn_event event = {.kind = e->kind,
	        .op = e->op,
	        .thread = e->thread,
	        .addr = e->addr,
	        .size = e->size,
	        .value = e->value,
	        .argument = e->value};
	/* A pair that only the return of a call orders is asked for, too: it may be suspected (X9). */
	if (orders_too_much(e) || (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_BACK && e->value == NORN_BACK_RETURNED))
		return;
	/* Pairs that only a weaker memory order leaves unordered are told apart (memory_order.h). */
	int r = norn_graph_is_access(e) ? norn_hb_atomic(s->hb, &event, NORN_ORDER_SEQ_CST, s->event)
	                                : norn_hb_event(s->hb, &event, s->event);
	assert(r == 0); /* there are no more threads than slots */
	(void)r;
}

static void visit_access(struct conflict_search *s, const struct norn_graph_event *e)
{
	/* A read comes after the write that it saw, if both are atomic: then it is compared. */
	bool atomic = is_atomic(e), writes = e->kind == NORN_EVENT_WRITE;
	if (atomic && !writes)
		happen(s, e);
	for (uint64_t word = e->addr & ~UINT64_C(7); word < e->addr + e->size; word += 8) {
		uint32_t *cell = norn_word_table_get(&s->words, word);
		if ((*cell & (SHARED | WRITTEN)) == (SHARED | WRITTEN))
			visit_word(s, cell, word);
	}
	if (atomic && writes)
		happen(s, e);
}

/* The event uses an object of synchronization, whose memory may be freed. */
static void visit_object(struct conflict_search *s, const struct norn_graph_event *e)
{
	uint64_t word = e->addr & ~UINT64_C(7);
	uint32_t *cell = norn_word_table_get(&s->words, word);
	if (norn_graph_memory(s->graph, s->event) && (*cell & (SHARED | WRITTEN)) == (SHARED | WRITTEN))
		visit_word(s, cell, word);
}

static void search(struct conflict_search *s)
{
	uint32_t count = norn_graph_count(s->graph);
	for (uint32_t i = 1; i <= count; i++) {
		const struct norn_graph_event *e = s->events + i;
		s->event = i;
		if (takes_memory(e))
			norn_word_table_visit(&s->words, e->addr, e->size, forget_entries, s);
		else if (norn_graph_frees(e))
			norn_word_table_visit(&s->words, e->addr, e->size, free_entries, s);
		else if (norn_graph_is_access(e))
			visit_access(s, e);
		else if (s->options->frees && norn_graph_uses_object(e))
			visit_object(s, e);
		if (e->kind == NORN_EVENT_SYNC || e->kind == NORN_EVENT_THREAD)
			happen(s, e);
	}
}

static void done(struct conflict_search *s)
{
	norn_word_table_done(&s->words);
	norn_hb_free(s->hb);
	norn_vector_done(&s->unordered);
	norn_vector_done(&s->ordered);
	norn_map_done(&s->sets);
	norn_vector_done(&s->lists);
	free(s->entries);
	free(s->locks);
	norn_vector_done(&s->helds);
	free(s);
}

/* found: NULL for the first time. */
static void find(const struct norn_graph *graph, const struct norn_conflict_options *options, const bool *found,
        struct norn_conflicts *conflicts)
{
	struct conflict_search *s = norn_must_calloc(1, sizeof *s);
	s->graph = graph;
	s->events = norn_graph_events(graph);
	s->options = options;
	s->found = found;
	s->few = UNORDERED_FEW;
	uint32_t look_back = options->look_back ? options->look_back : LOOK_BACK, left = 0;
	s->look_back = look_back < LOOK_BACK_MOST ? look_back : LOOK_BACK_MOST;
	/* With a look_back of its own, a caller has allowed for the memory. */
	s->plenty = (norn_graph_count(graph) / 8 + PLENTY_LEAST) * (s->look_back / LOOK_BACK ? s->look_back / LOOK_BACK : 1);
	s->conflicts = conflicts;
	for (uint32_t i = 0; i < conflicts->pairs.count; i++) {
		struct norn_conflict_pair *pair = conflicts->pairs.items + i;
		left += !found[i] && pair->unordered > pair->taken;
		pair->before = pair->taken;
		pair->unordered = 0;
	}
	if (left && UNORDERED_MOST / left > s->few)
		s->few = UNORDERED_MOST / left;
	conflicts->list.count = 0;
	norn_word_table_init(&s->words);
	norn_map_init(&s->sets, sizeof(uint32_t));
	s->hb = norn_hb_new();
	norn_must_add(&s->lists);
	norn_must_add(&s->helds);
	classify(s);
	search(s);
	done(s);
}

uint32_t norn_conflict_keeps_out(const struct norn_graph *graph, uint32_t a, uint32_t b)
{
	const struct norn_graph_event *events = norn_graph_events(graph);
	for (uint32_t held = events[a].held; held;) {
		uint32_t mine = norn_graph_held(graph, held, &held);
		for (uint32_t others = events[b].held; others;) {
			const struct norn_graph_event *other = events + norn_graph_held(graph, others, &others);
			if (events[mine].size == other->size &&
			        (events[mine].op == NORN_SYNC_ACQUIRE || other->op == NORN_SYNC_ACQUIRE))
				return mine;
		}
	}
	return 0;
}

bool norn_conflict_holds(const struct norn_graph *graph, uint32_t event, uint32_t acquire)
{
	for (uint32_t held = norn_graph_event(graph, event)->held; held;)
		if (norn_graph_held(graph, held, &held) == acquire)
			return true;
	return false;
}

void norn_conflicts_find(
        const struct norn_graph *graph, const struct norn_conflict_options *options, struct norn_conflicts *ret_conflicts)
{
	*ret_conflicts = (struct norn_conflicts){0};
	norn_map_init(&ret_conflicts->by_places, sizeof(uint32_t));
	find(graph, options, NULL, ret_conflicts);
}

bool norn_conflicts_more(const struct norn_graph *graph, const struct norn_conflict_options *options, const bool *found,
        struct norn_conflicts *conflicts)
{
	uint64_t forgotten = conflicts->forgotten;
	bool more = false;
	for (uint32_t i = 0; i < conflicts->pairs.count && !more; i++)
		more = !found[i] && conflicts->pairs.items[i].unordered > conflicts->pairs.items[i].taken;
	if (more)
		find(graph, options, found, conflicts);
	conflicts->forgotten = forgotten;
	return more;
}

void norn_conflicts_done(struct norn_conflicts *conflicts)
{
	norn_vector_done(&conflicts->list);
	norn_vector_done(&conflicts->pairs);
	norn_map_done(&conflicts->by_places);
}
