#include "errors/conflict.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "sliced/word_table.h"
#include "trace/record.h"
#include "trace/site.h"

/* Of a cell: several threads accessed its word in one life; somebody wrote it. While words are classified the rest is 1 + its only
 * thread; after that, where both are set, the number of its list. */
#define SHARED 0x80000000u
#define WRITTEN 0x40000000u
/* Entries of a word: of more than these the oldest is forgotten, of the same place in the program if there are several. Where
 * entries are as many as an eighth of the events, words that many use in many ways have fewer: memory is to stay below what is said
 * beforehand (builtin_driver.c). */
#define LOOK_BACK 64u
#define LOOK_BACK_MOST 1024u
#define LOOK_BACK_LESS 4u
#define PLENTY_LEAST 65536u
#define APART_CACHE 4096u
#define FIRST_FEW 32u

/* The latest access of a word by one thread at one site, with the same locks. */
struct entry {
	uint32_t event, site, locks;
	uint32_t thread : 20, bytes : 8, kind : 2, atomic : 1; /* kind: 0 reads, 1 writes, 2 both */
	uint32_t early : 1; /* it began in a word before this one */
};

struct list {
	uint32_t first, count, room; /* in entries */
};

struct search {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	const struct norn_conflict_options *options;
	struct norn_conflicts *conflicts;
	struct norn_word_table words;
	struct list *lists; /* [0] is none */
	uint32_t list_count, list_room;
	struct entry *entries;
	uint32_t entry_count, entry_room;
	uint32_t spare[12]; /* 1 + first of entries that are free, linked by event: 1, 2, 4 … of them */
	uint32_t look_back;
	struct norn_map pairs; /* positions → 1 + index */
	struct norn_map sets; /* hash of a set of locks → its number */
	uint32_t *locks; /* per set of held locks: its number from 1 on, sets of the same locks having the same */
	uint32_t lock_room, set_count;
	uint32_t *helds; /* per number: a set of held locks that has it */
	uint32_t held_room;
	struct {
		uint32_t a, b;
		bool apart;
	} apart[APART_CACHE];
	uint32_t plenty; /* of entries, beyond which words have fewer */
	uint32_t event; /* that is being looked at */
	int error;
};

/* ---- what conflicts ---- */

static bool is_access(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
}

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

/* ---- sets of locks ---- */

static bool common_lock(const struct search *s, uint32_t held, uint32_t others)
{
	for (uint32_t rest; held; held = rest) {
		const struct norn_graph_event *mine = s->events + norn_graph_held(s->graph, held, &rest);
		for (uint32_t at = others; at;) {
			const struct norn_graph_event *other = s->events + norn_graph_held(s->graph, at, &at);
			if (mine->size == other->size && (mine->op == NORN_SYNC_ACQUIRE || other->op == NORN_SYNC_ACQUIRE))
				return true;
		}
	}
	return false;
}

static bool grow(struct search *s, void *array, uint64_t wanted, uint32_t *room, size_t bytes)
{
	int r = norn_grow(array, wanted, room, bytes);
	if (r < 0)
		s->error = r;
	return r == 0;
}

static uint32_t set_number(struct search *s, uint32_t held)
{
	uint64_t hash = 1;
	for (uint32_t at = held; at;) {
		const struct norn_graph_event *e = s->events + norn_graph_held(s->graph, at, &at);
		hash = (hash ^ ((uint64_t)e->size << 8 | e->op)) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	uint32_t *number;
	if (norn_map_put(&s->sets, hash, (void **)&number) < 0) {
		s->error = -ENOMEM;
		return 0;
	}
	if (*number == 0) {
		if (!grow(s, &s->helds, s->set_count + UINT64_C(2), &s->held_room, sizeof *s->helds))
			return 0;
		*number = ++s->set_count;
		s->helds[*number] = held;
	}
	return *number;
}

/* A number for the locks held: the same for the same locks, taken in the same order. (Two sets whose hashes agree by chance are
 * taken for one, which loses entries, and is no error.) */
static uint32_t locks_of(struct search *s, uint32_t held)
{
	if (held == 0)
		return 0;
	uint32_t old = s->lock_room;
	if (!grow(s, &s->locks, held + UINT64_C(1), &s->lock_room, sizeof *s->locks))
		return 0;
	for (uint32_t i = old; i < s->lock_room; i++)
		s->locks[i] = 0;
	if (s->locks[held] == 0)
		s->locks[held] = set_number(s, held);
	return s->locks[held];
}

/* A lock that both hold keeps them apart, unless both only read under it. x and y are numbers of sets. */
static bool sets_apart(struct search *s, uint32_t x, uint32_t y)
{
	if (x == 0 || y == 0)
		return false;
	unsigned slot = (x * 0x9e3779b1u ^ y * 0x85ebca6bu) >> 20;
	if (s->apart[slot].a != x || s->apart[slot].b != y) {
		s->apart[slot].a = x;
		s->apart[slot].b = y;
		s->apart[slot].apart = common_lock(s, s->helds[x], s->helds[y]);
	}
	return s->apart[slot].apart;
}

static bool locks_apart(struct search *s, uint32_t a, uint32_t b)
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

static struct norn_conflict_pair *get_pair(struct search *s, uint32_t a, uint32_t b, bool frees)
{
	uint32_t x = norn_graph_place(s->graph, s->events[a].site), y = norn_graph_place(s->graph, s->events[b].site);
	if (!frees && x > y) {
		uint32_t t = x;
		x = y;
		y = t;
	}
	/* Places are below 2^28 (a site's number) or a caller's own small numbers. */
	uint32_t *index;
	if (norn_map_put(&s->pairs, (uint64_t)x << 32 | (uint64_t)frees << 31 | y, (void **)&index) < 0) {
		s->error = -ENOMEM;
		return NULL;
	}
	struct norn_conflicts *c = s->conflicts;
	if (*index == 0) {
		if (!grow(s, &c->pairs, c->pair_count + UINT64_C(1), &c->pair_room, sizeof *c->pairs))
			return NULL;
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

static void add(struct search *s, uint32_t first, uint32_t second, bool frees, bool guarded)
{
	struct norn_conflicts *c = s->conflicts;
	if (first <= norn_graph_carried(s->graph) ||
	        (s->options->order && norn_fork_order_before(s->options->order, first, second)))
		return;
	struct norn_conflict_pair *pair = get_pair(s, first, second, frees);
	if (pair && second <= s->options->seen)
		pair->counted++;
	if (!pair || !wanted(pair->seen + 1, s->options->tries)) {
		if (pair) {
			pair->seen++;
			pair->left_out++;
		}
		return;
	}
	uint64_t addr, size;
	norn_conflict_bytes(s->graph, first, second, &addr, &size);
	if (size == 0)
		return;
	pair->seen++;
	if (!grow(s, &c->list, c->count + UINT64_C(1), &c->room, sizeof *c->list))
		return;
	c->list[c->count++] = (struct norn_conflict){.first = first,
	        .second = second,
	        .pair = (uint32_t)(pair - c->pairs),
	        .late = pair->seen > FIRST_FEW,
	        .guarded = guarded};
}

/* ---- which words are shared ---- */

static void forget_owner(void *context, uint64_t addr, uint32_t *cell)
{
	if (*cell != (SHARED | WRITTEN))
		*cell = 0;
}

static void free_owner(void *context, uint64_t addr, uint32_t *cell)
{
	const struct search *s = context;
	if ((*cell & ~WRITTEN) == s->events[s->event].thread + 1u)
		*cell = 0;
	else
		*cell = SHARED | WRITTEN;
}

static void own(struct search *s, const struct norn_graph_event *e)
{
	uint32_t mine = e->thread + 1, writes = e->kind == NORN_EVENT_READ ? 0 : WRITTEN;
	for (uint64_t word = e->addr & ~UINT64_C(7); word < e->addr + e->size; word += 8) {
		uint32_t *cell = norn_word_table_get(&s->words, word);
		if (!cell) {
			s->error = -ENOMEM;
			return;
		}
		uint32_t owner = *cell & ~WRITTEN;
		if (owner == 0 || owner == mine)
			*cell |= mine | writes;
		else
			*cell = SHARED | (*cell & WRITTEN) | writes;
	}
}

static bool takes_memory(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_ALLOC || (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_STACK && e->size);
}

static bool frees_memory(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_FREE && !(e->flags & NORN_GRAPH_PIECE);
}

static void classify(struct search *s)
{
	uint32_t count = norn_graph_count(s->graph);
	for (uint32_t i = 1; i <= count && s->error == 0; i++) {
		const struct norn_graph_event *e = s->events + i;
		s->event = i;
		if (is_access(e))
			own(s, e);
		else if (takes_memory(e))
			norn_word_table_visit(&s->words, e->addr, e->size, forget_owner, s);
		else if (frees_memory(e))
			norn_word_table_visit(&s->words, e->addr, e->size, s->options->frees ? free_owner : forget_owner, s);
	}
}

/* ---- accesses of shared words ---- */

/* Where entries for a list of 1 << size begin; 0 and an error. */
static uint32_t new_entries(struct search *s, unsigned size)
{
	uint32_t first = s->spare[size];
	if (first) {
		s->spare[size] = s->entries[first].event;
		return first;
	}
	if (s->entry_count == 0)
		s->entry_count = 1;
	if (!grow(s, &s->entries, s->entry_count + (UINT64_C(1) << size), &s->entry_room, sizeof *s->entries))
		return 0;
	first = s->entry_count;
	s->entry_count += 1u << size;
	return first;
}

static void free_list(struct search *s, struct list *list)
{
	if (list->room) {
		unsigned size = (unsigned)__builtin_ctz(list->room);
		s->entries[list->first].event = s->spare[size];
		s->spare[size] = list->first;
	}
	list->count = list->room = list->first = 0;
}

/* A list with room for one more. */
static bool widen(struct search *s, struct list *list)
{
	if (list->count < list->room)
		return true;
	unsigned size = list->room ? (unsigned)__builtin_ctz(list->room) + 1 : 0;
	uint32_t first = new_entries(s, size);
	if (first == 0)
		return false;
	for (uint32_t i = 0; i < list->count; i++)
		s->entries[first + i] = s->entries[list->first + i];
	struct list wider = {first, list->count, 1u << size};
	free_list(s, list);
	*list = wider;
	return true;
}

static struct list *get_list(struct search *s, uint32_t *cell)
{
	uint32_t number = *cell & ~(SHARED | WRITTEN);
	if (number == 0) {
		if (s->list_count == 0)
			s->list_count = 1;
		if (!grow(s, &s->lists, s->list_count + UINT64_C(1), &s->list_room, sizeof *s->lists))
			return NULL;
		number = s->list_count++;
		s->lists[number] = (struct list){0};
		*cell |= number;
	}
	return s->lists + number;
}

/* An access of two words would be seen twice. */
static bool first_common_word(const struct norn_graph_event *x, const struct norn_graph_event *y, uint64_t word)
{
	uint64_t first = x->addr > y->addr ? x->addr : y->addr;
	return (first & ~UINT64_C(7)) == word;
}

static struct entry entry_of(struct search *s, const struct norn_graph_event *e, uint64_t word)
{
	unsigned first = e->addr > word ? (unsigned)(e->addr - word) : 0;
	uint64_t end = e->addr + e->size - word;
	return (struct entry){
	        .event = s->event,
	        .site = e->site,
	        .locks = locks_of(s, e->held),
	        .thread = e->thread,
	        .bytes = (0xffu << first & 0xffu) & (end < 8 ? (1u << end) - 1 : 0xffu),
	        .kind = e->kind == NORN_EVENT_READ    ? 0
	                : e->kind == NORN_EVENT_WRITE ? 1
	                                              : 2,
	        .atomic = e->flags & NORN_GRAPH_ATOMIC ? 1 : 0,
	        .early = e->addr < word,
	};
}

/* Entries have all that this takes: their events are far apart in memory. Of those that have several words in common, the first
 * counts. */
static bool may_race(struct search *s, const struct entry *x, const struct entry *y)
{
	return x->thread != y->thread && (x->bytes & y->bytes) && (x->kind | y->kind) && !(x->atomic && y->atomic) &&
	       !(x->early && y->early) && !sets_apart(s, x->locks, y->locks);
}

/* Adds the conflicts with entries that are newer than since, the newest first: nearer ones have smaller windows. */
static void compare(struct search *s, const struct list *list, const struct entry *now, uint32_t since)
{
	uint32_t found[LOOK_BACK_MOST];
	unsigned count = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct entry *x = s->entries + list->first + i;
		if (x->event <= since || !may_race(s, x, now))
			continue;
		unsigned at = count++;
		for (; at && found[at - 1] < x->event; at--)
			found[at] = found[at - 1];
		found[at] = x->event;
	}
	for (unsigned i = 0; i < count; i++)
		add(s, found[i], s->event, false, false);
}

/* The event accesses a shared word: compares it with what others did since this thread was last here in the same way. */
static void visit_word(struct search *s, uint32_t *cell, uint64_t word)
{
	struct entry now = entry_of(s, s->events + s->event, word);
	struct list *list = get_list(s, cell);
	if (!list)
		return;
	struct entry *mine = NULL, *oldest = NULL, *alike = NULL;
	uint32_t alikes = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		struct entry *x = s->entries + list->first + i;
		if (x->site == now.site && x->locks == now.locks && x->kind == now.kind && x->bytes == now.bytes) {
			if (x->thread == now.thread)
				mine = x;
			if (!alike || x->event < alike->event)
				alike = x;
			alikes++;
		}
		if (!oldest || x->event < oldest->event)
			oldest = x;
	}
	if (s->options->races)
		compare(s, list, &now, mine ? mine->event : 0);
	if (mine)
		*mine = now;
	else if (list->count >= (s->entry_count < s->plenty ? s->look_back : LOOK_BACK_LESS)) {
		s->conflicts->forgotten += alikes <= 1; /* those alike have others to stand for them */
		*(alikes > 1 ? alike : oldest) = now;
	} else if (widen(s, list))
		s->entries[list->first + list->count++] = now;
}

static bool has_list(uint32_t cell)
{
	return (cell & (SHARED | WRITTEN)) == (SHARED | WRITTEN) && cell & ~(SHARED | WRITTEN);
}

static void forget_entries(void *context, uint64_t addr, uint32_t *cell)
{
	struct search *s = context;
	if (has_list(*cell))
		free_list(s, s->lists + (*cell & ~(SHARED | WRITTEN)));
}

/* The event frees this word: who used it? */
static void free_entries(void *context, uint64_t addr, uint32_t *cell)
{
	struct search *s = context;
	const struct norn_graph_event *f = s->events + s->event;
	if (!has_list(*cell))
		return;
	struct list list = s->lists[*cell & ~(SHARED | WRITTEN)];
	for (uint32_t i = 0; i < list.count && s->options->frees; i++) {
		uint32_t use = s->entries[list.first + i].event;
		if (s->events[use].thread == f->thread || !first_common_word(s->events + use, f, addr))
			continue;
		bool guarded = locks_apart(s, use, s->event);
		if (!guarded || s->options->guarded)
			add(s, use, s->event, true, guarded);
	}
	forget_entries(context, addr, cell);
}

static void search(struct search *s)
{
	uint32_t count = norn_graph_count(s->graph);
	for (uint32_t i = 1; i <= count && s->error == 0; i++) {
		const struct norn_graph_event *e = s->events + i;
		s->event = i;
		if (takes_memory(e))
			norn_word_table_visit(&s->words, e->addr, e->size, forget_entries, s);
		else if (frees_memory(e))
			norn_word_table_visit(&s->words, e->addr, e->size, free_entries, s);
		else if (is_access(e))
			for (uint64_t word = e->addr & ~UINT64_C(7); word < e->addr + e->size && s->error == 0; word += 8) {
				uint32_t *cell = norn_word_table_get(&s->words, word);
				if ((*cell & (SHARED | WRITTEN)) == (SHARED | WRITTEN))
					visit_word(s, cell, word);
			}
	}
}

static void done(struct search *s)
{
	norn_word_table_done(&s->words);
	norn_map_done(&s->pairs);
	norn_map_done(&s->sets);
	free(s->lists);
	free(s->entries);
	free(s->locks);
	free(s->helds);
	free(s);
}

int norn_conflicts_find(
        const struct norn_graph *graph, const struct norn_conflict_options *options, struct norn_conflicts *ret_conflicts)
{
	*ret_conflicts = (struct norn_conflicts){0};
	struct search *s = calloc(1, sizeof *s);
	if (!s)
		return -ENOMEM;
	s->graph = graph;
	s->events = norn_graph_events(graph);
	s->options = options;
	uint32_t look_back = options->look_back ? options->look_back : LOOK_BACK;
	s->look_back = look_back < LOOK_BACK_MOST ? look_back : LOOK_BACK_MOST;
	/* Whoever looks farther back has the memory for it. */
	s->plenty = (norn_graph_count(graph) / 8 + PLENTY_LEAST) * (s->look_back / LOOK_BACK ? s->look_back / LOOK_BACK : 1);
	s->conflicts = ret_conflicts;
	norn_word_table_init(&s->words);
	norn_map_init(&s->pairs, sizeof(uint32_t));
	norn_map_init(&s->sets, sizeof(uint32_t));
	classify(s);
	search(s);
	int r = s->error;
	done(s);
	if (r < 0)
		norn_conflicts_done(ret_conflicts);
	return r;
}

void norn_conflicts_done(struct norn_conflicts *conflicts)
{
	free(conflicts->list);
	free(conflicts->pairs);
	*conflicts = (struct norn_conflicts){0};
}
