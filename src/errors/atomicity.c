#include "errors/atomicity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "errors/conflict.h"
#include "sliced/word_table.h"
#include "trace/record.h"
#include "trace/site.h"

/* These grow with the effort. */
#define ENTRIES 32u /* latest accesses of a word, by thread and site */
#define PAIRS 16u /* latest pairs of a block's accesses of a word */
#define TRIES 32u

struct entry {
	uint32_t event;
	uint32_t block; /* that its thread was in, 0: none */
};

/* Two accesses in one block, one after the other. */
struct pair {
	uint32_t first, second, block;
};

struct word {
	struct entry *entries; /* as many as the search remembers, and the pairs after them, in the same block of memory */
	struct pair *pairs;
	uint32_t entry_count, pair_count, oldest_pair;
};

/* Where a thread is. */
struct place {
	uint32_t block; /* the event that began the outermost block, 0: none */
	uint32_t marks; /* norn_atomic_begin that are open */
	uint32_t function; /* the innermost ENTER that is open */
	uint32_t waited; /* the last event by which it let others go on, and waited for them */
};

struct group {
	uint64_t seen;
	bool left_out; /* not all of these are tried */
};

struct search {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	const struct norn_builtin_options *options;
	struct norn_word_table words; /* 1: accessed in a block; then 1 + index in list */
	struct word **list;
	uint32_t word_count, word_room;
	struct place *places;
	struct norn_attempt *attempts;
	uint32_t *blocks; /* per attempt */
	uint32_t *firsts; /* the same: the block's first access */
	uint32_t attempt_count, attempt_room, block_room, first_room;
	struct norn_map by_places;
	struct group *groups;
	uint32_t group_count, group_room;
	uint32_t event;
	uint32_t entries, pairs; /* of a word that are remembered */
	uint64_t forgotten; /* accesses and pairs that had to make room, with none at the same places left */
	bool second_pass;
	int error;
};

static bool grow(struct search *s, void *array, uint32_t count, uint32_t *room, size_t bytes)
{
	int r = norn_grow(array, count + UINT64_C(1), room, bytes);
	if (r < 0)
		s->error = r;
	return r == 0;
}

/* ---- blocks ---- */

static void mark(struct place *place, const struct norn_graph_event *e, uint32_t number)
{
	if (e->op == NORN_MARK_ATOMIC_BEGIN) {
		if (place->block == 0)
			place->block = number;
		place->marks++;
	} else if (e->op == NORN_MARK_ATOMIC_END && place->marks) {
		place->marks--;
	}
}

static bool waits(const struct norn_graph_event *e)
{
	if (e->kind == NORN_EVENT_SYNC)
		return e->op == NORN_SYNC_WAIT_BEGIN || e->op == NORN_SYNC_BARRIER_ARRIVE;
	return e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_JOIN;
}

/* Follows blocks and functions; the block that an access at this event is in. */
static uint32_t follow(struct search *s, uint32_t number)
{
	const struct norn_graph_event *e = s->events + number;
	struct place *place = s->places + e->thread;
	if (e->kind == NORN_EVENT_MARK) {
		mark(place, e, number);
		if (place->block && s->events[place->block].kind == NORN_EVENT_MARK && place->marks == 0)
			place->block = 0;
	} else if (e->kind == NORN_EVENT_ENTER) {
		place->function = number;
		if (place->block == 0 && s->options->atomic && s->options->atomic(s->options->context, e->site))
			place->block = number;
	} else if (e->kind == NORN_EVENT_LEAVE && e->link) {
		place->function = s->events[e->link].other;
		if (place->block >= e->link && s->events[place->block].kind == NORN_EVENT_ENTER)
			place->block = 0;
	}
	if (waits(e))
		place->waited = number;
	if (place->block == 0 && s->options->what & NORN_BUILTIN_INFER)
		return place->function;
	return place->block;
}

/* ---- triples ---- */

static bool writes(const struct norn_graph_event *e)
{
	return e->kind != NORN_EVENT_READ;
}

static bool reads(const struct norn_graph_event *e)
{
	return e->kind != NORN_EVENT_WRITE;
}

static bool unserializable(const struct norn_graph_event *a, const struct norn_graph_event *b, const struct norn_graph_event *c,
        bool second, bool third)
{
	return (second && (reads(c) || (reads(a) && third))) || (reads(b) && writes(a) && third);
}

/* Does the foreign access break the block? *ret_sees: this one must see what it saw, being a compare-and-swap that must write; 0:
 * none. */
static bool breaks(const struct search *s, uint32_t first, uint32_t foreign, uint32_t second, uint32_t *ret_sees)
{
	const struct norn_graph_event *a = s->events + first, *b = s->events + foreign, *c = s->events + second;
	bool writes2 = norn_conflict_writes(s->graph, foreign), writes3 = norn_conflict_writes(s->graph, second);
	*ret_sees = 0;
	if (unserializable(a, b, c, writes2, writes3))
		return true;
	if (!writes2 && writes(b) && unserializable(a, b, c, true, writes3))
		*ret_sees = foreign;
	else if (!writes3 && writes(c) && unserializable(a, b, c, writes2, true))
		*ret_sees = second;
	return *ret_sees;
}

/* The acquire in a's set by which it keeps b out, 0: there is none. */
static uint32_t keeps_out(const struct search *s, uint32_t a, uint32_t b)
{
	for (uint32_t held = s->events[a].held; held;) {
		uint32_t mine = norn_graph_held(s->graph, held, &held);
		for (uint32_t others = s->events[b].held; others;) {
			const struct norn_graph_event *other = s->events + norn_graph_held(s->graph, others, &others);
			if (s->events[mine].size == other->size &&
			        (s->events[mine].op == NORN_SYNC_ACQUIRE || other->op == NORN_SYNC_ACQUIRE))
				return mine;
		}
	}
	return 0;
}

static bool holds(const struct search *s, uint32_t event, uint32_t acquire)
{
	for (uint32_t held = s->events[event].held; held;)
		if (norn_graph_held(s->graph, held, &held) == acquire)
			return true;
	return false;
}

static struct group *get_group(struct search *s, uint32_t a, uint32_t b, uint32_t c, uint32_t *ret_number)
{
	uint64_t hash = norn_graph_place(s->graph, s->events[a].site);
	hash = (hash ^ (uint64_t)norn_graph_place(s->graph, s->events[b].site) << 32) * UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ hash >> 29 ^ norn_graph_place(s->graph, s->events[c].site)) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t *index;
	if (norn_map_put(&s->by_places, hash ^ hash >> 31, (void **)&index) < 0) {
		s->error = -ENOMEM;
		return NULL;
	}
	if (*index == 0) {
		if (!grow(s, &s->groups, s->group_count, &s->group_room, sizeof *s->groups))
			return NULL;
		s->groups[s->group_count++] = (struct group){0};
		*index = s->group_count;
	}
	*ret_number = *index - 1;
	return s->groups + *index - 1;
}

static bool common_bytes(const struct search *s, uint32_t a, uint32_t b)
{
	uint64_t addr, size;
	norn_conflict_bytes(s->graph, a, b, &addr, &size);
	return size;
}

static void add(struct search *s, const struct pair *pair, uint32_t foreign, uint32_t sees)
{
	uint32_t guard = keeps_out(s, pair->second, foreign), number;
	/* A lock held throughout. */
	if (guard && (!s->options->guarded || holds(s, pair->first, guard)))
		return;
	if (!common_bytes(s, pair->first, foreign) || !common_bytes(s, pair->second, foreign))
		return;
	struct group *group = get_group(s, pair->first, foreign, pair->second, &number);
	if (!group)
		return;
	uint64_t seen = ++group->seen;
	if (seen > norn_builtin_bound(s->options, TRIES) && (seen & (seen - 1))) {
		group->left_out = true;
		return;
	}
	if (!grow(s, &s->attempts, s->attempt_count, &s->attempt_room, sizeof *s->attempts) ||
	        !grow(s, &s->blocks, s->attempt_count, &s->block_room, sizeof *s->blocks) ||
	        !grow(s, &s->firsts, s->attempt_count, &s->first_room, sizeof *s->firsts))
		return;
	/* What is in the schedule is as it was: a compare-and-swap there writes. */
	struct norn_attempt attempt = {.group = number,
	        .number = s->attempt_count,
	        .includes = {pair->first},
	        .sees = guard && sees == foreign ? 0 : sees};
	if (guard) {
		attempt.stops[attempt.count++] = pair->second;
		attempt.includes[1] = foreign;
		attempt.open_last_only = true;
		attempt.search_only = foreign < pair->second;
	} else {
		attempt.stops[attempt.count++] = foreign;
		attempt.stops[attempt.count++] = pair->second;
	}
	s->blocks[s->attempt_count] = pair->block;
	s->firsts[s->attempt_count] = pair->first;
	s->attempts[s->attempt_count++] = attempt;
}

/* ---- words ---- */

static struct word *get_word(struct search *s, uint32_t *cell)
{
	if (*cell == 1) {
		if (!grow(s, &s->list, s->word_count, &s->word_room, sizeof *s->list))
			return NULL;
		struct word *word = calloc(1, sizeof *word + s->entries * sizeof *word->entries + s->pairs * sizeof *word->pairs);
		if (!word) {
			s->error = -ENOMEM;
			return NULL;
		}
		word->entries = (struct entry *)(word + 1);
		word->pairs = (struct pair *)(word->entries + s->entries);
		s->list[s->word_count++] = word;
		*cell = 1 + s->word_count;
	}
	return s->list[*cell - 2];
}

/* Is another thread's access at the same place among those of the word? */
static bool has_alike(const struct search *s, const struct word *word, uint32_t event)
{
	for (uint32_t i = 0; i < word->entry_count; i++) {
		uint32_t other = word->entries[i].event;
		if (other != event && s->events[other].site == s->events[event].site)
			return true;
	}
	return false;
}

/* The same of pairs. */
static bool has_alike_pair(const struct search *s, const struct word *word, const struct pair *pair)
{
	for (uint32_t i = 0; i < word->pair_count; i++) {
		const struct pair *other = &word->pairs[i];
		if (other != pair && s->events[other->first].site == s->events[pair->first].site &&
		        s->events[other->second].site == s->events[pair->second].site)
			return true;
	}
	return false;
}

/* The entry of this thread and site, or one to be used for it: a new or the oldest one. */
static struct entry *entry_for(struct search *s, struct word *word, const struct norn_graph_event *e)
{
	struct entry *oldest = word->entries;
	for (uint32_t i = 0; i < word->entry_count; i++) {
		struct entry *x = word->entries + i;
		if (s->events[x->event].thread == e->thread && s->events[x->event].site == e->site)
			return x;
		if (x->event < oldest->event)
			oldest = x;
	}
	if (word->entry_count < s->entries)
		return &word->entries[word->entry_count++];
	s->forgotten += !has_alike(s, word, oldest->event);
	return oldest;
}

static void add_pair(struct search *s, struct word *word, const struct pair *pair)
{
	for (uint32_t i = 0; i < word->entry_count; i++) {
		uint32_t foreign = word->entries[i].event, sees;
		if (s->events[foreign].thread != s->events[pair->second].thread &&
		        breaks(s, pair->first, foreign, pair->second, &sees))
			add(s, pair, foreign, sees);
	}
	bool full = word->pair_count == s->pairs;
	uint32_t at = full ? word->oldest_pair++ % s->pairs : word->pair_count++;
	s->forgotten += full && !has_alike_pair(s, word, &word->pairs[at]);
	word->pairs[at] = *pair;
}

/* Has this thread been at the place of now before, in the same block, with this word? Then a loop has come round. */
static bool is_round(const struct search *s, const struct word *word, uint32_t block)
{
	const struct norn_graph_event *e = s->events + s->event;
	uint32_t place = norn_graph_place(s->graph, e->site);
	for (uint32_t i = 0; i < word->entry_count; i++) {
		const struct norn_graph_event *x = s->events + word->entries[i].event;
		if (word->entries[i].block == block && x->thread == e->thread && norn_graph_place(s->graph, x->site) == place)
			return true;
	}
	return false;
}

#define AHEAD 64u /* events of a thread that may stand between a condition and its wait */

/* Is the present access the test of a wait: does the thread wait next, before any other synchronisation? */
static bool leads_to_wait(const struct search *s)
{
	uint32_t i = s->events[s->event].next;
	for (unsigned steps = 0; i && steps < AHEAD; steps++, i = s->events[i].next) {
		if (waits(s->events + i))
			return true;
		if (s->events[i].kind == NORN_EVENT_SYNC)
			return false;
	}
	return false;
}

/* Are this access and the present one, in one call, meant to be one, as far as one can guess? Not if the thread waited between them
 * for others to do something, or waits because of the present one, nor in different rounds of a loop. Declared blocks are meant. */
static bool is_meant(const struct search *s, const struct word *word, const struct entry *before)
{
	const struct place *place = s->places + s->events[s->event].thread;
	return place->block || (place->waited < before->event && !leads_to_wait(s) && !is_round(s, word, before->block));
}

static void visit(struct search *s, uint32_t *cell, uint32_t block)
{
	struct word *word = get_word(s, cell);
	if (!word)
		return;
	const struct norn_graph_event *e = s->events + s->event;
	for (uint32_t i = 0; i < word->pair_count; i++) {
		const struct pair *pair = &word->pairs[i];
		uint32_t sees;
		if (s->events[pair->second].thread != e->thread && breaks(s, pair->first, s->event, pair->second, &sees))
			add(s, pair, s->event, sees);
	}
	struct entry last = {0}; /* this thread's */
	for (uint32_t i = 0; i < word->entry_count && block; i++) {
		const struct entry *x = &word->entries[i];
		if (x->event > last.event && s->events[x->event].thread == e->thread && common_bytes(s, x->event, s->event))
			last = *x;
	}
	if (last.event && last.block == block && is_meant(s, word, &last))
		add_pair(s, word, &(struct pair){last.event, s->event, block});
	*entry_for(s, word, e) = (struct entry){s->event, block};
}

static void forget(void *context, uint64_t addr, uint32_t *cell)
{
	struct search *s = context;
	if (*cell > 1)
		s->list[*cell - 2]->entry_count = s->list[*cell - 2]->pair_count = s->list[*cell - 2]->oldest_pair = 0;
}

static bool is_access(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
}

/* First which words are accessed in blocks, then who accesses these. */
static void go_through(struct search *s)
{
	uint32_t count = norn_graph_count(s->graph);
	for (uint32_t i = 1; i <= count && s->error == 0; i++) {
		const struct norn_graph_event *e = s->events + i;
		uint32_t block = follow(s, i);
		s->event = i;
		if (s->second_pass && (e->kind == NORN_EVENT_ALLOC || e->kind == NORN_EVENT_FREE ||
		                              (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_STACK)))
			norn_word_table_visit(&s->words, e->addr, e->size, forget, s);
		if (!is_access(e) || (!s->second_pass && block == 0))
			continue;
		for (uint64_t at = e->addr & ~UINT64_C(7); at < e->addr + e->size && s->error == 0; at += 8) {
			uint32_t *cell = norn_word_table_get(&s->words, at);
			if (!s->second_pass)
				*cell = 1;
			else if (*cell)
				visit(s, cell, block);
		}
	}
}

/* ---- all ---- */

static void fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted)
{
	const struct search *s = context;
	uint32_t block = s->blocks[attempt->number];
	predicted->kind = NORN_PREDICTED_ATOMICITY;
	predicted->first = s->firsts[attempt->number];
	predicted->second = attempt->includes[1];
	bool meant = s->events[block].kind == NORN_EVENT_MARK ||
	             (s->options->atomic && s->options->atomic(s->options->context, s->events[block].site));
	predicted->begin = meant ? block : 0;
	predicted->pairs = s->groups[attempt->group].seen;
	norn_conflict_bytes(s->graph, predicted->first, attempt->stops[attempt->count - 1], &predicted->addr, &predicted->size);
}

static void try_triples(struct norn_attempt_runner *attempt_runner, struct search *s)
{
	bool *found = norn_must_calloc(s->group_count + UINT64_C(1), sizeof *found);
	norn_attempt_runner_try(attempt_runner, s->attempts, s->attempt_count, found, fill, s);
	norn_attempt_runner_suspect(attempt_runner, s->attempts, s->attempt_count, found, fill, s);
	struct norn_builtin_stats *stats = norn_attempt_runner_stats(attempt_runner);
	for (uint32_t i = 0; i < s->group_count; i++)
		stats->limits[NORN_LIMIT_MEETINGS] += s->groups[i].left_out && !found[i];
	stats->limits[NORN_LIMIT_ACCESSES] += s->forgotten;
	free(found);
}

static int run(struct norn_attempt_runner *attempt_runner, struct search *s)
{
	uint32_t threads = norn_graph_threads(s->graph);
	s->places = calloc(threads + UINT64_C(1), sizeof *s->places);
	if (!s->places)
		return -ENOMEM;
	go_through(s);
	if (s->words.blocks.allocated == 0 || s->error < 0)
		return s->error; /* no blocks */
	memset(s->places, 0, threads * sizeof *s->places);
	s->second_pass = true;
	go_through(s);
	if (s->error == 0 && s->attempt_count)
		try_triples(attempt_runner, s);
	return s->error;
}

int norn_atomicity_find(
        struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph, const struct norn_builtin_options *options)
{
	struct search s = {.graph = graph,
	        .events = norn_graph_events(graph),
	        .options = options,
	        .entries = (uint32_t)norn_builtin_bound(options, ENTRIES),
	        .pairs = (uint32_t)norn_builtin_bound(options, PAIRS)};
	norn_word_table_init(&s.words);
	norn_map_init(&s.by_places, sizeof(uint32_t));
	int r = run(attempt_runner, &s);
	norn_word_table_done(&s.words);
	norn_map_done(&s.by_places);
	for (uint32_t i = 0; i < s.word_count; i++)
		free(s.list[i]);
	free(s.list);
	free(s.places);
	free(s.attempts);
	free(s.blocks);
	free(s.firsts);
	free(s.groups);
	return r;
}
