#include "base/bisect.h"
#include "errors/values/changed_reads.h"

#define LOOSE 256u /* events before the stop, among which reads are freed */
#define ALIKE 2u /* writes of the same value, earlier or later than the read: the first may leave another one then */
#define WRITERS 64u /* writes that are looked at, on either side of the recorded one */

/* Does the write leave all that the event reads? It is known what, then. */
static bool covers(const struct norn_changed_reads *c, uint32_t write, uint32_t read)
{
	const struct norn_graph_event *w = c->events + write, *e = c->events + read;
	bool external = w->kind == NORN_EVENT_EXTERNAL; /* what memory held when it was first seen, mostly */
	struct norn_graph_content content;
	return (w->kind == NORN_EVENT_WRITE || w->kind == NORN_EVENT_RMW || external) && w->addr <= e->addr &&
	       e->addr + e->size <= w->addr + w->size && (external || w->life == e->life) &&
	       norn_graph_left(c->graph, write, e->addr, &content) && e->addr + e->size <= content.addr + content.size;
}

static uint64_t part_of(uint64_t addr, const struct norn_graph_event *e, uint64_t value)
{
	value >>= (e->addr - addr) * 8;
	return e->size == 8 ? value : value & ((UINT64_C(1) << e->size * 8) - 1);
}

/* What the read sees of such a write. */
static uint64_t value_from(const struct norn_changed_reads *c, uint32_t write, uint32_t read)
{
	struct norn_graph_content content;
	norn_graph_left(c->graph, write, c->events[read].addr, &content);
	return part_of(content.addr, c->events + read, content.value);
}

/* From a read to another one that the value of its write is made of; and so on. */
struct hop_path {
	struct norn_read_change change; /* so far */
	struct norn_graph_chain chains[NORN_CHANGED_HOPS];
	struct norn_read_options *options; /* of the first read */
};

/* The value of the first read if the last one saw this. */
static uint64_t value_at_first(const struct norn_changed_reads *c, const struct hop_path *path, uint64_t value)
{
	for (unsigned k = path->change.hop_count; k > 0; k--) {
		const struct norn_read_hop *hop = &path->change.hops[k - 1];
		value = part_of(c->events[hop->write].addr, c->events + hop->read, norn_graph_follow(&path->chains[k - 1], value));
	}
	return value;
}

/* May the first read see this, as far as what it decides goes? */
static bool is_wanted(const struct norn_changed_reads *c, const struct hop_path *path, uint64_t value)
{
	return !c->only_null || value == 0;
}

/* moved: the write comes after what the read saw. */
static void add_option(const struct norn_changed_reads *c, const struct hop_path *path, uint64_t seen, uint32_t write, bool moved)
{
	struct norn_read_options *o = path->options;
	struct norn_read_option option = {.value = value_at_first(c, path, seen), .change = path->change};
	option.change.write = write;
	option.change.moved = moved;
	uint32_t read = path->change.read, alike = 0;
	for (uint32_t i = 0; i < o->count && !c->only_null; i++)
		alike += o->items[i].value == option.value && o->items[i].change.read == read &&
		         o->items[i].change.moved == moved && (o->items[i].change.write > read) == (write > read);
	if (alike < ALIKE && o->count < NORN_READ_OPTIONS && is_wanted(c, path, option.value))
		o->items[o->count++] = option;
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
		if (list[i] == write || !covers(c, list[i], read) || list[i] == read)
			continue;
		looked++;
		if ((!write || ordered(c, write, list[i])) && ordered(c, list[i], read))
			return false;
	}
	return true;
}

/* What memory began with where it reads. */
static bool initial_value(const struct norn_changed_reads *c, uint32_t read, uint64_t *ret_value)
{
	const struct norn_graph_event *e = c->events + read, *alloc = c->events + e->life;
	uint64_t word = 0;
	bool zeroed = e->life && alloc->kind == NORN_EVENT_ALLOC && alloc->op == NORN_ALLOC_CALLOC;
	if (!zeroed && (e->life || !norn_graph_initial(c->graph, e->addr, &word)))
		return false;
	*ret_value = part_of(e->addr & ~UINT64_C(7), e, word);
	return true;
}

static void add_initial(const struct norn_changed_reads *c, const struct hop_path *path)
{
	uint64_t value;
	if (initial_value(c, path->change.read, &value) && may_see(c, path->change.read, 0))
		add_option(c, path, value, 0, false);
}

/* A read-modify-write that comes right before the read changes what that saw. */
static void add_made(const struct norn_changed_reads *c, uint32_t write, const struct hop_path *path)
{
	const struct norn_graph_event *e = c->events + path->change.read, *w = c->events + write;
	struct norn_graph_chain chain;
	uint64_t seen;
	if (w->kind != NORN_EVENT_RMW || w->addr != e->addr || w->size != e->size || w->thread == e->thread ||
	        !norn_graph_value_read(c->graph, path->change.read, &seen) || !norn_graph_makes(c->graph, write, &chain))
		return;
	struct hop_path made = *path;
	made.change.made = true;
	add_option(c, &made, part_of(w->addr, e, norn_graph_follow(&chain, seen)), write, write < path->change.read);
}

static bool overlaps(const struct norn_changed_reads *c, uint32_t write, uint32_t read)
{
	const struct norn_graph_event *w = c->events + write, *e = c->events + read;
	return w->addr < e->addr + e->size && e->addr < w->addr + w->size;
}

/* The byte as this write left it; 0: as memory began. */
static bool byte_left(const struct norn_changed_reads *c, uint32_t read, uint32_t write, uint64_t addr, uint64_t *ret_byte)
{
	const struct norn_graph_event *w = c->events + write, *e = c->events + read;
	struct norn_graph_content content = {.addr = addr & ~UINT64_C(7)};
	bool good = write ? (w->kind == NORN_EVENT_WRITE || w->kind == NORN_EVENT_RMW) && w->life == e->life &&
	                            norn_graph_left(c->graph, write, addr, &content)
	                  : !e->life && norn_graph_initial(c->graph, addr, &content.value);
	*ret_byte = content.value >> (addr - content.addr) * 8 & 0xff;
	return good;
}

/* What the read sees right after this one of the writers that came before it: bytes of several. */
static bool mixed_value(const struct norn_changed_reads *c, uint32_t read, const uint32_t *list, uint32_t at, uint64_t *ret_value)
{
	const struct norn_graph_event *e = c->events + read;
	*ret_value = 0;
	for (uint64_t addr = e->addr; addr < e->addr + e->size; addr++) {
		uint32_t writer = 0;
		uint64_t byte;
		for (uint32_t i = at + 1; i > 0 && at + 1 - i < WRITERS && !writer; i--) {
			const struct norn_graph_event *w = c->events + list[i - 1];
			writer = addr >= w->addr && addr - w->addr < w->size ? list[i - 1] : 0;
		}
		if (!byte_left(c, read, writer, addr, &byte))
			return false;
		*ret_value |= byte << (addr - e->addr) * 8;
	}
	return true;
}

/* What it saw, with the bytes of a write that was recorded later. */
static bool overwritten_value(const struct norn_changed_reads *c, uint32_t read, uint32_t write, uint64_t *ret_value)
{
	const struct norn_graph_event *w = c->events + write, *e = c->events + read;
	bool good = norn_graph_value_read(c->graph, read, ret_value);
	for (uint64_t addr = e->addr; addr < e->addr + e->size && good; addr++) {
		unsigned shift = (unsigned)(addr - e->addr) * 8;
		uint64_t byte = *ret_value >> shift & 0xff;
		if (addr >= w->addr && addr - w->addr < w->size)
			good = byte_left(c, read, write, addr, &byte);
		*ret_value = (*ret_value & ~(UINT64_C(0xff) << shift)) | byte << shift;
	}
	return good;
}

/* It may see number at of the list, or parts of it. */
static void add_write(const struct norn_changed_reads *c, const uint32_t *list, uint32_t at, const struct hop_path *path)
{
	uint32_t read = path->change.read, write = list[at];
	uint64_t value;
	if (!overlaps(c, write, read) || !may_see(c, read, write))
		return;
	if (covers(c, write, read)) {
		add_option(c, path, value_from(c, write, read), write, false);
		add_made(c, write, path);
	} else if (write < read ? mixed_value(c, read, list, at, &value) : overwritten_value(c, read, write, &value)) {
		add_option(c, path, value, write, false);
	}
}

/* Those of other writes, the nearest first. True: it saw one write, *ret_writer. */
static bool see_others(const struct norn_changed_reads *c, const struct hop_path *path, uint32_t *ret_writer)
{
	uint32_t read = path->change.read, count, at = 0;
	const struct norn_graph_event *e = c->events + read;
	const uint32_t *list = norn_schedule_values_writers(c->values, e->addr, &count), *seen;
	uint32_t seen_count = norn_graph_list(c->graph, &e->link, &seen), recorded = 0;
	if (e->addr % 8 + e->size > 8)
		return false;
	for (uint32_t i = 0; i < seen_count; i++)
		recorded = seen[i] > recorded ? seen[i] : recorded;
	at = NORN_BISECT(0, count, i, list[i] < read);
	for (uint32_t i = 0; i < WRITERS && (i < at || at + i < count); i++) {
		if (i < at && list[at - 1 - i] != recorded)
			add_write(c, list, at - 1 - i, path);
		if (at + i < count && list[at + i] != read)
			add_write(c, list, at + i, path);
	}
	if (recorded)
		add_initial(c, path);
	*ret_writer = recorded;
	return seen_count == 1 && covers(c, recorded, read);
}

/* What the read sees if its writer does not happen. */
static bool value_without(const struct norn_changed_reads *c, uint32_t read, uint32_t writer, uint64_t *ret_value)
{
	uint32_t count;
	const uint32_t *list = norn_schedule_values_writers(c->values, c->events[read].addr, &count);
	uint32_t at = NORN_BISECT(0, count, i, list[i] < writer);
	return at ? mixed_value(c, read, list, at - 1, ret_value) : initial_value(c, read, ret_value);
}

/* Those of its writer's not happening, as this read sees another write; value: what it sees then. */
static void add_skip(const struct norn_changed_reads *c, const struct hop_path *path, uint32_t skipper, uint64_t value)
{
	struct norn_read_options others = {0};
	struct hop_path aside = {.options = &others, .change.read = skipper};
	uint32_t read = path->change.read, seen;
	see_others(c, &aside, &seen);
	for (uint32_t i = 0; i < others.count; i++) {
		struct hop_path skip = *path;
		if (!norn_graph_skips(c->graph, skipper, others.items[i].value))
			continue;
		skip.change.read = skipper;
		skip.change.skipped = read;
		add_option(c, &skip, value, others.items[i].change.write, others.items[i].change.moved);
	}
}

static void add_skips(const struct norn_changed_reads *c, const struct hop_path *path, uint32_t writer)
{
	uint32_t reads[NORN_SKIPPERS], count = norn_graph_skippers(c->graph, writer, reads);
	uint64_t value;
	if (!count || !value_without(c, path->change.read, writer, &value))
		return;
	while (count)
		add_skip(c, path, reads[--count], value);
}

void norn_changed_reads_options(const struct norn_changed_reads *c, uint32_t read, struct norn_read_options *ret_options)
{
	struct hop_path path = {.options = ret_options, .change.read = read};
	ret_options->count = 0;
	for (uint32_t writer; path.change.read && see_others(c, &path, &writer);) {
		uint32_t hop = path.change.hop_count;
		add_skips(c, &path, writer);
		if (hop == NORN_CHANGED_HOPS)
			return;
		path.change.hops[hop] = (struct norn_read_hop){path.change.read, writer};
		path.change.hop_count++;
		path.change.read = norn_schedule_values_source(c->values, writer, &path.chains[hop]);
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
		if (list[i] > write && c->events[list[i]].thread == c->events[read].thread && covers(c, list[i], read))
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

/* How reads come to see other writes. */
enum ask_way {
	ASK_NEAR, /* the base ends before what they are not to see */
	ASK_ORDERED, /* they come before it */
	ASK_HALTED, /* its thread stays before it */
	ASK_MOVED, /* what they are to see comes after it */
	ASK_LOOSE = 4, /* with one of these: other reads of assertions that the thread passes may see anything, too */
};

static bool is_own(const struct norn_changed_reads *c, const struct norn_read_change *x)
{
	return x->write && c->events[x->write].thread == c->events[x->read].thread;
}

/* The writes that a read saw come before an event; 0: before the attempt's stop. */
static bool include_seen(const struct norn_changed_reads *c, struct norn_attempt *attempt, uint32_t read, uint32_t before)
{
	const uint32_t *seen;
	uint32_t count = norn_graph_list(c->graph, &c->events[read].link, &seen);
	for (uint32_t i = 0; i < count; i++)
		if (!norn_attempt_include(attempt, before ? seen[i] : 0, before ? before : seen[i]))
			return false;
	return true;
}

/* The write comes before the read, which may be the stop. */
static bool include_write(struct norn_attempt *attempt, uint32_t write, uint32_t read)
{
	bool stop = read == attempt->stops[0];
	return norn_attempt_include(attempt, stop ? 0 : write, stop ? write : read);
}

/* The thread of the next write stays before it. */
static bool halt(const struct norn_changed_reads *c, struct norn_attempt *attempt, const struct norn_read_change *x, uint32_t next)
{
	uint32_t stop = next ? halt_before(c, next) : 0;
	if (attempt->count == 2 || stop <= norn_graph_carried(c->graph) ||
	        c->events[stop].thread == c->events[attempt->stops[0]].thread)
		return false;
	attempt->stops[attempt->count++] = stop;
	return (!x->write || norn_attempt_include(attempt, 0, x->write)) &&
	       (x->read == attempt->stops[0] || norn_attempt_include(attempt, 0, x->read));
}

/* The base ends before this event; 0: that does not matter. */
static void end_before(struct norn_attempt *attempt, uint32_t event)
{
	if (event && (!attempt->before || event < attempt->before))
		attempt->before = event;
}

/* The read sees a write that was recorded before it. *used: not as by ASK_NEAR. */
static bool see_older(const struct norn_changed_reads *c, struct norn_attempt *attempt, const struct norn_read_change *x,
        unsigned way, bool *used)
{
	uint32_t next = next_write(c, x->read, x->write), own = own_between(c, x->read, x->write);
	bool stop = x->read == attempt->stops[0], move = x->moved || (way == ASK_MOVED && x->write && !is_own(c, x));
	if (own && (!x->write || is_own(c, x)))
		return false;
	*used |= move || own || (way == ASK_ORDERED && !stop) || way == ASK_HALTED;
	if (move || own)
		return (own ? norn_attempt_include(attempt, own, x->write) : include_seen(c, attempt, x->read, x->write)) &&
		       include_write(attempt, x->write, x->read);
	end_before(attempt, next);
	if (way == ASK_HALTED)
		return halt(c, attempt, x, next);
	return way == ASK_NEAR || stop || norn_attempt_include(attempt, x->read, next);
}

/* Reads with masks decide what they did, unless they are to skip what they control. */
static void free_read(const struct norn_changed_reads *c, struct norn_attempt *attempt, uint32_t read, bool skips)
{
	bool decides = c->events[read].flags & NORN_GRAPH_DECIDES, masked = c->events[read].flags & NORN_GRAPH_MASKED;
	if (decides && masked == skips && read != attempt->stops[0] && attempt->freed_count < NORN_ATTEMPT_FREED)
		attempt->freed[attempt->freed_count++] = read;
}

/* What a read-modify-write decides by another value comes after it: its thread stays there (V1). */
static bool end_with(const struct norn_changed_reads *c, struct norn_attempt *attempt, uint32_t rmw)
{
	uint32_t next = c->events[rmw].next;
	if (!(c->events[rmw].flags & NORN_GRAPH_DECIDES))
		return true;
	if (rmw <= norn_graph_carried(c->graph) || attempt->freed_count == NORN_ATTEMPT_FREED ||
	        c->events[rmw].thread == c->events[attempt->stops[0]].thread || (next && attempt->count == 2))
		return false;
	attempt->freed[attempt->freed_count++] = rmw;
	if (next)
		attempt->stops[attempt->count++] = next;
	return true;
}

/* False: there is no such schedule, or not in this way. */
static bool ask_for(const struct norn_changed_reads *c, struct norn_attempt *attempt, const struct norn_read_change *x,
        unsigned way, bool *used)
{
	for (uint32_t i = 0; i < x->hop_count; i++) {
		if (!include_write(attempt, x->hops[i].write, x->hops[i].read))
			return false;
		free_read(c, attempt, x->hops[i].read, false);
	}
	free_read(c, attempt, x->read, x->skipped);
	if (x->skipped)
		free_read(c, attempt, x->skipped, false);
	if (x->made && !end_with(c, attempt, x->write))
		return false;
	if (x->write < x->read)
		return see_older(c, attempt, x, way, used);
	if (x->read != attempt->stops[0])
		end_before(attempt, x->read);
	return include_write(attempt, x->write, x->read);
}

/* Frees the reads of assertions that come before the stop. True: there are some. */
static bool free_loose(const struct norn_changed_reads *c, struct norn_attempt *attempt)
{
	uint32_t stop = attempt->stops[0], before = attempt->freed_count;
	uint32_t i = norn_graph_after(c->graph, c->events[stop].thread, stop > LOOSE ? stop - LOOSE : 0);
	for (; i && i < stop; i = c->events[i].next) {
		bool loose = c->events[i].flags & NORN_GRAPH_LOOSE || norn_graph_free_until(c->graph, i, c->at);
		bool freed = !loose || c->events[i].kind != NORN_EVENT_READ;
		for (uint32_t k = 0; k < attempt->freed_count; k++)
			freed |= attempt->freed[k] == i;
		if (!freed)
			free_read(c, attempt, i, false);
	}
	return attempt->freed_count > before;
}

/* False: there is no such schedule, or none that is not asked for already. */
static bool ask_all(const struct norn_changed_reads *c, struct norn_attempt *attempt, uint32_t kept,
        const struct norn_read_change *changes, uint32_t count, unsigned way)
{
	bool used = way == ASK_NEAR || way & ASK_LOOSE, keep = kept;
	for (uint32_t i = 0; i < count; i++) {
		if (!ask_for(c, attempt, &changes[i], way & ~ASK_LOOSE, &used))
			return false;
		const struct norn_read_change *x = &changes[i];
		keep &= kept != (x->hop_count ? x->hops[0].read : x->skipped ? x->skipped : x->read);
	}
	return used && (!keep || include_seen(c, attempt, kept, 0)) && (!(way & ASK_LOOSE) || free_loose(c, attempt));
}

uint32_t norn_changed_reads_ask(const struct norn_changed_reads *c, uint32_t stop, uint32_t kept,
        const struct norn_read_change *changes, uint32_t count, struct norn_attempt ret_attempts[NORN_CHANGED_ATTEMPTS])
{
	static const uint8_t ways[] = {ASK_NEAR, ASK_ORDERED, ASK_HALTED, ASK_MOVED, ASK_NEAR | ASK_LOOSE, ASK_MOVED | ASK_LOOSE};
	_Static_assert(sizeof ways == NORN_CHANGED_ATTEMPTS, "one attempt for each way");
	uint32_t made = 0;
	for (uint32_t i = 0; i < sizeof ways; i++) {
		ret_attempts[made] = (struct norn_attempt){.count = 1, .stops = {stop}};
		made += ask_all(c, &ret_attempts[made], kept, changes, count, ways[i]);
	}
	return made;
}
