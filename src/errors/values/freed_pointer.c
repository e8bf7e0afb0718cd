#include "errors/values/freed_pointer.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"
#include "errors/values/changed_reads.h"
#include "trace/record.h"

#define ATTEMPTS 64u /* of a free and a read of the code, spread over the run */
#define ALL_ATTEMPTS 65536u
#define LOOKED 4096u /* events after a read among which its pointer's use is looked for */

struct freed_pointer_pair {
	uint32_t number, attempts; /* number: from 1 on; attempts: all that there are */
	uint32_t passed; /* those that were tried or left out */
};

struct freed_pointer_try {
	uint32_t read, write, freed; /* the read sees this write after this free */
};

struct freed_pointer_search {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	struct norn_schedule_values *values;
	struct norn_changed_reads changed;
	struct norn_map frees; /* address of a block → the last event that freed one there */
	uint32_t *earlier; /* per event that frees: the one before, of a block at the same address */
	struct norn_map words; /* address / 8, of words that such a pointer was written to → the last event that did */
	struct norn_map links; /* address / 8, of words that the address of such a word was written to */
	struct norn_map pairs; /* places of a free and a read → struct freed_pointer_pair */
	NORN_VECTOR(struct freed_pointer_try) tried; /* by the attempts' numbers */
	NORN_VECTOR(struct norn_attempt) attempts;
};

static bool writes_pointer(const struct norn_graph_event *e)
{
	return (e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW) && e->size == 8 && e->addr % 8 == 0 &&
	       e->flags & NORN_GRAPH_VALUED;
}

/* Does the read see this write, which is as recorded, when the schedule has run, or where it comes in it? */
static bool sees(const struct freed_pointer_search *s, const struct norn_schedule *schedule, uint32_t read, uint32_t write)
{
	const struct norn_graph_event *e = s->events + read;
	uint32_t count, last = 0;
	const uint32_t *writers = norn_schedule_values_writers(s->values, e->addr, &count);
	for (uint32_t i = 0; i < count && writers[i] <= schedule->base; i++)
		last = writers[i];
	for (uint32_t i = 0; i < schedule->count && schedule->events[i] != read && last == write; i++)
		for (uint32_t k = 0; k < count; k++)
			last = writers[k] == schedule->events[i] ? writers[k] : last;
	return last == write;
}

static bool is_shown(void *context, const struct norn_attempt *attempt, const struct norn_schedule *schedule)
{
	struct freed_pointer_search *s = context;
	const struct freed_pointer_try *tried = s->tried.items + attempt->number;
	return sees(s, schedule, tried->read, tried->write);
}

static void fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted)
{
	const struct freed_pointer_search *s = context;
	const struct freed_pointer_try *tried = s->tried.items + attempt->number;
	predicted->kind = NORN_PREDICTED_USE_AFTER_FREE;
	predicted->first = tried->freed;
	predicted->second = tried->read;
}

static void note_frees(struct freed_pointer_search *s)
{
	for (uint32_t i = norn_graph_carried(s->graph) + 1; i <= norn_graph_count(s->graph); i++) {
		const struct norn_graph_event *e = s->events + i;
		if (e->kind != NORN_EVENT_FREE || e->flags & NORN_GRAPH_PIECE || s->events[e->life].kind != NORN_EVENT_ALLOC)
			continue;
		uint32_t *last = norn_must_map_put(&s->frees, norn_graph_address(s->graph, e->addr));
		s->earlier[i] = *last;
		*last = i;
	}
	for (uint32_t i = 1; i <= norn_graph_count(s->graph); i++) {
		const struct norn_graph_event *e = s->events + i;
		if (writes_pointer(e) && norn_map_get(&s->frees, e->value))
			*(uint32_t *)norn_must_map_put(&s->words, e->addr / 8) = i;
	}
	for (uint32_t i = 1; i <= norn_graph_count(s->graph) && s->words.count; i++)
		if (writes_pointer(s->events + i) && s->events[i].value % 8 == 0 && norn_map_get(&s->words, s->events[i].value / 8))
			norn_must_map_put(&s->links, s->events[i].addr / 8);
}

/* The first free after this write of the block that the pointer it wrote is to; 0: none. */
static uint32_t freed_after(const struct freed_pointer_search *s, uint32_t write)
{
	const uint32_t *last = norn_map_get(&s->frees, s->events[write].value);
	uint32_t found = 0;
	for (uint32_t i = last ? *last : 0; i > write; i = s->earlier[i])
		found = i;
	return found && s->events[found].life < write ? found : 0;
}

/* Is a pointer read here for no more than to be used, so that its value alone decides? */
static bool is_candidate(const struct freed_pointer_search *s, uint32_t read)
{
	const struct norn_graph_event *e = s->events + read;
	return read > norn_graph_carried(s->graph) && e->kind == NORN_EVENT_READ && e->size == 8 && e->addr % 8 == 0 &&
	       (e->flags & (NORN_GRAPH_DECIDES | NORN_GRAPH_MASKED | NORN_GRAPH_ODD)) == NORN_GRAPH_DECIDES &&
	       (e->flags & NORN_GRAPH_POINTER || !(e->flags & NORN_GRAPH_TESTED)) &&
	       (norn_map_get(&s->words, e->addr / 8) || norn_map_get(&s->links, e->addr / 8));
}

/* An access of the block that begins at this address, or its free? */
static bool uses_block(const struct freed_pointer_search *s, const struct norn_graph_event *e, uint64_t address)
{
	bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
	const struct norn_graph_event *at = access ? s->events + e->life : e;
	return at->kind == (access ? NORN_EVENT_ALLOC : NORN_EVENT_FREE) && norn_graph_address(s->graph, at->addr) == address;
}

/* The event by which the read's thread uses the pointer: the first access by it, or the free of what was read, unless that was read
 * once more before; 0: none. Of null there is none, and whether it was told apart is not known. */
static uint32_t use_of(const struct freed_pointer_search *s, uint32_t read)
{
	const struct norn_graph_event *e = s->events + read;
	bool pointer = e->flags & NORN_GRAPH_POINTER;
	uint32_t i = e->next;
	for (unsigned looked = 0; i && looked < LOOKED && e->value; i = s->events[i].next, looked++) {
		const struct norn_graph_event *x = s->events + i;
		if (pointer ? norn_graph_dereferenced(s->graph, i) == read : uses_block(s, x, e->value))
			return i;
		if (!pointer && x->kind == NORN_EVENT_READ && x->size == 8 && x->value == e->value)
			return 0;
	}
	return 0;
}

static void add_attempts(struct freed_pointer_search *s, const struct norn_read_change *change, uint32_t freed, uint32_t stop)
{
	struct norn_attempt attempts[NORN_CHANGED_ATTEMPTS];
	uint32_t made = stop ? norn_changed_reads_ask(&s->changed, stop, 0, change, 1, attempts) : 0;
	uint64_t pair = (uint64_t)norn_graph_place(s->graph, s->events[freed].site) << 32 |
	                norn_graph_place(s->graph, s->events[change->read].site);
	struct freed_pointer_pair *group = norn_must_map_put(&s->pairs, pair);
	if (group->number == 0)
		group->number = (uint32_t)s->pairs.count;
	for (uint32_t i = 0; i < made && s->attempts.count < ALL_ATTEMPTS; i++) {
		struct norn_attempt attempt = attempts[i];
		if (!norn_attempt_include(&attempt, 0, freed))
			continue;
		group->attempts++;
		attempt.number = s->tried.count;
		attempt.group = group->number - 1;
		if (stop != change->read)
			attempt.nowhere = stop;
		norn_must_push(&s->tried, (struct freed_pointer_try){change->read, change->write, freed});
		norn_must_push(&s->attempts, attempt);
	}
}

/* What the read's thread reads where the address points that it has read; 0: nothing that is a pointer. */
static uint32_t taken_by(const struct freed_pointer_search *s, uint32_t read)
{
	const struct norn_graph_event *e = s->events + read;
	uint32_t i = e->next;
	for (unsigned looked = 0; i && looked < LOOKED; i = s->events[i].next, looked++)
		if (s->events[i].kind == NORN_EVENT_READ && s->events[i].size == 8 && s->events[i].addr == e->value)
			return i;
	return 0;
}

/* Where the thread uses what it has read; looked for once. */
struct pointer_uses {
	bool known;
	uint32_t use; /* the pointer; 0: nowhere */
	uint32_t taken, taken_use; /* what it reads where the address points, and the use of that */
};

static const struct pointer_uses *uses_of(const struct freed_pointer_search *s, uint32_t read, struct pointer_uses *uses)
{
	if (uses->known)
		return uses;
	uses->known = true;
	uses->use = use_of(s, read);
	uses->taken = norn_map_get(&s->links, s->events[read].addr / 8) ? taken_by(s, read) : 0;
	uses->taken_use = uses->taken ? use_of(s, uses->taken) : 0;
	return uses;
}

/* The read takes another address than recorded, and what is read there is a pointer to a block that another thread frees. */
static void enumerate_linked(struct freed_pointer_search *s, const struct norn_read_option *option, const struct pointer_uses *uses)
{
	const uint32_t *write = uses->taken_use ? norn_map_get(&s->words, option->value / 8) : NULL;
	uint32_t freed = write ? freed_after(s, *write) : 0;
	if (freed && s->events[freed].thread != s->events[option->change.read].thread)
		add_attempts(s, &option->change, freed, uses->taken_use);
}

static void enumerate(struct freed_pointer_search *s, uint32_t read)
{
	struct norn_read_options options;
	struct pointer_uses uses = {.known = false};
	norn_changed_reads_options(&s->changed, read, &options);
	for (uint32_t i = 0; i < options.count; i++) {
		const struct norn_read_change *change = &options.items[i].change;
		uint32_t freed = change->read == read && change->write ? freed_after(s, change->write) : 0;
		bool pointer = s->events[read].flags & NORN_GRAPH_POINTER;
		if (freed && s->events[freed].thread != s->events[read].thread &&
		        options.items[i].value == s->events[change->write].value &&
		        s->events[read].value != options.items[i].value &&
		        (!pointer || norn_graph_pointer_same(s->graph, read, options.items[i].value))) {
			add_attempts(s, change, freed, read);
			add_attempts(s, change, freed, uses_of(s, read, &uses)->use);
		} else if (change->read == read && change->write && norn_map_get(&s->links, s->events[read].addr / 8)) {
			enumerate_linked(s, options.items + i, uses_of(s, read, &uses));
		}
	}
}

/* Is it predicted that this read's pointer is used wrongly? That the read itself races does not tell of that. */
static bool is_known(const struct norn_predictions *predictions, uint32_t count, uint32_t read)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_predicted *p = predictions->list + i;
		if (p->kind == NORN_PREDICTED_RACE)
			continue;
		for (uint32_t k = 0; k < p->stop_count; k++)
			if (p->stops[k] == read)
				return true;
		if (p->first == read || p->second == read)
			return true;
	}
	return false;
}

/* Keeps as many of each pair as are tried. */
static void spread(struct freed_pointer_search *s)
{
	struct freed_pointer_pair **groups = norn_must_calloc(s->pairs.count + 1ul, sizeof *groups), *group;
	size_t cursor = 0;
	uint64_t pair;
	uint32_t kept = 0;
	while ((group = norn_map_next(&s->pairs, &cursor, &pair)))
		groups[group->number - 1] = group;
	for (uint32_t i = 0; i < s->attempts.count; i++) {
		group = groups[s->attempts.items[i].group];
		uint64_t at = group->passed++, all = group->attempts;
		if (all <= ATTEMPTS || (at + 1) * ATTEMPTS / all > at * ATTEMPTS / all)
			s->attempts.items[kept++] = s->attempts.items[i];
	}
	s->attempts.count = kept;
	free(groups);
}

/* No schedule that is found is a prediction: the first is told of. */
static void try_all(
        struct norn_attempt_runner *attempt_runner, struct freed_pointer_search *s, struct norn_predictions *predictions)
{
	struct norn_builtin_stats *stats = &predictions->stats, before = *stats;
	uint32_t known = predictions->count;
	bool *found = norn_must_calloc(s->pairs.count + 1ul, sizeof *found);
	norn_attempt_runner_shows(attempt_runner, is_shown, s);
	norn_attempt_runner_try(attempt_runner, s->attempts.items, s->attempts.count, found, fill, s);
	norn_attempt_runner_shows(attempt_runner, NULL, NULL);
	free(found);
	*stats = before;
	for (uint32_t i = known; i < predictions->count && !stats->freed_pointer.read; i++) {
		const struct norn_predicted *p = predictions->list + i;
		if (!is_known(predictions, known, p->second))
			stats->freed_pointer =
			        (struct norn_freed_pointer){.freed = s->events[p->first].site, .read = s->events[p->second].site};
	}
	predictions->count = known;
}

void norn_freed_pointers_find(struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph,
        const struct norn_builtin_options *options, struct norn_predictions *predictions)
{
	struct freed_pointer_search s = {.graph = graph, .events = norn_graph_events(graph)};
	uint32_t count = norn_graph_count(graph);
	if (options->without)
		return;
	norn_map_init(&s.frees, sizeof(uint32_t));
	norn_map_init(&s.words, sizeof(uint32_t));
	norn_map_init(&s.links, 1);
	norn_map_init(&s.pairs, sizeof(struct freed_pointer_pair));
	s.earlier = norn_must_calloc(count + 1ul, sizeof *s.earlier);
	s.values = norn_schedule_values_new(graph);
	s.changed = (struct norn_changed_reads){
	        .graph = graph, .events = s.events, .order = norn_attempt_runner_order(attempt_runner), .values = s.values};
	note_frees(&s);
	bool any = false;
	for (uint32_t i = 1; i <= count && s.words.count; i++)
		if (is_candidate(&s, i)) {
			norn_schedule_values_want(s.values, i);
			any = true;
		}
	if (any)
		norn_schedule_values_index(s.values);
	for (uint32_t i = 1; i <= count && any; i++)
		if (is_candidate(&s, i))
			enumerate(&s, i);
	spread(&s);
	if (s.attempts.count)
		try_all(attempt_runner, &s, predictions);
	norn_schedule_values_free(s.values);
	norn_map_done(&s.frees);
	norn_map_done(&s.words);
	norn_map_done(&s.links);
	norn_map_done(&s.pairs);
	norn_vector_done(&s.tried);
	norn_vector_done(&s.attempts);
	free(s.earlier);
}
