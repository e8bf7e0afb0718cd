#include <stdio.h>
#include <string.h>

#include "record.h"
#include "text.h"
#include "trace/record.h"

#define BURST 60 /* events of one thread at a time: spinning ends */

static uint32_t site_of(const struct next *n)
{
	if (n->kind == NORN_EVENT_ENTER || n->kind == NORN_EVENT_LEAVE)
		return site_of_body(n->body);
	return n->statement ? site_of_statement(n->statement) : 0;
}

/* Of a word: few enough to have a place each. */
static uint32_t *version_of(struct recording *r, uint64_t addr)
{
	return &r->versions[(addr >> 16 & 3) * 16 + (addr >> 3 & 1) + (addr >> 6 & 7) * 2];
}

static struct norn_event *append(struct recording *r, unsigned thread, uint64_t *counters)
{
	struct norn_event *e = &r->events[r->count];
	memset(e, 0, sizeof(*e));
	e->thread = thread;
	e->known = true;
	e->index = counters[thread]++;
	e->time = 100 * (uint64_t)r->count;
	r->count++;
	return e;
}

/* A write by code without hooks is noticed even if it left the old value. A real run does not notice a value that was changed and
 * changed back: docs/prediction.md, X3. */
#define UNSEEN 255

struct recorder {
	const struct code *code;
	struct recording *recording;
	struct state state;
	uint64_t counters[THREADS];
	uint8_t shadow[VARIABLES][2]; /* what was seen to be written */
};

/* A word whose value no thread was seen to write. */
static void notice_word(struct recorder *r, unsigned thread, const struct next *n, unsigned variable)
{
	const uint8_t *now = r->state.memory[variable];
	if (!memcmp(now, r->shadow[variable], 2))
		return;
	memcpy(r->shadow[variable], now, 2);
	struct norn_event *e = append(r->recording, thread, r->counters);
	e->kind = NORN_EVENT_EXTERNAL;
	e->site = site_of(n);
	e->addr = ADDRESS_MEMORY + 8 * variable;
	e->size = 8;
	e->value = now[0] | (unsigned)now[1] << 8;
	e->version = ++*version_of(r->recording, e->addr);
}

static void notice(struct recorder *r, unsigned thread, const struct next *n)
{
	if (n->slot >= 0 || (n->kind != NORN_EVENT_READ && n->kind != NORN_EVENT_RMW))
		return;
	unsigned variable = (unsigned)(n->addr - ADDRESS_MEMORY) / 8;
	notice_word(r, thread, n, variable);
	if (n->size == 16)
		notice_word(r, thread, n, variable + 1);
}

static void written(struct recorder *r, const struct next *n)
{
	if (n->slot >= 0 || (n->kind != NORN_EVENT_WRITE && n->kind != NORN_EVENT_RMW))
		return;
	unsigned variable = (unsigned)(n->addr - ADDRESS_MEMORY) / 8;
	if (n->size == 16)
		memcpy(r->shadow[variable], r->state.memory[variable], 4);
	else
		memcpy(&r->shadow[variable][n->addr & 7], &r->state.memory[variable][n->addr & 7], n->size);
}

/* Of two words: what they hold now is what was read or written. */
static void add_data(struct recorder *r, struct norn_event *e)
{
	static const uint32_t two[] = {1, 1};
	uint8_t *data = r->recording->data[e - r->recording->events];
	unsigned variable = (unsigned)(e->addr - ADDRESS_MEMORY) / 8;
	memset(data, 0, 16);
	memcpy(data, r->state.memory[variable], 2);
	memcpy(data + 8, r->state.memory[variable + 1], 2);
	e->data = data;
	e->count = 2;
	e->versions = two;
}

static void happen(struct recorder *r, unsigned thread, const struct next *n)
{
	static const uint32_t two[] = {1, 1};
	unsigned choice = n->choices ? (unsigned)__builtin_ctz(n->choices) : 0;
	/* A second free is recorded before the allocator ends the process. */
	bool unmaps = n->kind == NORN_EVENT_FREE && n->op == NORN_ALLOC_UNMAP;
	bool twice = n->kind == NORN_EVENT_FREE && !unmaps && n->slot >= 0 && r->state.life[n->slot] == 2;
	if (n->trap && !twice) {
		state_step(r->code, &r->state, thread, n, 0);
		return;
	}
	notice(r, thread, n);
	r->recording->choice[r->recording->count] = (uint8_t)choice;
	struct norn_event *e = append(r->recording, thread, r->counters);
	e->kind = unmaps ? NORN_EVENT_ALLOC : n->kind;
	e->op = n->op;
	e->site = site_of(n);
	e->call_site = n->call && r->code->program->statements[n->call].kind == S_CALL ? site_of_statement(n->call) : 0;
	e->addr = n->kind == NORN_EVENT_ALLOC ? ADDRESS_BLOCKS + 64 * choice : n->addr;
	e->size = n->size;
	if (e->addr >= ADDRESS_BLOCKS && e->addr < ADDRESS_BLOCKS + 64 * BLOCKS) {
		uint8_t *life = &r->recording->life[(e->addr - ADDRESS_BLOCKS) / 64];
		if (n->kind == NORN_EVENT_ALLOC)
			*life = r->recording->lives < LIVES - 1 ? ++r->recording->lives : 0;
		e->call_site = *life;
	}
	e->argument = n->argument;
	e->value = n->kind <= NORN_EVENT_RMW ? 0 : n->value;
	if (e->kind == NORN_EVENT_FREE) {
		e->count = 2;
		e->versions = two;
	}
	if (e->addr)
		e->version = *version_of(r->recording, e->addr) += n->kind != NORN_EVENT_READ;
	machine_passed = r->recording->passed[e - r->recording->events];
	memset(machine_passed, 0, STATEMENTS);
	unsigned value = state_step(r->code, &r->state, thread, n, choice);
	machine_passed = NULL;
	if (n->kind <= NORN_EVENT_RMW)
		e->value = value;
	if (n->kind <= NORN_EVENT_RMW && n->size == 16)
		add_data(r, e);
	written(r, n);
	if (n->kind == NORN_EVENT_THREAD && r->code->program->statements[n->statement].kind == S_OPAQUE)
		r->shadow[VAR_W][0] = UNSEEN;
}

/* Returns whether the thread could do anything. */
static bool burst(struct recorder *r, unsigned thread, unsigned limit)
{
	struct next n;
	unsigned i = 0;
	for (state_next(r->code, &r->state, thread, &n); n.exists && n.enabled && i < limit && r->recording->count < EVENTS; i++) {
		happen(r, thread, &n);
		state_next(r->code, &r->state, thread, &n);
	}
	return i;
}

/* One statement: what is quiet before and after it, and all its events, come along. */
static void single(struct recorder *r, unsigned thread)
{
	struct next n;
	bool done = false;
	for (state_next(r->code, &r->state, thread, &n); n.exists && n.enabled && r->recording->count < EVENTS;
	        state_next(r->code, &r->state, thread, &n)) {
		if (done && !n.quiet && !r->state.threads[thread].phase)
			return;
		done |= !n.quiet;
		happen(r, thread, &n);
	}
}

void record(const struct code *code, bool externals, struct recording *ret_recording)
{
	struct recorder r = {.code = code, .recording = ret_recording};
	const struct program *p = code->program;
	ret_recording->count = ret_recording->lives = 0;
	memset(ret_recording->life, 0, sizeof(ret_recording->life));
	memset(ret_recording->versions, 0, sizeof(ret_recording->versions));
	state_start(code, &r.state);
	if (!externals)
		memcpy(r.shadow, r.state.memory, sizeof(r.shadow));
	for (unsigned i = 0; i < p->steps; i++) {
		if (p->schedule[i] & 0x80)
			single(&r, p->schedule[i] & 0x7f);
		else
			burst(&r, p->schedule[i], BURST);
	}
	bool moved = true;
	for (unsigned round = 0; moved && round < 8; round++) {
		moved = false;
		for (unsigned t = 0; t < THREADS; t++)
			moved |= burst(&r, t, 10);
	}
}

uint64_t address_now(const struct state *state, const struct norn_event *event)
{
	bool block = event->addr >= ADDRESS_BLOCKS && event->addr < ADDRESS_BLOCKS + 64 * BLOCKS;
	unsigned where = block ? state->where[event->call_site] : 0;
	return where ? ADDRESS_BLOCKS + 64 * (where - 1) + event->addr % 64 : event->addr;
}

unsigned choice_now(const struct norn_event *event, const struct next *n)
{
	unsigned then = kind_of(event) == NORN_EVENT_ALLOC ? (unsigned)(event->addr - ADDRESS_BLOCKS) / 64 : 0;
	return n->choices && !(n->choices >> then & 1) ? (unsigned)__builtin_ctz(n->choices) : then;
}

void note_block(struct state *state, const struct norn_event *event, unsigned choice)
{
	if (kind_of(event) == NORN_EVENT_ALLOC && event->call_site)
		state->where[event->call_site] = (uint8_t)(choice + 1);
}

bool stands_before(const struct code *code, const struct state *state, const struct norn_event *event, struct next *ret_next)
{
	state_next(code, state, event->thread, ret_next);
	struct next *n = ret_next;
	if (!n->exists || n->trap || site_of(n) != event->site)
		return false;
	if (kind_of(event) == NORN_EVENT_ALLOC)
		return n->kind == event->kind && n->choices;
	/* An rmw may turn out to be a read, and the other way round; waiting for a lock comes before having it. */
	bool access = n->kind <= NORN_EVENT_RMW && event->kind <= NORN_EVENT_RMW;
	return (access || (n->kind == kind_of(event) && n->op == event->op)) && n->addr == address_now(state, event) &&
	       n->size == event->size;
}

bool lacks_memory(const struct code *code, const struct state *state, const struct norn_event *event)
{
	struct next n;
	state_next(code, state, event->thread, &n);
	return n.exists && n.kind == NORN_EVENT_ALLOC && kind_of(event) == n.kind && site_of(&n) == event->site && !n.choices;
}

/* Did the wait that the thread sleeps in end because its time was up? */
static bool times_out(const struct recording *recording, unsigned thread, unsigned from)
{
	for (unsigned i = from; i < recording->count; i++) {
		const struct norn_event *e = &recording->events[i];
		if (e->thread == thread && e->kind == NORN_EVENT_SYNC && e->op != NORN_SYNC_ACQUIRE && e->op != NORN_SYNC_RELEASE)
			return e->op == NORN_SYNC_WAIT_TIMEOUT;
	}
	return false;
}

/* A thread that waits for the condition and will time out does so before a notify: it is not woken, whenever it acquires (S7). */
static void time_out_sleepers(const struct code *code, const struct recording *recording, unsigned condition, struct state *state)
{
	for (unsigned i = 0; i < THREADS && state->queue[condition][i];) {
		unsigned t = state->queue[condition][i] - 1u;
		i += !times_out(recording, t, state->threads[t].replayed) || !state_time_out(code, state, t);
	}
}

bool replay(const struct code *code, const struct recording *recording, unsigned event, struct state *state)
{
	const struct norn_event *e = &recording->events[event];
	struct next n;
	if (e->kind == NORN_EVENT_EXTERNAL)
		return true;
	if (!stands_before(code, state, e, &n) || !n.enabled || n.kind != kind_of(e))
		return false;
	if (n.kind == NORN_EVENT_SYNC && (n.op == NORN_SYNC_SIGNAL || n.op == NORN_SYNC_BROADCAST))
		time_out_sleepers(code, recording, code->program->statements[n.statement].number, state);
	unsigned choice = choice_now(e, &n);
	note_block(state, e, choice);
	state_step(code, state, e->thread, &n, choice);
	state->threads[e->thread].replayed = (uint16_t)(event + 1);
	return true;
}

void event_print(FILE *out, const struct program *program, const struct norn_event *e)
{
	const char *op = e->kind == NORN_EVENT_SYNC     ? norn_sync_op_name(e->op)
	                 : e->kind == NORN_EVENT_THREAD ? norn_thread_op_name(e->op)
	                 : e->kind == NORN_EVENT_MARK   ? norn_mark_op_name(e->op)
	                                                : "";
	fprintf(out, "T%u %s %s %#llx+%llu =%llu  ", e->thread, norn_event_kind_name(e->kind), op, (unsigned long long)e->addr,
	        (unsigned long long)e->size, (unsigned long long)e->value);
	if (e->site && statement_of_site(e->site))
		statement_print(out, &program->statements[statement_of_site(e->site)]);
	fputc('\n', out);
}
