/* The values of a window (V2 to V7), for fixing lazily: reads whose value matters are *examined*; the window is replayed in the
 * observed order, and a read that is fixed needs its own writers only where it would see another value, or decide otherwise.
 *
 * In observed order a read whose writers are all there, and left what they left, sees what it saw. So nothing is replayed unless an
 * examined read misses a writer.
 *
 * That a window cannot be had shows much sooner if reads need their writers at once, unless memory holds at the base what will do.
 * So this is tried first; lazily only what failed by such a need. */
#include "sliced/closure_state.h"
#include "trace/record.h"

#define FEW_ROUNDS 8u /* so many fix the first read that would not do, later ones all of them */
#define ROUNDS 64u /* after so many, reads that would not do need all that they had */
#define SOURCES_MAX 256u /* nodes of a value that are looked at; of one with more all reads are fixed */

/* The value that an event of the window reads, or leaves, if that is not the recorded one: found in closure->others. */
struct other {
	bool known;
	uint64_t value;
};

static struct closure_thread *thread_of(struct norn_closure *closure, uint32_t event)
{
	return norn_closure_thread(closure, closure->events[event].thread);
}

static bool is_missing(struct norn_closure *closure, uint32_t writer)
{
	return writer > closure->base && writer > thread_of(closure, writer)->wanted;
}

/* ---- examining ---- */

/* The value that this event read, if it is known, and the same number in all runs (V3, V4). */
static bool value_read(const struct norn_closure *closure, uint32_t read, uint64_t *ret_value)
{
	return norn_graph_value_read(closure->graph, read, ret_value) &&
	       norn_graph_exact(closure->graph, closure->base, read, closure->events[read].size, *ret_value);
}

/* The contents of the read's word at the base. */
static struct norn_content content_of(struct norn_closure *closure, const struct norn_graph_event *e)
{
	struct norn_content content = norn_memory_contents_word(&closure->contents, e->addr);
	if (!content.known && e->life == 0 && norn_graph_still_initial(closure->graph, closure->base, e->addr, &content.bytes))
		content.known = 0xff;
	return content;
}

/* May this read see another value, if its tests come out the same (V6), and the branches that it is in with others? Not where its
 * value matters. */
static bool may_change(const struct norn_closure *closure, uint32_t read)
{
	return norn_closure_tested(closure, read) && closure->read_stamps[read] != closure->epoch;
}

/* Do its tests come out the same? Assertions and branches with others are looked at where they are come to (replay). */
static bool decides_same(const struct norn_closure *closure, uint32_t read, uint64_t value)
{
	return norn_graph_decides_same(closure->graph, read, value) || norn_graph_loose_same(closure->graph, read, value, 0);
}

static uint64_t value_at(const struct norn_graph_event *e, uint64_t word)
{
	return word >> e->addr % 8 * 8 & (e->size == 8 ? UINT64_MAX : (UINT64_C(1) << e->size * 8) - 1);
}

/* Would what memory holds at the base do for this read, which saw this value? */
static bool base_does(struct norn_closure *closure, uint32_t read, uint64_t value)
{
	const struct norn_graph_event *e = closure->events + read;
	struct norn_content content = content_of(closure, e);
	unsigned bytes = ((1u << e->size) - 1) << e->addr % 8;
	uint64_t now = value_at(e, content.bytes);
	if ((content.known & bytes) != bytes)
		return false;
	return now == value ||
	       (may_change(closure, read) && norn_graph_exact(closure->graph, closure->base, UINT32_MAX, e->size, now) &&
	               decides_same(closure, read, now));
}

static bool is_examined(const struct norn_closure *closure, uint32_t event)
{
	return closure->examined_stamps[event] == closure->epoch;
}

/* The value that this event, which is included, writes: its source reads are to be examined. */
static void examine_value(struct norn_closure *closure, uint32_t writer)
{
	const struct norn_graph_event *w = closure->events + writer;
	if (closure->value_stamps[writer] == closure->epoch)
		return;
	closure->value_stamps[writer] = closure->epoch;
	if (!closure->lazy) {
		norn_closure_know(closure, writer);
		return;
	}
	norn_closure_control(closure, writer);
	if ((w->kind == NORN_EVENT_WRITE || w->kind == NORN_EVENT_RMW) && w->other)
		norn_must_push(&closure->to_examine, w->other);
	if (w->kind == NORN_EVENT_RMW)
		norn_must_push(&closure->to_examine, writer);
}

/* May this event see, or leave, another value than it did? Of a read, only if what it read was written after the base. */
static bool is_open(const struct norn_closure *closure, uint32_t read)
{
	if (closure->events[read].kind != NORN_EVENT_READ)
		return true;
	const uint32_t *writers;
	uint32_t count = norn_graph_list(closure->graph, &closure->events[read].link, &writers);
	for (uint32_t i = 0; i < count; i++)
		if (writers[i] > closure->base)
			return true;
	return false;
}

bool norn_closure_examine(struct norn_closure *closure, uint32_t event)
{
	const struct norn_graph_event *e = closure->events + event;
	const uint32_t *writers;
	uint64_t value;
	uint32_t count = norn_graph_list(closure->graph, &e->link, &writers);
	if (is_examined(closure, event))
		return true;
	if (e->flags & NORN_GRAPH_ODD)
		return false;
	if (!is_open(closure, event)) {
		closure->examined_stamps[event] = closure->epoch;
		return true;
	}
	if (e->kind == NORN_EVENT_EXTERNAL || !value_read(closure, event, &value))
		return false;
	bool missing = false;
	for (uint32_t i = 0; i < count && !closure->lazy && !missing; i++)
		missing = is_missing(closure, writers[i]);
	if (missing && !base_does(closure, event, value))
		return false;
	closure->examined_stamps[event] = closure->epoch;
	norn_must_push(&closure->examined, event);
	for (uint32_t i = 0; i < count; i++)
		if (writers[i] > closure->base && !is_missing(closure, writers[i]))
			examine_value(closure, writers[i]);
	return true;
}

/* Is any of the first bytes that the event read in this writer's memory? */
static bool reaches_into(const struct norn_closure *closure, uint32_t writer, uint32_t event, uint64_t bytes)
{
	const struct norn_graph_event *w = closure->events + writer, *e = closure->events + event;
	return bytes >= e->size || w->addr < e->addr + bytes;
}

/* The contents of fresh memory are not known (V5). */
void norn_closure_need_writers(struct norn_closure *closure, uint32_t event, uint64_t bytes)
{
	const uint32_t *writers;
	uint32_t count = norn_graph_list(closure->graph, &closure->events[event].link, &writers);
	if (closure->events[event].flags & NORN_GRAPH_ODD)
		closure->failed = true;
	bool reads = closure->events[event].kind != NORN_EVENT_EXTERNAL;
	for (uint32_t i = 0; i < count; i++)
		if (writers[i] > closure->base && reaches_into(closure, writers[i], event, bytes)) {
			closure->by_value = true;
			norn_closure_need(closure, writers[i]);
			norn_closure_know(closure, writers[i]);
			if (reads && closure->events[writers[i]].kind == NORN_EVENT_ALLOC &&
			        closure->events[writers[i]].flags & NORN_GRAPH_FRESH && !(closure->without & NORN_RULE_KNOWN))
				closure->failed = true;
		}
}

bool norn_closure_unwritten(struct norn_closure *closure, uint32_t read)
{
	const uint32_t *writers;
	uint32_t count = norn_graph_list(closure->graph, &closure->events[read].link, &writers);
	bool found = false;
	for (uint32_t i = 0; i < count && closure->events[read].kind != NORN_EVENT_EXTERNAL; i++) {
		const struct norn_graph_event *w = closure->events + writers[i];
		bool fresh = w->kind == NORN_EVENT_ALLOC && w->flags & NORN_GRAPH_FRESH;
		found |= writers[i] > closure->base && (fresh || (w->kind == NORN_EVENT_EXTERNAL && !w->link));
	}
	if (found)
		closure->stricter = &norn_rule_fresh_memory;
	return found && closure->without & NORN_RULE_FRESH;
}

/* A read that a value comes from. */
static void examine_source(struct norn_closure *closure, uint32_t read)
{
	if (read <= closure->base || is_examined(closure, read) || closure->read_stamps[read] == closure->epoch)
		return;
	if (norn_closure_decides(closure, read) && !norn_closure_tested(closure, read))
		return; /* those are fixed when they are included */
	norn_closure_control(closure, read);
	norn_closure_look(closure, closure->events[read].addr, closure->events[read].size);
	if (!norn_closure_unwritten(closure, read) && !norn_closure_examine(closure, read))
		norn_closure_push(closure, read);
}

void norn_closure_examine_one(struct norn_closure *closure)
{
	uint32_t item = closure->to_examine.items[--closure->to_examine.count], a, b;
	if (item & NORN_GRAPH_LIST) {
		uint32_t *stamp = closure->examined_nodes + (item & ~NORN_GRAPH_LIST);
		if (*stamp == closure->epoch)
			return;
		*stamp = closure->epoch;
	}
	closure->steps++;
	switch (norn_graph_node(closure->graph, item, &a, &b)) {
	case NORN_NODE_NONE:
		return;
	case NORN_NODE_READ:
		examine_source(closure, a);
		return;
	case NORN_NODE_UNION:
		norn_must_push(&closure->to_examine, a);
		norn_must_push(&closure->to_examine, b);
		return;
	case NORN_NODE_BEFORE:
		norn_closure_push(closure, item);
	}
}

void norn_closure_fix_late(struct norn_closure *closure, uint32_t event)
{
	uint32_t count;
	if (closure->certain || !norn_graph_finds_decided(closure->graph, event) || closure->without & NORN_RULE_FIXED)
		return;
	const struct norn_graph_decision *d = norn_graph_decisions(closure->graph, event, &count);
	for (uint32_t i = 0; i < count && d[i].event == event; i++)
		if (!norn_closure_is_freed(closure, d[i].read))
			norn_closure_decide(closure, d[i].read);
}

/* ---- what reads see ---- */

/* Notes this write as the last of its bytes, in words that examined reads see. */
static void see_write(struct norn_closure *closure, uint32_t event)
{
	const struct norn_graph_event *e = closure->events + event;
	uint64_t first = e->addr / 8, last = e->size ? (e->addr + e->size - 1) / 8 : first;
	/* Of long ones only the words that are seen are looked up: there are few. */
	if (last - first > closure->seen.count) {
		size_t cursor = 0;
		uint64_t word;
		for (uint32_t *writers; (writers = norn_map_next(&closure->seen, &cursor, &word));)
			for (unsigned b = 0; b < 8 && word >= first && word <= last; b++)
				if (word * 8 + b >= e->addr && word * 8 + b < e->addr + e->size)
					writers[b] = event;
		return;
	}
	for (uint64_t word = first; word <= last; word++) {
		uint32_t *writers = norn_map_get(&closure->seen, word);
		for (unsigned b = 0; writers && b < 8; b++)
			if (word * 8 + b >= e->addr && word * 8 + b < e->addr + e->size)
				writers[b] = event;
	}
}

static bool writes_memory(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL ||
	       e->kind == NORN_EVENT_ALLOC || e->kind == NORN_EVENT_FREE ||
	       (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_STACK);
}

/* The reads that a value comes from, and that see something else. */
struct changes {
	bool any, unclear; /* one of them is not the source, or too many to tell */
	uint32_t source; /* the latest read at the site that the chain begins with; 0: none */
};

static struct changes find_changes(struct norn_closure *closure, uint32_t node, uint32_t site)
{
	struct changes changes = {0};
	uint32_t stack[64] = {node}, depth = 1, changed = 0, a, b;
	for (unsigned looked = 0; depth; looked++) {
		if (looked == SOURCES_MAX)
			return (struct changes){true, true, 0};
		switch (norn_graph_node(closure->graph, stack[--depth], &a, &b)) {
		case NORN_NODE_READ:
			if (closure->events[a].site == site && a > changes.source)
				changes.source = a;
			if (norn_map_get(&closure->others, a)) {
				changes.unclear |= changed && changed != a;
				changed = a;
			}
			break;
		case NORN_NODE_UNION:
			if (depth + 2 > sizeof stack / sizeof *stack)
				return (struct changes){true, true, 0};
			stack[depth++] = a;
			stack[depth++] = b;
			break;
		default: /* all reads before are fixed */
			break;
		}
	}
	changes.any = changed;
	changes.unclear |= changed && changed != changes.source;
	return changes;
}

static uint64_t within(uint64_t value, uint32_t size)
{
	return size >= 8 ? value : value & ((UINT64_C(1) << size * 8) - 1);
}

/* May a branch that this event feeds come out otherwise, as it sees this value? */
static bool may_turn(const struct norn_closure *closure, uint32_t event, uint64_t value)
{
	return closure->events[event].flags & NORN_GRAPH_MASKED && !norn_graph_decides_same(closure->graph, event, value);
}

/* The value that the chain makes of the one that the source sees now; the chain must explain the recorded one (V7). After a source
 * whose branches may come out otherwise nothing is known. */
static void follow(struct norn_closure *closure, uint32_t writer, uint32_t source, const struct norn_graph_chain *chain,
        struct other *ret_other)
{
	const struct norn_graph_event *w = closure->events + writer;
	const struct other *sees = norn_map_get(&closure->others, source);
	uint64_t saw;
	if (!sees || !sees->known || may_turn(closure, source, sees->value) ||
	        !norn_graph_value_read(closure->graph, source, &saw) || within(norn_graph_follow(chain, saw), w->size) != w->value)
		return;
	ret_other->value = within(norn_graph_follow(chain, sees->value), w->size);
	ret_other->known = norn_graph_exact(closure->graph, closure->base, UINT32_MAX, w->size, ret_other->value);
}

/* Does this write of the window leave something else than it did, and what? */
static bool leaves_other(struct norn_closure *closure, uint32_t writer, struct other *ret_other)
{
	const struct norn_graph_event *w = closure->events + writer;
	struct norn_graph_chain chain = {.site = 0};
	*ret_other = (struct other){.known = false};
	if (w->kind != NORN_EVENT_WRITE && w->kind != NORN_EVENT_RMW)
		return false;
	if (closure->value_stamps[writer] != closure->epoch) {
		examine_value(closure, writer);
		return false; /* for now */
	}
	if (thread_of(closure, writer)->changed != closure->replays)
		return false;
	bool makes = norn_graph_makes(closure->graph, writer, &chain);
	bool rmw = w->kind == NORN_EVENT_RMW, reads_other = rmw && norn_map_get(&closure->others, writer);
	struct changes changes = find_changes(closure, w->other, rmw ? 0 : chain.site);
	if (!changes.any && !reads_other)
		return false;
	if (makes && rmw && !changes.any)
		follow(closure, writer, writer, &chain, ret_other);
	else if (makes && !rmw && !changes.unclear)
		follow(closure, writer, changes.source, &chain, ret_other);
	return !ret_other->known || ret_other->value != w->value;
}

/* The last recorded writer of the byte that this event saw. */
static uint32_t recorded_writer(const struct norn_closure *closure, const struct norn_graph_event *e, uint64_t addr)
{
	const uint32_t *writers;
	uint32_t count = norn_graph_list(closure->graph, &e->link, &writers), found = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_graph_event *w = closure->events + writers[i];
		if (writers[i] > found && addr >= w->addr && addr - w->addr < w->size)
			found = writers[i];
	}
	return found;
}

struct window_byte {
	bool known, as_recorded;
	unsigned value;
};

static unsigned byte_at(uint64_t value, const struct norn_graph_event *e, uint64_t addr)
{
	return value >> (addr - e->addr) * 8 & 0xff;
}

/* As this write of the window leaves it. */
static struct window_byte byte_written(struct norn_closure *closure, uint32_t writer, uint64_t addr, bool recorded)
{
	const struct norn_graph_event *w = closure->events + writer;
	struct other other;
	if (leaves_other(closure, writer, &other))
		return (struct window_byte){other.known, false, other.known ? byte_at(other.value, w, addr) : 0};
	if (recorded)
		return (struct window_byte){.as_recorded = w->kind != NORN_EVENT_ALLOC || !(w->flags & NORN_GRAPH_FRESH)};
	if (!(w->flags & NORN_GRAPH_VALUED) || w->kind == NORN_EVENT_EXTERNAL || w->addr % 8 + w->size > 8 ||
	        !norn_graph_exact(closure->graph, closure->base, writer, w->size, w->value))
		return (struct window_byte){.known = false};
	return (struct window_byte){true, false, byte_at(w->value, w, addr)};
}

static struct window_byte byte_seen(
        struct norn_closure *closure, const struct norn_graph_event *e, const uint32_t *writers, uint64_t addr)
{
	uint32_t now = writers[addr % 8], then = recorded_writer(closure, e, addr);
	if (now == 0 && then <= closure->base)
		return (struct window_byte){.as_recorded = true};
	if (now == then) {
		struct window_byte byte = byte_written(closure, now, addr, true);
		byte.known &= !closure->unseen;
		return byte;
	}
	if (closure->unseen)
		return (struct window_byte){.known = false};
	if (now)
		return byte_written(closure, now, addr, false);
	struct norn_content content = content_of(closure, e);
	return (struct window_byte){content.known >> addr % 8 & 1, false, content.bytes >> addr % 8 * 8 & 0xff};
}

/* The value that this read sees as the window is now. True: the recorded one. */
static bool sees_the_same(struct norn_closure *closure, uint32_t read, struct other *ret_other)
{
	const struct norn_graph_event *e = closure->events + read;
	const uint32_t *writers = norn_map_get(&closure->seen, e->addr / 8);
	uint64_t value = 0;
	value_read(closure, read, &value);
	*ret_other = (struct other){.known = true};
	for (uint64_t addr = e->addr; addr < e->addr + e->size; addr++) {
		struct window_byte byte = byte_seen(closure, e, writers, addr);
		if (byte.as_recorded)
			byte.value = byte_at(value, e, addr);
		ret_other->known &= byte.known || byte.as_recorded;
		ret_other->value |= (uint64_t)byte.value << (addr - e->addr) * 8;
	}
	if (ret_other->known && ret_other->value == value)
		return true;
	/* An address counts only as itself, and as none. */
	ret_other->known &= norn_graph_exact(closure->graph, closure->base, UINT32_MAX, e->size, ret_other->value);
	return false;
}

/* ---- fixing what would not do ---- */

/* The reads that this node comes from, and that see something else. */
static void fix_changed(struct norn_closure *closure, uint32_t node)
{
	uint32_t stack[64] = {node}, depth = 1, a, b;
	for (unsigned looked = 0; depth; looked++) {
		bool union_of = norn_graph_node(closure->graph, stack[--depth], &a, &b) == NORN_NODE_UNION;
		if (looked == SOURCES_MAX || depth + 2 > sizeof stack / sizeof *stack) {
			norn_closure_push(closure, node);
			return;
		}
		if (union_of) {
			stack[depth++] = a;
			stack[depth++] = b;
		} else if (norn_map_get(&closure->others, a)) {
			norn_closure_push(closure, a);
		}
	}
}

/* This read would not do: its writers are needed; if they are there, what they wrote is. */
static void fix_more(struct norn_closure *closure, uint32_t read, bool all)
{
	const uint32_t *writers;
	uint32_t count = norn_graph_list(closure->graph, &closure->events[read].link, &writers);
	bool missing = false;
	closure->by_value = true;
	if (all) {
		norn_closure_need_writers(closure, read, UINT64_MAX);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		if (is_missing(closure, writers[i])) {
			missing = true;
			norn_closure_need(closure, writers[i]);
			examine_value(closure, writers[i]);
		}
	for (uint32_t i = 0; i < count && !missing; i++) {
		const struct norn_graph_event *w = closure->events + writers[i];
		if (writers[i] > closure->base && w->kind == NORN_EVENT_RMW && norn_map_get(&closure->others, writers[i]))
			norn_closure_push(closure, writers[i]);
		if (writers[i] > closure->base && (w->kind == NORN_EVENT_WRITE || w->kind == NORN_EVENT_RMW))
			fix_changed(closure, w->other);
	}
}

/* ---- replaying ---- */

/* Does what comes right after this event come out as it did? If not, those of its reads that see something else are fixed. */
static bool comes_out_same(struct norn_closure *closure, uint32_t event)
{
	uint32_t count;
	const struct norn_graph_assertion *a = norn_graph_assertions_after(closure->graph, event, &count);
	bool same = true;
	for (; count; a++, count--) {
		uint64_t values[NORN_ASSERT_SOURCES], outcome;
		bool changed = false, known = a->known;
		for (uint32_t i = 0; i < a->count; i++) {
			const struct other *sees = norn_map_get(&closure->others, a->reads[i]);
			changed |= sees != NULL;
			if (sees)
				values[i] = sees->value;
			known &= sees ? sees->known : norn_graph_value_read(closure->graph, a->reads[i], &values[i]);
		}
		if (!changed || (known && norn_graph_assertion_value(a, values, &outcome) && outcome != a->fails_if))
			continue;
		same = false;
		for (uint32_t i = 0; i < a->count; i++)
			if (norn_map_get(&closure->others, a->reads[i]))
				norn_closure_push(closure, a->reads[i]);
	}
	return same;
}

/* Goes through the window in the observed order. False: reads that are fixed would not do, and more was fixed for their sake. */
static bool replay(struct norn_closure *closure, unsigned round)
{
	uint32_t count, left = closure->examined.count;
	bool good = true;
	const uint32_t *window = norn_closure_window(closure, &count);
	norn_map_done(&closure->seen);
	norn_map_done(&closure->others);
	closure->unseen = false;
	closure->replays++;
	for (uint32_t i = 0; i < left; i++)
		norn_must_map_put(&closure->seen, closure->events[closure->examined.items[i]].addr / 8);
	for (uint32_t i = 0; i < count && (left || closure->others.count); i++) {
		const struct norn_graph_event *e = closure->events + window[i];
		bool read = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW;
		struct other other;
		if (read && is_examined(closure, window[i]) && is_open(closure, window[i])) {
			left--;
			if (!sees_the_same(closure, window[i], &other)) {
				*(struct other *)norn_must_map_put(&closure->others, window[i]) = other;
				thread_of(closure, window[i])->changed = closure->replays;
				bool does = !norn_closure_is_fixed(closure, window[i]) ||
				            (other.known && may_change(closure, window[i]) &&
				                    decides_same(closure, window[i], other.value));
				if (!does && (good || round >= FEW_ROUNDS))
					fix_more(closure, window[i], round >= ROUNDS);
				good &= does;
			}
		}
		if (thread_of(closure, window[i])->changed == closure->replays)
			good &= comes_out_same(closure, window[i]);
		closure->unseen |= norn_memory_contents_unseen(e);
		if (writes_memory(e))
			see_write(closure, window[i]);
	}
	closure->steps += count;
	return good;
}

/* Examines what the writers of examined reads wrote, as far as they are there. Does a read miss one, or see what is in fresh
 * memory? */
static bool in_doubt(struct norn_closure *closure)
{
	bool doubt = false;
	for (uint32_t i = 0; i < closure->examined.count; i++) {
		const uint32_t *writers;
		uint32_t count = norn_graph_list(closure->graph, &closure->events[closure->examined.items[i]].link, &writers);
		for (uint32_t k = 0; k < count; k++) {
			const struct norn_graph_event *w = closure->events + writers[k];
			if (writers[k] <= closure->base)
				continue;
			bool missing = is_missing(closure, writers[k]);
			doubt |= missing || (w->kind == NORN_EVENT_ALLOC && w->flags & NORN_GRAPH_FRESH);
			if (!missing)
				examine_value(closure, writers[k]);
		}
	}
	return doubt;
}

void norn_closure_settle(struct norn_closure *closure)
{
	for (unsigned round = 0; !closure->failed && closure->included <= closure->limit;) {
		uint32_t examined = closure->examined.count, included = closure->included;
		uint64_t fixed = closure->fixed_count;
		bool doubt = in_doubt(closure), good = true;
		norn_closure_close(closure);
		if (examined != closure->examined.count || included != closure->included || fixed != closure->fixed_count)
			continue;
		if (!doubt)
			return;
		closure->too_equal |= round >= ROUNDS;
		good = replay(closure, round++);
		norn_closure_close(closure);
		if (examined == closure->examined.count && included == closure->included && fixed == closure->fixed_count) {
			closure->failed |= !good;
			return;
		}
	}
}
