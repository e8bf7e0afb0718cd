#include "errors/values/changed_reads.h"

#define WRITERS 64u /* writes that are looked at, on either side of the recorded one */
#define HOPS 2u

static bool covers(const struct norn_graph_event *w, const struct norn_graph_event *e)
{
	bool external = w->kind == NORN_EVENT_EXTERNAL; /* what memory held when it was first seen, mostly */
	return (w->kind == NORN_EVENT_WRITE || w->kind == NORN_EVENT_RMW || external) && w->flags & NORN_GRAPH_VALUED &&
	       w->size <= 8 && w->addr <= e->addr && e->addr + e->size <= w->addr + w->size && (external || w->life == e->life);
}

static uint64_t part_of(const struct norn_graph_event *w, const struct norn_graph_event *e, uint64_t value)
{
	value >>= (e->addr - w->addr) * 8;
	return e->size == 8 ? value : value & ((UINT64_C(1) << e->size * 8) - 1);
}

/* From a read to another one that the value of its write is made of; and so on. */
struct hop {
	const struct norn_graph_event *write, *read;
	struct norn_graph_chain chain;
};

struct hop_path {
	struct hop hops[HOPS];
	unsigned count;
	struct norn_read_options *options; /* of the first read */
};

/* The value of the first read if the last one saw this. */
static uint64_t value_at_first(const struct hop_path *path, uint64_t value)
{
	for (unsigned k = path->count; k > 0; k--)
		value = part_of(
		        path->hops[k - 1].write, path->hops[k - 1].read, norn_graph_follow(&path->hops[k - 1].chain, value));
	return value;
}

static bool is_wanted(const struct norn_changed_reads *c, const struct hop_path *path, uint64_t value)
{
	return !c->only_null || value_at_first(path, value) == 0;
}

static void add_option(
        const struct norn_changed_reads *c, const struct hop_path *path, uint64_t seen, uint32_t read, uint32_t write)
{
	struct norn_read_options *o = path->options;
	uint64_t value = value_at_first(path, seen);
	for (uint32_t i = 0; i < o->count && !c->only_null; i++) /* values are what counts */
		if (o->items[i].value == value && o->items[i].change.read == read &&
		        (o->items[i].change.write > read) == (write > read))
			return;
	if (o->count < NORN_READ_OPTIONS)
		o->items[o->count++] = (struct norn_read_option){value, {read, write}};
}

static bool ordered(const struct norn_changed_reads *c, uint32_t a, uint32_t b)
{
	if (c->events[a].thread == c->events[b].thread)
		return a < b;
	return c->order && norn_fork_order_before(c->order, a, b);
}

/* Could this read see this write at all? Not what comes after it, nor what another write before it comes after, in their thread
 * or by forks and joins. 0: what memory began with. */
static bool may_see(const struct norn_changed_reads *c, uint32_t read, uint32_t write)
{
	uint32_t count, looked = 0;
	const uint32_t *list = norn_schedule_values_writers(c->values, c->events[read].addr, &count);
	if (write && ordered(c, read, write))
		return false;
	for (uint32_t i = 0; i < count && looked < WRITERS; i++) {
		if (list[i] == write || !covers(c->events + list[i], c->events + read) || list[i] == read)
			continue;
		looked++;
		if ((!write || ordered(c, write, list[i])) && ordered(c, list[i], read))
			return false;
	}
	return true;
}

static void add_initial(const struct norn_changed_reads *c, uint32_t read, const struct hop_path *path)
{
	const struct norn_graph_event *e = c->events + read, *alloc = c->events + e->life;
	uint64_t word = 0;
	bool zeroed = e->life && alloc->kind == NORN_EVENT_ALLOC && alloc->op == NORN_ALLOC_CALLOC;
	if (!zeroed && (e->life || !norn_graph_initial(c->graph, e->addr, &word)))
		return;
	word >>= e->addr % 8 * 8;
	word = e->size == 8 ? word : word & ((UINT64_C(1) << e->size * 8) - 1);
	if (is_wanted(c, path, word) && may_see(c, read, 0))
		add_option(c, path, word, read, 0);
}

static void add_write(const struct norn_changed_reads *c, uint32_t read, uint32_t write, const struct hop_path *path)
{
	const struct norn_graph_event *e = c->events + read, *w = c->events + write;
	if (!write || !covers(w, e) || !is_wanted(c, path, part_of(w, e, w->value)) || !may_see(c, read, write))
		return;
	add_option(c, path, part_of(w, e, w->value), read, write);
}

/* Those of other writes, the nearest first. True: the write that it saw is *ret_writer. */
static bool see_others(const struct norn_changed_reads *c, uint32_t read, const struct hop_path *path, uint32_t *ret_writer)
{
	const struct norn_graph_event *e = c->events + read;
	uint32_t count, at = 0;
	const uint32_t *list = norn_schedule_values_writers(c->values, e->addr, &count), *seen;
	uint32_t seen_count = norn_graph_list(c->graph, &e->link, &seen);
	uint32_t recorded = seen_count == 1 ? seen[0] : 0;
	if (seen_count > 1 || e->addr % 8 + e->size > 8)
		return false;
	for (uint32_t high = count; at < high;) {
		uint32_t middle = at + (high - at) / 2;
		if (list[middle] < read)
			at = middle + 1;
		else
			high = middle;
	}
	for (uint32_t i = 0; i < WRITERS && (i < at || at + i < count); i++) {
		uint32_t older = i < at ? list[at - 1 - i] : 0, newer = at + i < count ? list[at + i] : 0;
		add_write(c, read, older != recorded ? older : 0, path);
		add_write(c, read, newer != read ? newer : 0, path);
	}
	if (recorded)
		add_initial(c, read, path);
	*ret_writer = recorded;
	return recorded && covers(c->events + recorded, e);
}

void norn_changed_reads_options(const struct norn_changed_reads *c, uint32_t read, struct norn_read_options *ret_options)
{
	struct hop_path path = {.options = ret_options};
	ret_options->count = 0;
	for (uint32_t at = read, writer; at && see_others(c, at, &path, &writer) && path.count < HOPS;) {
		struct hop *hop = &path.hops[path.count++];
		hop->write = c->events + writer;
		hop->read = c->events + at;
		at = norn_schedule_values_source(c->values, writer, &hop->chain);
	}
}

/* ---- schedules ---- */

/* The first write of what this read sees after another one; 0: none. */
static uint32_t next_write(const struct norn_changed_reads *c, uint32_t read, uint32_t write)
{
	uint32_t count;
	const struct norn_graph_event *e = c->events + read;
	const uint32_t *list = norn_schedule_values_writers(c->values, e->addr, &count);
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_graph_event *w = c->events + list[i];
		if (list[i] > write && w->addr < e->addr + e->size && e->addr < w->addr + w->size && w->kind != NORN_EVENT_ALLOC)
			return list[i];
	}
	return 0;
}

/* The last own write before this read that comes after the write that it is to see; 0: none. */
static uint32_t own_between(const struct norn_changed_reads *c, uint32_t read, uint32_t write)
{
	uint32_t count, found = 0;
	const uint32_t *list = norn_schedule_values_writers(c->values, c->events[read].addr, &count);
	for (uint32_t i = 0; i < count && list[i] < read; i++)
		if (list[i] > write && c->events[list[i]].thread == c->events[read].thread &&
		        covers(c->events + list[i], c->events + read))
			found = list[i];
	return found;
}

/* The event before which a thread that is not to write there stays: the write, or the first lock that it holds then. */
static uint32_t halt_before(const struct norn_changed_reads *c, uint32_t write)
{
	uint32_t first = write;
	for (uint32_t held = c->events[write].held; held;) {
		uint32_t acquire = norn_graph_held(c->graph, held, &held);
		first = acquire < first ? acquire : first;
	}
	return first;
}

uint32_t norn_changed_reads_ask(const struct norn_changed_reads *c, uint32_t stop, const struct norn_read_change *changes,
        uint32_t count, struct norn_attempt ret_attempts[NORN_CHANGED_ATTEMPTS])
{
	struct norn_attempt base = {.count = 1, .stops = {stop}}, ordered = base, halted = base;
	uint32_t made = 0;
	bool any_order = false;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t read = changes[i].read, write = changes[i].write, own = own_between(c, read, write);
		uint32_t next = next_write(c, read, write);
		if (write < read && own) {
			if (!write || c->events[write].thread == c->events[read].thread)
				return 0;
			ordered.includes[0] = own;
			ordered.includes[1] = write;
			any_order = true;
		} else if (write < read) {
			base.before = !base.before || (next && next < base.before) ? next : base.before;
			uint32_t halt = next ? halt_before(c, next) : 0;
			if (halt > norn_graph_carried(c->graph) && c->events[halt].thread != c->events[stop].thread) {
				halted.stops[1] = halt;
				halted.count = 2;
				halted.includes[read == stop] = write;
				halted.includes[read != stop] = write && read != stop ? read : halted.includes[read != stop];
			}
			if (read != stop) {
				ordered.includes[0] = read;
				ordered.includes[1] = next;
				any_order = true;
			}
		} else if (read == stop) {
			base.includes[1] = ordered.includes[1] = write;
		} else {
			ordered.includes[0] = write;
			ordered.includes[1] = read;
			any_order = true;
		}
	}
	ordered.before = base.before;
	if (base.before || base.includes[1])
		ret_attempts[made++] = base;
	if (any_order)
		ret_attempts[made++] = ordered;
	if (base.includes[1])
		halted.includes[1] = base.includes[1];
	if (halted.count == 2)
		ret_attempts[made++] = halted;
	return made;
}
