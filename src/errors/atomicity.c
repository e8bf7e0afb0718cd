#include "errors/atomicity.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/must.h"
#include "errors/conflict.h"
#include "errors/cycles.h"
#include "sliced/word_table.h"
#include "trace/record.h"
#include "trace/site.h"

/* These grow with the effort. */
#define ENTRIES 32u /* latest accesses of a word, by thread and site */
#define PAIRS 16u /* latest pairs of a block's accesses of a word */
#define TRIES 32u

struct atomicity_entry {
	uint32_t event;
	uint32_t block; /* that its thread was in, 0: none */
	uint32_t meant; /* the same if the block is declared atomic; 0: it is inferred */
};

/* Two accesses in one block, one after the other. */
struct atomicity_pair {
	uint32_t first, second, block;
};

struct atomicity_word {
	struct atomicity_entry
	        *entries; /* as many as the search remembers, and the pairs after them, in the same block of memory */
	struct atomicity_pair *pairs;
	uint32_t entry_count, pair_count, oldest_pair;
};

/* The position of a thread. */
struct atomicity_place {
	uint32_t block; /* the event that began the outermost block, 0: none */
	uint32_t marks; /* norn_atomic_begin that are open */
	uint32_t function; /* the innermost ENTER that is open */
	uint32_t waited; /* the last event at which it released something to others and waited for them */
};

struct atomicity_group {
	uint64_t seen;
	bool left_out; /* not all of these are tried */
};

struct atomicity_search {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	const struct norn_builtin_options *options;
	struct norn_word_table words; /* 1: accessed in a block; then 1 + index in list */
	NORN_VECTOR(struct atomicity_word *) list;
	struct atomicity_place *places;
	NORN_VECTOR(struct norn_attempt) attempts;
	struct norn_numbers blocks; /* per attempt */
	struct norn_numbers foreign_blocks; /* the same: that the foreign access is in, if it is said to be atomic; 0: none */
	struct norn_map by_places;
	NORN_VECTOR(struct atomicity_group) groups;
	struct norn_cycles *cycles;
	uint32_t event;
	uint32_t entries, pairs; /* of a word that are remembered */
	uint64_t forgotten; /* accesses and pairs dropped for lack of room, whose places no kept one has */
	bool second_pass;
};

/* ---- blocks ---- */

static void mark(struct atomicity_place *place, const struct norn_graph_event *e, uint32_t number)
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

/* Tracks the thread's open blocks and functions. Returns the block that an access at this event is in. */
static uint32_t follow(struct atomicity_search *s, uint32_t number)
{
	const struct norn_graph_event *e = s->events + number;
	struct atomicity_place *place = s->places + e->thread;
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
static bool breaks(const struct atomicity_search *s, uint32_t first, uint32_t foreign, uint32_t second, uint32_t *ret_sees)
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

static uint32_t get_group(struct atomicity_search *s, uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t hash = 1;
	for (unsigned i = 0; i < 3; i++)
		hash = norn_hash_mix(hash, norn_graph_place(s->graph, s->events[(uint32_t[]){a, b, c}[i]].site));
	uint32_t *index = norn_must_map_put(&s->by_places, hash);
	if (*index == 0) {
		norn_must_add(&s->groups);
		*index = s->groups.count;
	}
	return *index - 1;
}

static bool common_bytes(const struct atomicity_search *s, uint32_t a, uint32_t b)
{
	uint64_t addr, size;
	norn_conflict_bytes(s->graph, a, b, &addr, &size);
	return size;
}

static void add(
        struct atomicity_search *s, const struct atomicity_pair *pair, uint32_t foreign, uint32_t foreign_block, uint32_t sees)
{
	uint32_t guard = norn_conflict_keeps_out(s->graph, pair->second, foreign);
	assert(pair->first < pair->second && s->events[pair->first].thread == s->events[pair->second].thread);
	assert(s->events[foreign].thread != s->events[pair->first].thread);
	/* A lock held throughout. */
	if (guard && (!s->options->guarded || norn_conflict_holds(s->graph, pair->first, guard)))
		return;
	if (!common_bytes(s, pair->first, foreign) || !common_bytes(s, pair->second, foreign))
		return;
	uint32_t number = get_group(s, pair->first, foreign, pair->second);
	struct atomicity_group *group = s->groups.items + number;
	uint64_t seen = ++group->seen;
	if (seen > norn_builtin_bound(s->options, TRIES) && (seen & (seen - 1))) {
		group->left_out = true;
		return;
	}
	/* Events of the schedule have their recorded outcome: a compare-and-swap there writes. */
	struct norn_attempt attempt = {.group = number,
	        .number = s->attempts.count,
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
	norn_must_push(&s->blocks, pair->block);
	norn_must_push(&s->foreign_blocks, foreign_block);
	norn_must_push(&s->attempts, attempt);
}

/* ---- words ---- */

static struct atomicity_word *get_word(struct atomicity_search *s, uint32_t *cell)
{
	if (*cell == 1) {
		struct atomicity_word *word =
		        norn_must_calloc(1, sizeof *word + s->entries * sizeof *word->entries + s->pairs * sizeof *word->pairs);
		word->entries = (struct atomicity_entry *)(word + 1);
		word->pairs = (struct atomicity_pair *)(word->entries + s->entries);
		norn_must_push(&s->list, word);
		*cell = 1 + s->list.count;
	}
	return s->list.items[*cell - 2];
}

/* Is another thread's access at the same place among those of the word? */
static bool has_alike(const struct atomicity_search *s, const struct atomicity_word *word, uint32_t event)
{
	for (uint32_t i = 0; i < word->entry_count; i++) {
		uint32_t other = word->entries[i].event;
		if (other != event && s->events[other].site == s->events[event].site)
			return true;
	}
	return false;
}

/* Is another kept pair of the word at the same places? */
static bool has_alike_pair(const struct atomicity_search *s, const struct atomicity_word *word, const struct atomicity_pair *pair)
{
	for (uint32_t i = 0; i < word->pair_count; i++) {
		const struct atomicity_pair *other = &word->pairs[i];
		if (other != pair && s->events[other->first].site == s->events[pair->first].site &&
		        s->events[other->second].site == s->events[pair->second].site)
			return true;
	}
	return false;
}

/* The entry of this thread and site, or one to be used for it: a new or the oldest one. */
static struct atomicity_entry *entry_for(struct atomicity_search *s, struct atomicity_word *word, const struct norn_graph_event *e)
{
	struct atomicity_entry *oldest = word->entries;
	for (uint32_t i = 0; i < word->entry_count; i++) {
		struct atomicity_entry *x = word->entries + i;
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

static void add_pair(struct atomicity_search *s, struct atomicity_word *word, const struct atomicity_pair *pair)
{
	for (uint32_t i = 0; i < word->entry_count; i++) {
		uint32_t foreign = word->entries[i].event, sees;
		if (s->events[foreign].thread != s->events[pair->second].thread &&
		        breaks(s, pair->first, foreign, pair->second, &sees))
			add(s, pair, foreign, word->entries[i].meant, sees);
	}
	bool full = word->pair_count == s->pairs;
	uint32_t at = full ? word->oldest_pair++ % s->pairs : word->pair_count++;
	s->forgotten += full && !has_alike_pair(s, word, &word->pairs[at]);
	word->pairs[at] = *pair;
}

/* Has this thread accessed the word at the place of now before, in the same block? Then a loop has come round. */
static bool is_round(const struct atomicity_search *s, const struct atomicity_word *word, uint32_t block)
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
static bool leads_to_wait(const struct atomicity_search *s)
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

/* Inferred blocks: do this access and the present one, in one call, belong to one intended transaction? Not if the thread waited
 * for others between them, or waits because of the present one, nor in different rounds of a loop. Declared blocks always do. */
static bool is_meant(const struct atomicity_search *s, const struct atomicity_word *word, const struct atomicity_entry *before)
{
	const struct atomicity_place *place = s->places + s->events[s->event].thread;
	return place->block || (place->waited < before->event && !leads_to_wait(s) && !is_round(s, word, before->block));
}

/* The present access, and those before it that it conflicts with: edges of the blocks that they are in. */
static void add_edges(struct atomicity_search *s, const struct atomicity_word *word, uint32_t meant)
{
	const struct norn_graph_event *e = s->events + s->event;
	for (uint32_t i = 0; i < word->entry_count; i++) {
		const struct atomicity_entry *x = &word->entries[i];
		const struct norn_graph_event *other = s->events + x->event;
		if (other->thread == e->thread || (!meant && !x->meant) || (!writes(e) && !writes(other)) ||
		        !common_bytes(s, x->event, s->event))
			continue;
		if (meant)
			norn_cycles_edge(s->cycles, meant, s->event, x->event, x->meant);
		if (x->meant)
			norn_cycles_edge(s->cycles, x->meant, x->event, s->event, meant);
	}
}

static void visit(struct atomicity_search *s, uint32_t *cell, uint32_t block)
{
	struct atomicity_word *word = get_word(s, cell);
	const struct norn_graph_event *e = s->events + s->event;
	uint32_t meant = s->places[e->thread].block;
	add_edges(s, word, meant);
	for (uint32_t i = 0; i < word->pair_count; i++) {
		const struct atomicity_pair *pair = &word->pairs[i];
		uint32_t sees;
		if (s->events[pair->second].thread != e->thread && breaks(s, pair->first, s->event, pair->second, &sees))
			add(s, pair, s->event, meant, sees);
	}
	struct atomicity_entry last = {0}; /* this thread's */
	for (uint32_t i = 0; i < word->entry_count && block; i++) {
		const struct atomicity_entry *x = &word->entries[i];
		if (x->event > last.event && s->events[x->event].thread == e->thread && common_bytes(s, x->event, s->event))
			last = *x;
	}
	if (last.event && last.block == block && is_meant(s, word, &last))
		add_pair(s, word, &(struct atomicity_pair){last.event, s->event, block});
	*entry_for(s, word, e) = (struct atomicity_entry){s->event, block, meant};
}

static void forget(void *context, uint64_t addr, uint32_t *cell)
{
	struct atomicity_search *s = context;
	if (*cell > 1) {
		struct atomicity_word *word = s->list.items[*cell - 2];
		word->entry_count = word->pair_count = word->oldest_pair = 0;
	}
}

/* First the words that are accessed in blocks, then their accesses. */
static void go_through(struct atomicity_search *s)
{
	uint32_t count = norn_graph_count(s->graph);
	for (uint32_t i = 1; i <= count; i++) {
		const struct norn_graph_event *e = s->events + i;
		uint32_t block = follow(s, i);
		s->event = i;
		if (s->second_pass && (e->kind == NORN_EVENT_ALLOC || e->kind == NORN_EVENT_FREE ||
		                              (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_STACK)))
			norn_word_table_visit(&s->words, e->addr, e->size, forget, s);
		if (!norn_graph_is_access(e) || (!s->second_pass && block == 0))
			continue;
		if (!s->second_pass && s->places[e->thread].block)
			norn_cycles_access(s->cycles, s->places[e->thread].block, i);
		for (uint64_t at = e->addr & ~UINT64_C(7); at < e->addr + e->size; at += 8) {
			uint32_t *cell = norn_word_table_get(&s->words, at);
			if (!s->second_pass)
				*cell = 1;
			else if (*cell)
				visit(s, cell, block);
		}
	}
}

/* ---- all ---- */

static uint32_t foreign_of(const struct norn_attempt *attempt)
{
	return attempt->count == 2 ? attempt->stops[0] : attempt->includes[1];
}

/* Is the block that begins here declared atomic? Otherwise it is inferred. */
static bool is_said(const struct atomicity_search *s, uint32_t begin)
{
	return s->events[begin].kind == NORN_EVENT_MARK ||
	       (s->options->atomic && s->options->atomic(s->options->context, s->events[begin].site));
}

static void fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted)
{
	const struct atomicity_search *s = context;
	uint32_t block = s->blocks.items[attempt->number];
	predicted->kind = NORN_PREDICTED_ATOMICITY;
	uint32_t first = attempt->includes[0], last = attempt->stops[attempt->count - 1];
	predicted->cycle = (struct norn_cycle){.count = 3, .events = {first, foreign_of(attempt), last}};
	predicted->begin = is_said(s, block) ? block : 0;
	predicted->pairs = s->groups.items[attempt->group].seen;
	norn_conflict_bytes(s->graph, first, last, &predicted->addr, &predicted->size);
}

static void try_triples(struct norn_attempt_runner *attempt_runner, struct atomicity_search *s)
{
	bool *found = norn_must_calloc(s->groups.count, sizeof *found);
	norn_attempt_runner_try(attempt_runner, s->attempts.items, s->attempts.count, found, fill, s);
	for (uint32_t i = 0; i < s->attempts.count; i++) {
		const struct norn_attempt *attempt = s->attempts.items + i;
		uint32_t block = s->blocks.items[attempt->number];
		if (found[attempt->group] && is_said(s, block))
			norn_cycles_broken(s->cycles, block, foreign_of(attempt), s->foreign_blocks.items[attempt->number]);
	}
	norn_attempt_runner_suspect(attempt_runner, s->attempts.items, s->attempts.count, found, fill, s);
	struct norn_builtin_stats *stats = norn_attempt_runner_stats(attempt_runner);
	for (uint32_t i = 0; i < s->groups.count; i++)
		stats->limits[NORN_LIMIT_MEETINGS] += s->groups.items[i].left_out && !found[i];
	stats->limits[NORN_LIMIT_ACCESSES] += s->forgotten;
	free(found);
}

static void run(struct norn_attempt_runner *attempt_runner, struct atomicity_search *s)
{
	uint32_t threads = norn_graph_threads(s->graph);
	s->places = norn_must_calloc(threads, sizeof *s->places);
	s->cycles = norn_cycles_new(s->graph, s->options);
	go_through(s);
	if (s->words.blocks.allocated == 0)
		return; /* no blocks */
	memset(s->places, 0, threads * sizeof *s->places);
	s->second_pass = true;
	go_through(s);
	if (s->attempts.count)
		try_triples(attempt_runner, s);
	norn_cycles_try(s->cycles, attempt_runner);
}

void norn_atomicity_find(
        struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph, const struct norn_builtin_options *options)
{
	struct atomicity_search s = {.graph = graph,
	        .events = norn_graph_events(graph),
	        .options = options,
	        .entries = (uint32_t)norn_builtin_bound(options, ENTRIES),
	        .pairs = (uint32_t)norn_builtin_bound(options, PAIRS)};
	norn_word_table_init(&s.words);
	norn_map_init(&s.by_places, sizeof(uint32_t));
	run(attempt_runner, &s);
	norn_word_table_done(&s.words);
	norn_map_done(&s.by_places);
	for (uint32_t i = 0; i < s.list.count; i++)
		free(s.list.items[i]);
	norn_vector_done(&s.list);
	free(s.places);
	norn_vector_done(&s.attempts);
	norn_vector_done(&s.blocks);
	norn_vector_done(&s.foreign_blocks);
	norn_cycles_free(s.cycles);
	norn_vector_done(&s.groups);
}
