#include "base/bisect.h"
#include "sliced/step/step_flow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/record.h"
#include "trace/site.h"

#define NODES_MAX 256u /* of a value that are looked at */

/* Of byte groups: contents that are those of no read. */
#define UNKNOWN 0x7fffffffu
#define UNSETTLED 0x7ffffffeu /* it stays so */
#define NUMBERS_END UNSETTLED /* numbers of known values are below */

#define SLOT_RIGHT 0u
#define SLOT_BROKEN 1u
#define SLOT_VALUES 2u /* values begin here */

struct step_flow {
	bool soft; /* its thread may go on whatever its read sees, */
	bool decides; /* if that decides the same, */
	bool masked; /* or no more than whether groups are written */
	bool odd; /* what it read is known to be there in the recorded run only */
	bool passable; /* it may be passed over */
	bool valued; /* the property needs the value that it had */
	bool makes; /* chain makes what it writes of what it reads itself, or of what is in slot made_from */
	uint32_t slot; /* where what it sees is noted, or NORN_STEP_MODEL_NONE */
	uint32_t wrong; /* the slot of its thread, or NORN_STEP_MODEL_NONE */
	/* In lists: slots that its value comes from; those that control it; those that no later step asks for. */
	uint32_t list, source_count, control_count, over_count;
	uint32_t group, group_count; /* in groups: those that it may let be written or not */
	uint32_t made_from;
	struct norn_graph_chain chain;
};

struct norn_step_flows {
	const struct norn_graph *graph;
	struct norn_byte_groups byte_groups;
	struct step_flow *steps; /* as in the model */
	struct norn_numbers lists, groups;
	NORN_VECTOR(uint64_t) values; /* that reads saw instead of theirs, each once */
	struct norn_map index; /* value → its slot's content */
	uint64_t seen; /* the value that the step which is being made has changed to */
};

/* ---- the reads of a node ---- */

struct step_sources {
	struct norn_numbers reads;
	bool before; /* and all that its thread has read, or too many */
};

static void find_sources(const struct norn_graph *graph, uint32_t node, struct step_sources *sources)
{
	uint32_t stack[64] = {node}, depth = 1, a, b;
	sources->reads.count = 0;
	sources->before = false;
	for (unsigned looked = 0; depth; looked++) {
		enum norn_graph_node kind = norn_graph_node(graph, stack[--depth], &a, &b);
		if (looked == NODES_MAX || kind == NORN_NODE_BEFORE || (kind == NORN_NODE_UNION && depth + 2 > 64)) {
			sources->before = true;
			return;
		}
		if (kind == NORN_NODE_READ)
			norn_must_push(&sources->reads, a);
		if (kind == NORN_NODE_UNION) {
			stack[depth++] = a;
			stack[depth++] = b;
		}
	}
}

/* ---- soft reads ---- */

static bool has_bit(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

static bool is_read(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW;
}

static bool contains(const uint64_t *list, uint32_t count, uint64_t number)
{
	uint32_t from = NORN_BISECT(0, count, i, list[i] < number);
	return from < count && list[from] == number;
}

/* May an event of the property lie in what the read decides about? */
static bool is_watched(const struct norn_step_draft *d, uint32_t read)
{
	const struct norn_step_model_property *p = d->property;
	const struct norn_graph_range *masks;
	uint32_t count = norn_graph_masks(d->fixed->graph, d->events[read].site, &masks);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t w = 0; w < p->watched_count; w++)
			if (masks[i].addr < p->watched[w].addr + p->watched[w].size &&
			        p->watched[w].addr < masks[i].addr + masks[i].size)
				return true;
	return false;
}

static bool is_masked(const struct norn_step_draft *d, uint32_t read)
{
	return d->events[read].flags & NORN_GRAPH_MASKED && !d->property->reads && !is_watched(d, read);
}

static bool is_tested(const struct norn_graph_event *e)
{
	unsigned needed = NORN_GRAPH_TESTED | NORN_GRAPH_VALUED;
	return e->kind == NORN_EVENT_READ && (e->flags & needed) == needed;
}

static bool compares(const struct norn_step_draft *d, uint32_t event)
{
	struct norn_graph_site site;
	norn_graph_site(d->fixed->graph, d->events[event].site, &site);
	return site.kind == NORN_SITE_CMPXCHG;
}

static bool may_be_soft(const struct norn_step_draft *d, uint32_t i)
{
	const struct norn_graph_event *e = &d->events[i];
	if (!is_read(e) || !norn_fixed_reads_has(d->fixed, i) || contains(d->property->valued, d->property->valued_count, i) ||
	        (e->kind == NORN_EVENT_RMW && compares(d, i)))
		return false;
	return !(e->flags & NORN_GRAPH_DECIDES) || is_masked(d, i) || is_tested(e);
}

static bool is_soft(const struct norn_step_draft *d, uint32_t event)
{
	return event > d->model->base && has_bit(d->soft, event - d->model->base);
}

/* The value of a write, or what controls an event, comes from these: reads of other threads are not followed. */
static void harden(struct norn_step_draft *d, uint32_t event, uint32_t node, struct step_sources *sources)
{
	find_sources(d->fixed->graph, node, sources);
	for (uint32_t i = 0; i < sources->reads.count; i++) {
		uint32_t read = sources->reads.items[i], at = read - d->model->base;
		if (is_soft(d, read) && d->events[read].thread != d->events[event].thread)
			d->soft[at / 64] &= ~(UINT64_C(1) << at % 64);
	}
}

static uint32_t value_of(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW ? e->other : 0;
}

void norn_step_flows_find_soft(struct norn_step_draft *d)
{
	const struct norn_step_model *p = d->model;
	struct step_sources sources = {0};
	d->soft = norn_must_calloc((p->end - p->base) / 64 + 1ul, sizeof *d->soft);
	for (uint32_t i = p->base + 1; i <= p->end; i++)
		if (may_be_soft(d, i))
			d->soft[(i - p->base) / 64] |= UINT64_C(1) << (i - p->base) % 64;
	for (uint32_t i = p->base + 1; i <= p->end; i++) {
		if (value_of(&d->events[i]))
			harden(d, i, value_of(&d->events[i]), &sources);
		if (norn_graph_control(d->fixed->graph, i))
			harden(d, i, norn_graph_control(d->fixed->graph, i), &sources);
	}
	norn_vector_done(&sources.reads);
}

/* ---- the memory that they flow into ---- */

/* The writer, for byte groups, of what may be another value: a thread that does not exist. */
static uint32_t foreign(const struct norn_step_draft *d)
{
	return norn_graph_threads(d->fixed->graph);
}

typedef void mark(struct norn_byte_groups *byte_groups, uint64_t addr, uint64_t size, uint32_t thread, bool reads, bool writes);

static void mark_masks(struct norn_step_draft *d, uint32_t read, mark *how)
{
	const struct norn_graph_range *masks;
	uint32_t count =
	        d->events[read].flags & NORN_GRAPH_MASKED ? norn_graph_masks(d->fixed->graph, d->events[read].site, &masks) : 0;
	for (uint32_t i = 0; i < count; i++)
		how(&d->byte_groups, masks[i].addr, masks[i].size, foreign(d), false, true);
}

static void mark_write(struct norn_step_draft *d, uint32_t write, mark *how)
{
	how(&d->byte_groups, d->events[write].addr, d->events[write].size, foreign(d), false, true);
}

/* May what is written be another value, for all that is known? */
static bool comes_from_soft(const struct norn_step_draft *d, const struct step_sources *sources)
{
	for (uint32_t i = 0; i < sources->reads.count; i++)
		if (is_soft(d, sources->reads.items[i]))
			return true;
	return sources->before;
}

void norn_step_flows_expect(struct norn_step_draft *d)
{
	const struct norn_step_model *p = d->model;
	struct step_sources sources = {0};
	for (uint32_t i = p->base + 1; i <= p->end; i++) {
		const struct norn_graph_event *e = &d->events[i];
		if (is_soft(d, i))
			mark_masks(d, i, norn_byte_groups_expect);
		if (e->kind != NORN_EVENT_WRITE && e->kind != NORN_EVENT_RMW)
			continue;
		find_sources(d->fixed->graph, e->other, &sources);
		if (is_soft(d, i) || comes_from_soft(d, &sources))
			mark_write(d, i, norn_byte_groups_expect);
	}
	norn_vector_done(&sources.reads);
}

struct step_use {
	uint32_t write;
	uint32_t next; /* 1 + the next of the same read */
};

/* Writes by the soft reads that they come from. */
struct step_uses {
	uint32_t *first; /* per event of the part: 1 + its first use */
	NORN_VECTOR(struct step_use) list;
};

static void find_uses(struct norn_step_draft *d, struct step_uses *uses)
{
	const struct norn_step_model *p = d->model;
	struct step_sources sources = {0};
	*uses = (struct step_uses){.first = norn_must_calloc(p->end - p->base + 1ul, sizeof *uses->first)};
	for (uint32_t i = p->base + 1; i <= p->end; i++) {
		if (!value_of(&d->events[i]))
			continue;
		find_sources(d->fixed->graph, value_of(&d->events[i]), &sources);
		if (sources.before)
			mark_write(d, i, norn_byte_groups_note);
		for (uint32_t k = 0; k < sources.reads.count; k++) {
			if (!is_soft(d, sources.reads.items[k]))
				continue;
			uint32_t *first = &uses->first[sources.reads.items[k] - p->base];
			norn_must_push(&uses->list, (struct step_use){.write = i, .next = *first});
			*first = uses->list.count;
		}
	}
	norn_vector_done(&sources.reads);
}

/* A read that may see something else: what comes of it matters to its own thread, too. */
void norn_step_flows_note(struct norn_step_draft *d)
{
	const struct norn_step_model *p = d->model;
	struct step_uses uses;
	bool *spread = norn_must_calloc(p->end - p->base + 1ul, sizeof *spread);
	find_uses(d, &uses);
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = p->base + 1; i <= p->end; i++) {
			const struct norn_graph_event *e = &d->events[i];
			if (!is_soft(d, i) || spread[i - p->base] || !norn_byte_groups_matter(&d->byte_groups, e->addr, e->size))
				continue;
			more = spread[i - p->base] = true;
			mark_masks(d, i, norn_byte_groups_note);
			if (e->kind == NORN_EVENT_RMW)
				mark_write(d, i, norn_byte_groups_note);
			for (uint32_t u = uses.first[i - p->base]; u; u = uses.list.items[u - 1].next)
				mark_write(d, uses.list.items[u - 1].write, norn_byte_groups_note);
		}
	}
	free(spread);
	free(uses.first);
	norn_vector_done(&uses.list);
}

/* ---- flows of steps ---- */

/* While flows are made. */
struct step_flow_maker {
	struct norn_step_draft *d;
	struct norn_step_flows *flows;
	uint32_t *asked; /* per event of the part: 1 + the last step that asks for what it saw */
	uint32_t *slot_of; /* per event of the part: 1 + its slot */
	uint32_t thread_asked; /* 1 + the last step that asks for all that the thread saw */
	uint32_t thread_slot; /* NORN_STEP_MODEL_NONE: none */
	struct norn_numbers free; /* slots of this thread */
	struct step_sources sources;
};

/* A read that can see something else in this model, and go on. */
static bool is_followed(const struct step_flow_maker *m, uint32_t read)
{
	const struct norn_graph_event *e = &m->d->events[read];
	uint64_t word = e->addr / 8;
	uint32_t first;
	uint8_t touched;
	return read <= m->d->model->end && is_soft(m->d, read) &&
	       (norn_byte_groups_next(&m->flows->byte_groups, e->addr, e->size, &word, &first, &touched) ||
	               norn_step_draft_odd(m->d, read));
}

static bool is_valued(const struct step_flow_maker *m, const struct norn_step_model_step *s)
{
	const struct norn_step_model_property *p = m->d->property;
	return s->relevant != NORN_STEP_MODEL_NONE && contains(p->valued, p->valued_count, s->event);
}

static bool carries_all(uint8_t kind)
{
	return kind == NORN_EVENT_ENTER || kind == NORN_EVENT_LEAVE || kind == NORN_EVENT_MARK;
}

/* The reads that the step depends on, by its value and by its control. */
static void sources_of(struct step_flow_maker *m, const struct norn_step_model_step *s, bool control)
{
	const struct norn_graph_event *e = &m->d->events[s->event];
	find_sources(m->flows->graph, control ? norn_graph_control(m->flows->graph, s->event) : value_of(e), &m->sources);
	/* Sources of the arguments of calls and marks are not in the graph. */
	m->sources.before |= !control && carries_all(e->kind) && is_valued(m, s);
}

static void note_asked(struct step_flow_maker *m, uint32_t step, bool control)
{
	const struct norn_step_model *p = m->d->model;
	sources_of(m, &p->steps[step], control);
	if (m->sources.before)
		m->thread_asked = step + 1;
	for (uint32_t i = 0; i < m->sources.reads.count; i++)
		if (is_followed(m, m->sources.reads.items[i]))
			m->asked[m->sources.reads.items[i] - p->base] = step + 1;
}

static uint32_t new_slot(struct step_flow_maker *m)
{
	return m->free.count ? m->free.items[--m->free.count] : m->d->model->slots++;
}

/* Adds the slots of what the step depends on to its list. */
static uint32_t list_slots(struct step_flow_maker *m, const struct norn_step_model_step *s, bool control)
{
	uint32_t count = 0;
	sources_of(m, s, control);
	if (m->sources.before) {
		norn_must_push(&m->flows->lists, m->thread_slot);
		count++;
	}
	for (uint32_t i = 0; i < m->sources.reads.count; i++) {
		uint32_t read = m->sources.reads.items[i];
		if (!is_followed(m, read) || read >= s->event)
			continue;
		assert(m->slot_of[read - m->d->model->base]);
		norn_must_push(&m->flows->lists, m->slot_of[read - m->d->model->base] - 1);
		count++;
	}
	return count;
}

static uint64_t within(uint64_t value, uint32_t size)
{
	return size >= 8 ? value : value & ((UINT64_C(1) << size * 8) - 1);
}

/* The chain of a write, if it explains what was recorded (V7). */
static void find_chain(struct step_flow_maker *m, const struct norn_step_model_step *s, struct step_flow *f)
{
	const struct norn_graph_event *e = &m->d->events[s->event];
	uint64_t then;
	if (!s->write_count || e->addr % 8 + e->size > 8 || norn_step_draft_unseen(m->d, e->addr / 8) ||
	        !norn_graph_makes(m->flows->graph, s->event, &f->chain))
		return;
	uint32_t source = e->kind == NORN_EVENT_RMW ? s->event : 0;
	find_sources(m->flows->graph, e->other, &m->sources);
	for (uint32_t i = 0; i < m->sources.reads.count && e->kind == NORN_EVENT_WRITE; i++)
		if (m->sources.reads.items[i] > source && m->d->events[m->sources.reads.items[i]].site == f->chain.site)
			source = m->sources.reads.items[i];
	if (m->sources.before || !source || !norn_graph_value_read(m->flows->graph, source, &then) ||
	        within(norn_graph_follow(&f->chain, then), e->size) != e->value)
		return;
	if (e->kind == NORN_EVENT_WRITE && (source <= m->d->model->base || !m->slot_of[source - m->d->model->base]))
		return; /* it sees what it saw */
	f->makes = true;
	f->made_from = e->kind == NORN_EVENT_WRITE ? m->slot_of[source - m->d->model->base] - 1 : NORN_STEP_MODEL_NONE;
}

static void list_groups(struct step_flow_maker *m, uint32_t read, struct step_flow *f)
{
	const struct norn_graph_range *masks;
	uint32_t count = norn_graph_masks(m->flows->graph, m->d->events[read].site, &masks), first;
	uint8_t touched;
	f->group = m->flows->groups.count;
	for (uint32_t i = 0; i < count; i++)
		for (uint64_t word = masks[i].addr / 8;
		        norn_byte_groups_next(&m->flows->byte_groups, masks[i].addr, masks[i].size, &word, &first, &touched);)
			for (uint32_t c = first; touched >> (c - first); c++)
				if (touched >> (c - first) & 1)
					norn_must_push(&m->flows->groups, c);
	f->group_count = m->flows->groups.count - f->group;
}

/* A plain access whose thread may come to it or not. */
static bool is_passable(const struct step_flow_maker *m, const struct norn_step_model_step *s)
{
	const struct norn_graph_event *e = &m->d->events[s->event];
	bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE;
	bool decides = e->kind == NORN_EVENT_READ && e->flags & NORN_GRAPH_DECIDES && !is_masked(m->d, s->event);
	return access && !decides && s->relevant == NORN_STEP_MODEL_NONE;
}

/* Slots that this step was the last to ask for. */
static void list_over(struct step_flow_maker *m, uint32_t step, struct step_flow *f)
{
	uint32_t from = m->flows->lists.count, base = m->d->model->base;
	for (unsigned control = 0; control < 2; control++) {
		sources_of(m, &m->d->model->steps[step], control);
		for (uint32_t i = 0; i < m->sources.reads.count; i++) {
			uint32_t read = m->sources.reads.items[i];
			if (!is_followed(m, read) || m->asked[read - base] != step + 1 || !m->slot_of[read - base])
				continue;
			norn_must_push(&m->flows->lists, m->slot_of[read - base] - 1);
			norn_must_push(&m->free, m->slot_of[read - base] - 1);
			m->slot_of[read - base] = 0;
		}
	}
	if (m->thread_slot != NORN_STEP_MODEL_NONE && m->thread_asked == step + 1)
		norn_must_push(&m->flows->lists, m->thread_slot);
	f->over_count = m->flows->lists.count - from;
}

static void make_flow(struct step_flow_maker *m, uint32_t step)
{
	const struct norn_step_model *p = m->d->model;
	const struct norn_step_model_step *s = &p->steps[step];
	const struct norn_graph_event *e = &m->d->events[s->event];
	struct step_flow *f = &m->flows->steps[step];
	uint32_t at = s->event - p->base;
	*f = (struct step_flow){.slot = NORN_STEP_MODEL_NONE,
	        .wrong = step + 1 < m->thread_asked ? m->thread_slot : NORN_STEP_MODEL_NONE,
	        .list = m->flows->lists.count,
	        .made_from = NORN_STEP_MODEL_NONE,
	        .valued = is_valued(m, s)};
	f->source_count = list_slots(m, s, false);
	f->control_count = list_slots(m, s, true);
	f->passable = is_passable(m, s);
	if (is_read(e) && is_soft(m->d, s->event)) {
		f->soft = true;
		f->masked = e->flags & NORN_GRAPH_DECIDES && is_masked(m->d, s->event);
		f->decides = e->flags & NORN_GRAPH_DECIDES && !f->masked;
		f->odd = norn_step_draft_odd(m->d, s->event);
		if (f->masked)
			list_groups(m, s->event, f);
	}
	find_chain(m, s, f);
	if (f->soft && m->asked[at]) {
		f->slot = new_slot(m); /* none of those that it asks for */
		m->slot_of[at] = f->slot + 1;
	}
	list_over(m, step, f);
}

static void make_thread(struct step_flow_maker *m, uint32_t thread)
{
	const struct norn_step_model *p = m->d->model;
	m->thread_asked = 0;
	m->thread_slot = NORN_STEP_MODEL_NONE;
	m->free.count = 0;
	for (uint32_t i = p->first[thread]; i < p->first[thread + 1]; i++) {
		note_asked(m, i, false);
		note_asked(m, i, true);
	}
	if (m->thread_asked)
		m->thread_slot = new_slot(m);
	for (uint32_t i = p->first[thread]; i < p->first[thread + 1]; i++)
		make_flow(m, i);
}

/* Masked reads that are not soft because the property speaks of reads, which masks do not have. */
static void compare_masks(struct norn_step_draft *d)
{
	const struct norn_step_model *p = d->model;
	for (uint32_t i = 0; i < norn_step_model_total(p) && d->property->reads; i++) {
		const struct norn_graph_event *e = &d->events[p->steps[i].event];
		d->model->masked |=
		        is_read(e) && e->flags & NORN_GRAPH_MASKED && p->steps[i].read_count && !is_watched(d, p->steps[i].event);
	}
}

void norn_step_flows_make(struct norn_step_draft *d)
{
	struct norn_step_model *p = d->model;
	struct norn_step_flows *flows = norn_must_calloc(1, sizeof *flows);
	*flows = (struct norn_step_flows){.graph = d->fixed->graph, .byte_groups = d->byte_groups};
	norn_byte_groups_init(&d->byte_groups);
	norn_map_init(&flows->index, sizeof(uint32_t));
	flows->steps = norn_must_calloc(norn_step_model_total(p) + 1ul, sizeof *flows->steps);
	p->flows = flows;
	norn_must_push(&flows->lists, NORN_STEP_MODEL_NONE); /* never empty: lists begin at its address */
	struct step_flow_maker m = {.d = d,
	        .flows = flows,
	        .asked = norn_must_calloc(p->end - p->base + 1ul, sizeof(uint32_t)),
	        .slot_of = norn_must_calloc(p->end - p->base + 1ul, sizeof(uint32_t))};
	for (uint32_t t = 0; t < p->threads; t++)
		make_thread(&m, t);
	compare_masks(d);
	free(m.asked);
	free(m.slot_of);
	norn_vector_done(&m.free);
	norn_vector_done(&m.sources.reads);
}

void norn_step_flows_free(struct norn_step_flows *flows)
{
	if (!flows)
		return;
	norn_byte_groups_done(&flows->byte_groups);
	free(flows->steps);
	norn_vector_done(&flows->lists);
	norn_vector_done(&flows->groups);
	norn_vector_done(&flows->values);
	norn_map_done(&flows->index);
	free(flows);
}

/* ---- nodes ---- */

static struct step_flow *flow_of(const struct norn_step_model *p, const struct norn_step_model_step *s)
{
	return &p->flows->steps[s - p->steps];
}

static uint32_t slots_at(const struct norn_step_model *p)
{
	return norn_step_model_words(p) - p->slots;
}

bool norn_step_flows_passes(const struct norn_step_model *p, const struct norn_step_model_step *s, const uint32_t *node)
{
	const struct step_flow *f = flow_of(p, s);
	const uint32_t *slots = node + slots_at(p), *list = p->flows->lists.items + f->list + f->source_count;
	for (uint32_t i = 0; i < f->control_count; i++)
		if (slots[list[i]] == SLOT_BROKEN)
			return true;
	return false;
}

bool norn_step_flows_may_pass(const struct norn_step_model *p, const struct norn_step_model_step *s)
{
	return flow_of(p, s)->passable;
}

static bool is_right(const struct norn_step_model *p, const struct norn_step_model_step *s, const uint32_t *node)
{
	for (uint32_t i = 0; i < s->read_count; i++)
		if (node[p->threads + p->accesses[s->read + i].group] != p->accesses[s->read + i].content)
			return false;
	return true;
}

/* The value that the step's read sees now; false: it is not known. */
static bool sees(const struct norn_step_model *p, const struct norn_step_model_step *s, const uint32_t *node, uint64_t *ret_value)
{
	const struct norn_graph_event *e = norn_graph_event(p->flows->graph, s->event);
	if (!norn_graph_value_read(p->flows->graph, s->event, ret_value))
		return false;
	for (uint32_t i = 0; i < s->read_count; i++) {
		const struct norn_step_model_access *a = &p->accesses[s->read + i];
		uint32_t now = node[p->threads + a->group];
		if (now == a->content)
			continue;
		if (now == 0 || now >= NUMBERS_END ||
		        !norn_byte_groups_see(
		                &p->flows->byte_groups, e->addr / 8, a->group, now, e->addr, e->size, e->life, ret_value))
			return false;
	}
	return norn_graph_exact(p->flows->graph, p->base, UINT32_MAX, e->size, *ret_value);
}

/* False: the thread does not go on. */
static bool find_way(const struct norn_step_model *p, const struct norn_step_model_step *s, const uint32_t *node,
        enum norn_step_way *ret_way, uint64_t *ret_value)
{
	const struct step_flow *f = flow_of(p, s);
	*ret_way = NORN_STEP_AS_RECORDED;
	if (!f->odd && is_right(p, s, node))
		return true;
	bool known = f->soft && !f->odd && sees(p, s, node, ret_value);
	*ret_way = NORN_STEP_CHANGED;
	if (known && norn_graph_decides_same(p->flows->graph, s->event, *ret_value))
		return true;
	if (!f->soft || f->decides)
		return false;
	*ret_way = f->masked || !known ? NORN_STEP_BROKEN : NORN_STEP_CHANGED;
	return true;
}

/* Do all slots that its value comes from have what they had, but for one? */
static bool sources_right(const struct norn_step_model *p, const struct step_flow *f, const uint32_t *node, uint32_t but)
{
	const uint32_t *slots = node + slots_at(p), *list = p->flows->lists.items + f->list;
	for (uint32_t i = 0; i < f->source_count; i++)
		if (list[i] != but && slots[list[i]] != SLOT_RIGHT)
			return false;
	return true;
}

bool norn_step_flows_enabled(const struct norn_step_model *p, const struct norn_step_model_step *s, const uint32_t *node)
{
	const struct step_flow *f = flow_of(p, s);
	enum norn_step_way way;
	uint64_t value;
	if (!find_way(p, s, node, &way, &value))
		return false;
	return !f->valued || (way == NORN_STEP_AS_RECORDED && sources_right(p, f, node, NORN_STEP_MODEL_NONE));
}

static uint32_t slot_value(struct norn_step_flows *flows, uint64_t value)
{
	uint32_t *slot = norn_must_map_put(&flows->index, value);
	if (!*slot) {
		*slot = SLOT_VALUES + flows->values.count;
		norn_must_push(&flows->values, value);
	}
	return *slot;
}

static void unsettle(const struct norn_step_model *p, uint32_t group, uint32_t *node)
{
	node[p->threads + group] = norn_step_model_live(p, node, group) ? UNSETTLED : 0;
}

enum norn_step_way norn_step_flows_read(const struct norn_step_model *p, const struct norn_step_model_step *s, uint32_t *node)
{
	const struct step_flow *f = flow_of(p, s);
	uint32_t *slots = node + slots_at(p);
	enum norn_step_way way = NORN_STEP_PASSED;
	if (!norn_step_flows_passes(p, s, node))
		find_way(p, s, node, &way, &p->flows->seen);
	if (way == NORN_STEP_AS_RECORDED)
		return way;
	if (f->slot != NORN_STEP_MODEL_NONE)
		slots[f->slot] = way == NORN_STEP_CHANGED ? slot_value(p->flows, p->flows->seen) : SLOT_BROKEN;
	if (f->wrong != NORN_STEP_MODEL_NONE)
		slots[f->wrong] = SLOT_BROKEN;
	for (uint32_t i = 0; i < f->group_count && way != NORN_STEP_CHANGED; i++)
		unsettle(p, p->flows->groups.items[f->group + i], node);
	return way;
}

/* The value that a write leaves which is made of something else than it was; false: it is not known. */
static bool make_value(const struct norn_step_model *p, const struct norn_step_model_step *s, enum norn_step_way way,
        const uint32_t *node, uint64_t *ret_value)
{
	const struct step_flow *f = flow_of(p, s);
	const struct norn_step_flows *flows = p->flows;
	const struct norn_graph_event *e = norn_graph_event(flows->graph, s->event);
	bool own = e->kind == NORN_EVENT_RMW;
	uint32_t slot = own ? SLOT_RIGHT : f->makes ? node[slots_at(p) + f->made_from] : SLOT_BROKEN;
	if (!f->makes || !sources_right(p, f, node, f->made_from) || (own ? way != NORN_STEP_CHANGED : slot < SLOT_VALUES))
		return false;
	*ret_value = within(norn_graph_follow(&f->chain, own ? flows->seen : flows->values.items[slot - SLOT_VALUES]), e->size);
	return norn_graph_exact(flows->graph, p->base, UINT32_MAX, e->size, *ret_value);
}

static void write_groups(
        const struct norn_step_model *p, const struct norn_step_model_step *s, enum norn_step_way way, uint32_t *node)
{
	const struct step_flow *f = flow_of(p, s);
	const struct norn_graph_event *e = norn_graph_event(p->flows->graph, s->event);
	bool right = way == NORN_STEP_AS_RECORDED && sources_right(p, f, node, NORN_STEP_MODEL_NONE);
	uint64_t value;
	bool made = !right && make_value(p, s, way, node, &value);
	for (uint32_t i = 0; i < s->write_count; i++) {
		const struct norn_step_model_access *a = &p->accesses[s->write + i];
		uint32_t *content = &node[p->threads + a->group];
		if (!norn_step_model_live(p, node, a->group))
			*content = 0;
		else if (*content != UNSETTLED)
			*content = right  ? a->content
			           : made ? norn_byte_groups_content(
			                            &p->flows->byte_groups, e->addr / 8, a->group, e->addr, value, e->life)
			                  : UNKNOWN;
	}
}

void norn_step_flows_write(
        const struct norn_step_model *p, const struct norn_step_model_step *s, enum norn_step_way way, uint32_t *node)
{
	const struct step_flow *f = flow_of(p, s);
	if (way == NORN_STEP_PASSED)
		for (uint32_t i = 0; i < s->write_count; i++)
			unsettle(p, p->accesses[s->write + i].group, node);
	else
		write_groups(p, s, way, node);
	const uint32_t *over = p->flows->lists.items + f->list + f->source_count + f->control_count;
	for (uint32_t i = 0; i < f->over_count; i++)
		node[slots_at(p) + over[i]] = SLOT_RIGHT;
}
