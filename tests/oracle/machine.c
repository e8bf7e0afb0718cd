#include "machine.h"

#include <string.h>

#include "serial.h"
#include "trace/record.h"
#include "trace/site.h"

bool *machine_passed;

/* States. */

static struct frame *top(struct state *state, unsigned thread)
{
	struct thread_state *t = &state->threads[thread];
	return &t->frames[t->depth - 1];
}

static bool holds(const struct state *state, unsigned thread, unsigned lock)
{
	return state->owner[lock] == thread + 1 || (state->readers[lock] >> thread & 1);
}

/* A statement that does nothing here, whatever the others do. */
static bool idle(const struct state *state, unsigned thread, const struct statement *s, const struct frame *f)
{
	const struct thread_state *t = &state->threads[thread];
	unsigned pointer;
	switch (s->kind) {
	case S_LOCK:
	case S_RDLOCK:
	case S_TRYLOCK:
	case S_TRYRDLOCK:
		return holds(state, thread, lock_of(s, f->locals));
	case S_UNLOCK:
		return !holds(state, thread, lock_of(s, f->locals));
	case S_WAIT:
	case S_TIMEDWAIT:
		return !t->phase && !holds(state, thread, s->lock);
	case S_FORK:
		return state->parent[s->number] || s->number == thread;
	case S_JOIN:
		return state->parent[s->number] != thread + 1;
	case S_FREE:
		pointer = evaluate(&s->e, f->locals);
		return pointer < POINTER || pointer >= POINTER + BLOCKS;
	case S_BEGIN:
		return t->block;
	case S_END:
		return t->block != 1;
	case S_ASSERT:
		return evaluate(&s->e, f->locals);
	case S_DIV:
		return evaluate(&s->e2, f->locals);
	default:
		return false;
	}
}

static void assign(struct frame *f, int dst, unsigned value)
{
	if (dst >= 0)
		f->locals[dst] = (uint8_t)value;
}

/* false: too deep, which only recursion can be; the call does nothing. */
static bool push(const struct code *code, struct state *state, unsigned thread, const struct statement *s)
{
	struct thread_state *t = &state->threads[thread];
	struct frame *caller = &t->frames[t->depth - 1];
	if (t->depth == DEPTH)
		return false;
	struct frame *f = &t->frames[t->depth++];
	memset(f, 0, sizeof(*f));
	f->pc = code->start[s->number];
	f->once = s->kind == S_ONCE;
	if (s->kind == S_CALL && code->program->parameters[s->number] > 0)
		f->locals[PARAMETER_LOCAL] = (uint8_t)evaluate(&s->e, caller->locals);
	if (s->kind == S_CALL && code->program->parameters[s->number] > 1)
		f->locals[PARAMETER_LOCAL + 1] = (uint8_t)evaluate(&s->e2, caller->locals);
	return true;
}

static bool holds_condition(const struct statement *s, unsigned value)
{
	uint8_t locals[1] = {(uint8_t)value};
	struct expression e = {.op = s->e.op, .a = 0, .b = -1, .c = s->e.c};
	return evaluate(&e, locals);
}

/* One instruction that is no event; false if the thread stands before one. */
static bool compute(const struct code *code, struct state *state, unsigned thread)
{
	struct frame *f = top(state, thread);
	const struct instruction *in = &code->code[f->pc];
	const struct statement *s = &code->program->statements[in->statement];
	bool go = true;
	switch (in->op) {
	case I_STATEMENT:
		if (state->threads[thread].phase || !idle(state, thread, s, f))
			return false;
		if (machine_passed && s->kind == S_ASSERT)
			machine_passed[in->statement] = true;
		if (s->kind == S_TRYLOCK || s->kind == S_TRYRDLOCK || s->kind == S_TIMEDWAIT)
			assign(f, s->dst, 0);
		else if (s->kind == S_DIV)
			assign(f, s->dst, evaluate(&s->e, f->locals) / evaluate(&s->e2, f->locals));
		break;
	case I_LOCAL:
		assign(f, s->dst, evaluate(&s->e, f->locals));
		break;
	case I_BRANCH:
		go = evaluate(&s->e, f->locals);
		break;
	case I_WHILE:
		go = holds_condition(s, f->locals[HIDDEN]);
		f->locals[HIDDEN] = 0;
		break;
	case I_FOR:
		go = f->locals[s->dst] < evaluate(&s->e, f->locals);
		break;
	case I_COUNT:
		f->locals[s->dst]++;
		break;
	case I_ZERO:
		f->locals[s->dst] = 0;
		break;
	case I_JUMP:
		go = false;
		break;
	case I_RESULT:
		f->locals[HIDDEN] = (uint8_t)evaluate(&s->e, f->locals);
		break;
	case I_CALL:
		f->pc++;
		push(code, state, thread, s);
		return true;
	default:
		return false;
	}
	f->pc = go ? (uint16_t)(f->pc + 1) : in->target;
	return true;
}

/* To the next event. A program that computes for ever ends: the generator makes none. */
static void advance(const struct code *code, struct state *state, unsigned thread)
{
	for (unsigned i = 0; i < 10000; i++)
		if (!compute(code, state, thread))
			return;
	state->dead = 1;
}

static void begin_thread(const struct code *code, struct state *state, unsigned thread)
{
	struct thread_state *t = &state->threads[thread];
	t->status = RUNNING;
	t->depth = 1;
	t->frames[0].pc = code->start[thread];
}

void state_start(const struct code *code, struct state *ret_state)
{
	memset(ret_state, 0, sizeof(*ret_state));
	for (unsigned v = 0; v < VARIABLES; v++)
		ret_state->memory[v][0] = code->program->initial[v];
	ret_state->clean = !code->program->dirty || code->program->maps;
	ret_state->threads[0].status = FORKED;
	ret_state->parent[0] = THREADS + 1;
}

/* What is next. */

static void next_place(const struct place *place, const struct frame *f, struct next *n)
{
	unsigned index = place->kind == PLACE_SCALAR ? 0 : evaluate(&place->index, f->locals);
	n->slot = -1;
	n->atomic = place->atomic;
	n->order = !place->atomic ? NORN_ORDER_NONE : place->order ? place->order : NORN_ORDER_SEQ_CST;
	bool byte = place->kind == PLACE_ARRAY || place->part == PART_LOW || place->part == PART_HIGH;
	n->size = byte ? 1 : place->part == PART_DOUBLE ? 16 : 2;
	unsigned offset = place->part == PART_HIGH;
	if (place->kind == PLACE_BLOCK) {
		n->trap = index < POINTER || index >= POINTER + BLOCKS;
		n->slot = n->trap ? -1 : (int8_t)(index - POINTER);
		n->addr = ADDRESS_BLOCKS + 64 * (n->trap ? 0 : index - POINTER) + offset;
		return;
	}
	if (place->kind == PLACE_ARRAY) {
		index &= place->masked ? 1 : 255;
		n->trap = index > 1;
		offset = index;
	}
	n->addr = ADDRESS_MEMORY + 8 * place->variable + offset;
}

/* Bytes of memory; next->trap is not set. */
static uint8_t *bytes_of(struct state *state, const struct next *n)
{
	return n->slot >= 0 ? &state->blocks[n->slot][n->addr & 7] : &state->memory[(n->addr - ADDRESS_MEMORY) / 8][n->addr & 7];
}

static unsigned load(struct state *state, const struct next *n)
{
	const uint8_t *bytes = bytes_of(state, n);
	return n->size == 1 ? bytes[0] : bytes[0] | (unsigned)bytes[1] << 8;
}

static void store(struct state *state, const struct next *n, unsigned value)
{
	uint8_t *bytes = bytes_of(state, n);
	bytes[0] = (uint8_t)value;
	if (n->size == 2)
		bytes[1] = (uint8_t)(value >> 8);
}

static void next_range(const struct statement *s, const struct frame *f, unsigned phase, struct next *n)
{
	next_place(s->kind == S_COPY && !phase ? &s->place2 : &s->place, f, n);
	n->kind = s->kind == S_COPY && !phase ? NORN_EVENT_READ : NORN_EVENT_WRITE;
	n->op = s->kind == S_SET ? NORN_RANGE_SET : phase ? NORN_RANGE_COPY_TO : NORN_RANGE_COPY_FROM;
	n->write = n->kind == NORN_EVENT_WRITE;
	n->enabled = true;
}

static void next_access(const struct state *state, const struct statement *s, const struct frame *f, struct next *n)
{
	next_place(&s->place, f, n);
	n->kind = s->kind == S_WRITE                        ? NORN_EVENT_WRITE
	          : s->kind == S_READ || s->kind == S_WHILE ? NORN_EVENT_READ
	                                                    : NORN_EVENT_RMW;
	if (s->kind == S_CAS && !n->trap) {
		struct state *same = (struct state *)state; /* only read */
		if (load(same, n) != evaluate(&s->e, f->locals))
			n->kind = NORN_EVENT_READ;
	}
	n->write = n->kind != NORN_EVENT_READ;
	n->enabled = true;
}

static bool available(const struct state *state, unsigned lock, bool shared)
{
	return !state->owner[lock] && (shared || !state->readers[lock]);
}

static void next_lock(const struct state *state, unsigned thread, const struct statement *s, const struct frame *f, struct next *n)
{
	unsigned lock = lock_of(s, f->locals);
	bool shared = s->kind == S_RDLOCK || s->kind == S_TRYRDLOCK;
	bool try = s->kind == S_TRYLOCK || s->kind == S_TRYRDLOCK;
	bool free = available(state, lock, shared);
	n->kind = NORN_EVENT_SYNC;
	n->addr = ADDRESS_LOCKS + 64 * lock;
	n->argument = lock >= RWLOCK_R ? NORN_LOCK_RWLOCK : NORN_LOCK_MUTEX;
	n->trap = state->destroyed[lock];
	n->enabled = try || free || n->trap;
	n->op = shared ? NORN_SYNC_ACQUIRE_SHARED : NORN_SYNC_ACQUIRE;
	if (try && !free)
		n->op = NORN_SYNC_TRY_FAILED;
	if (s->kind == S_UNLOCK) {
		n->op = state->owner[lock] == thread + 1 ? NORN_SYNC_RELEASE : NORN_SYNC_RELEASE_SHARED;
		n->enabled = true;
	}
}

static void next_wait(const struct state *state, unsigned thread, const struct statement *s, struct next *n)
{
	static const uint8_t ops[] = {NORN_SYNC_WAIT_BEGIN, NORN_SYNC_RELEASE, NORN_SYNC_ACQUIRE, NORN_SYNC_WAIT_END};
	const struct thread_state *t = &state->threads[thread];
	bool lock = t->phase == 1 || t->phase == 2;
	n->op = ops[t->phase];
	if (t->phase == 1 && state->owner[s->lock] != thread + 1)
		n->op = NORN_SYNC_RELEASE_SHARED;
	n->addr = lock ? ADDRESS_LOCKS + 64 * s->lock : ADDRESS_CONDITIONS + 64 * s->number;
	n->argument = !lock ? ADDRESS_LOCKS + 64 * s->lock : s->lock >= RWLOCK_R ? NORN_LOCK_RWLOCK : NORN_LOCK_MUTEX;
	n->enabled = t->phase == 2 ? (t->status != WAITING || s->kind == S_TIMEDWAIT) && available(state, s->lock, false) : true;
	if (t->phase == 3 && t->timed_out)
		n->op = NORN_SYNC_WAIT_TIMEOUT;
}

static void next_once(const struct state *state, unsigned thread, const struct statement *s, struct next *n)
{
	const struct thread_state *t = &state->threads[thread];
	unsigned done = state->once[s->number - THREADS];
	n->addr = ADDRESS_ONCE + 64 * (s->number - THREADS);
	n->op = t->phase == 1 ? NORN_SYNC_ONCE_END : !t->phase && !done ? NORN_SYNC_ONCE_BEGIN : NORN_SYNC_ONCE_PASS;
	n->enabled = n->op != NORN_SYNC_ONCE_PASS || done == 2;
}

/* Semaphore, barrier, condition, once. */
static void next_sync(const struct state *state, unsigned thread, const struct statement *s, struct next *n)
{
	const struct thread_state *t = &state->threads[thread];
	n->kind = NORN_EVENT_SYNC;
	n->enabled = true;
	n->addr = ADDRESS_SEMAPHORE;
	switch (s->kind) {
	case S_WAIT:
	case S_TIMEDWAIT:
		next_wait(state, thread, s, n);
		break;
	case S_SIGNAL:
	case S_BROADCAST:
		n->op = s->kind == S_SIGNAL ? NORN_SYNC_SIGNAL : NORN_SYNC_BROADCAST;
		n->addr = ADDRESS_CONDITIONS + 64 * s->number;
		break;
	case S_INIT:
		n->addr = s->masked ? ADDRESS_BARRIER : n->addr;
		n->op = s->masked ? NORN_SYNC_BARRIER_INIT : NORN_SYNC_SEM_INIT;
		n->argument = s->masked ? 2 : s->number;
		break;
	case S_POST:
		n->op = NORN_SYNC_SEM_POST;
		break;
	case S_TAKE:
	case S_TRYTAKE:
		n->op = s->kind == S_TAKE || state->semaphore ? NORN_SYNC_SEM_WAIT : NORN_SYNC_SEM_TRY_FAILED;
		n->enabled = s->kind == S_TRYTAKE || state->semaphore;
		break;
	case S_ARRIVE:
		n->addr = ADDRESS_BARRIER;
		n->op = t->phase ? NORN_SYNC_BARRIER_LEAVE : NORN_SYNC_BARRIER_ARRIVE;
		n->enabled = !t->phase || state->round != t->phase - 1;
		break;
	default:
		next_once(state, thread, s, n);
	}
}

static void next_object(const struct state *state, const struct statement *s, struct next *n)
{
	n->kind = NORN_EVENT_SYNC;
	n->op = s->kind == S_CREATE ? NORN_SYNC_CREATE : NORN_SYNC_DESTROY;
	n->addr = ADDRESS_LOCKS + 64 * s->number;
	n->argument = s->number >= RWLOCK_R ? NORN_LOCK_RWLOCK : NORN_LOCK_MUTEX;
	n->enabled = true;
	n->trap = state->owner[s->number] || state->readers[s->number] || (s->kind == S_DESTROY && state->destroyed[s->number]);
}

/* Changes of a call are recorded before it, its looks after it, and then the end of the changes, too; if it changes anything, its
 * looks also before it, after the changes. */
static void next_resource(const struct statement *s, unsigned phase, struct next *n)
{
	static const struct {
		uint8_t op, argument, resource;
	} events[][4] = {
	        [RESOURCE_LOOK] = {{NORN_SYNC_RECEIVE, NORN_RECEIVE_LOOKED, 0}},
	        [RESOURCE_WATCH] = {{NORN_SYNC_RECEIVE, NORN_RECEIVE_LOOKED, 1}},
	        [RESOURCE_PUT] = {{NORN_SYNC_SEND, NORN_SEND_SETS, 0}},
	        [RESOURCE_SWAP] = {{NORN_SYNC_SEND, NORN_SEND_CHANGES, 0}, {NORN_SYNC_RECEIVE, NORN_RECEIVE_CHANGED, 0}},
	        [RESOURCE_CARRY] = {{NORN_SYNC_SEND, NORN_SEND_CHANGES, 1}, {NORN_SYNC_RECEIVE, NORN_RECEIVE_LOOKED, 0},
	                {NORN_SYNC_RECEIVE, NORN_RECEIVE_LOOKED, 0}, {NORN_SYNC_RECEIVE, NORN_RECEIVE_CHANGED, 1}},
	};
	n->kind = NORN_EVENT_SYNC;
	n->op = events[s->number][phase].op;
	n->argument = events[s->number][phase].argument;
	n->addr = ADDRESS_RESOURCES + 64 * events[s->number][phase].resource;
	n->enabled = true;
}

static void next_thread(const struct state *state, const struct statement *s, struct next *n)
{
	n->kind = NORN_EVENT_THREAD;
	n->enabled = true;
	switch (s->kind) {
	case S_FORK:
		n->op = NORN_THREAD_FORK;
		n->value = s->number;
		break;
	case S_JOIN:
		n->op = NORN_THREAD_JOIN;
		n->value = s->number;
		n->enabled = state->threads[s->number].status == ENDED;
		break;
	case S_EXIT:
	case S_ASSERT:
		n->op = NORN_THREAD_EXIT;
		n->argument = s->kind == S_ASSERT;
		break;
	case S_FENCE:
		n->op = NORN_THREAD_FENCE;
		n->order = s->number;
		n->quiet = true;
		break;
	default:
		n->op = NORN_THREAD_CALL;
	}
}

static void next_memory(
        const struct code *code, const struct state *state, const struct statement *s, const struct frame *f, struct next *n)
{
	if (s->kind == S_MALLOC) {
		n->kind = NORN_EVENT_ALLOC;
		n->op = code->program->maps ? NORN_ALLOC_MAP : state->clean ? NORN_ALLOC_CALLOC : NORN_ALLOC_MALLOC;
		for (unsigned i = 0; i < BLOCKS; i++)
			n->choices |= state->life[i] != 1 ? (uint8_t)(1u << i) : 0;
		n->enabled = n->choices;
	} else {
		n->kind = NORN_EVENT_FREE;
		n->op = code->program->maps ? NORN_ALLOC_UNMAP : NORN_RANGE_FREE;
		n->slot = (int8_t)(evaluate(&s->e, f->locals) - POINTER);
		n->trap = state->life[n->slot] != 1;
		n->enabled = true;
		n->addr = ADDRESS_BLOCKS + 64 * (unsigned)n->slot;
	}
	n->size = BLOCK_BYTES;
}

static void next_mark(const struct code *code, const struct statement *s, struct next *n)
{
	n->kind = NORN_EVENT_MARK;
	n->op = s->kind == S_MARK ? NORN_MARK_EVENT : s->kind == S_BEGIN ? NORN_MARK_ATOMIC_BEGIN : NORN_MARK_ATOMIC_END;
	n->argument = s->kind == S_END ? 0 : 1;
	n->enabled = true;
	n->quiet = s->kind != S_MARK || !code->monitored;
}

static void next_statement(const struct code *code, const struct state *state, unsigned thread, const struct statement *s,
        const struct frame *f, struct next *n)
{
	if ((s->kind >= S_READ && s->kind <= S_CAS) || s->kind == S_WHILE)
		next_access(state, s, f, n);
	else if (s->kind >= S_LOCK && s->kind <= S_TRYRDLOCK)
		next_lock(state, thread, s, f, n);
	else if (s->kind == S_MALLOC || s->kind == S_FREE)
		next_memory(code, state, s, f, n);
	else if (s->kind == S_COPY || s->kind == S_SET)
		next_range(s, f, state->threads[thread].phase, n);
	else if (s->kind == S_CREATE || s->kind == S_DESTROY)
		next_object(state, s, n);
	else if ((s->kind >= S_WAIT && s->kind <= S_ONCE) || s->kind == S_TIMEDWAIT)
		next_sync(state, thread, s, n);
	else if (s->kind == S_RESOURCE)
		next_resource(s, state->threads[thread].phase, n);
	else if (s->kind == S_DIV)
		n->trap = n->enabled = true;
	else if (s->kind == S_BEGIN || s->kind == S_END || s->kind == S_MARK)
		next_mark(code, s, n);
	else
		next_thread(state, s, n);
}

/* The call that a frame was entered by; 0 for the thread's own function. */
static unsigned caller_of(const struct code *code, const struct thread_state *t)
{
	if (t->depth < 2)
		return 0;
	const struct frame *caller = &t->frames[t->depth - 2];
	return code->code[t->frames[t->depth - 1].once ? caller->pc : caller->pc - 1].statement;
}

static void next_thread_end(const struct code *code, unsigned thread, struct next *n)
{
	n->kind = NORN_EVENT_THREAD;
	n->op = !thread && code->program->returns ? NORN_THREAD_EXIT : NORN_THREAD_END;
	n->value = thread;
	n->quiet = n->op == NORN_THREAD_END;
}

void state_next(const struct code *code, const struct state *state, unsigned thread, struct next *n)
{
	const struct thread_state *t = &state->threads[thread];
	memset(n, 0, sizeof(*n));
	n->slot = -1;
	if (state->dead || t->status == UNBORN || t->status == ENDED)
		return;
	n->exists = true;
	n->body = (uint8_t)thread;
	if (t->status == FORKED) {
		n->kind = NORN_EVENT_THREAD;
		n->op = NORN_THREAD_BEGIN;
		n->value = thread;
		n->argument = thread ? state->parent[thread] - 1u : NORN_NO_THREAD;
		n->enabled = n->quiet = true;
		return;
	}
	const struct frame *f = &t->frames[t->depth - 1];
	const struct instruction *in = &code->code[f->pc];
	n->body = in->body;
	n->statement = in->statement;
	n->enabled = n->quiet = true;
	if (in->op == I_ENTER) {
		n->kind = NORN_EVENT_ENTER;
		n->call = (uint8_t)caller_of(code, t);
	} else if (in->op == I_LEAVE) {
		n->kind = NORN_EVENT_LEAVE;
	} else if (in->op == I_ANNOUNCE) {
		n->kind = NORN_EVENT_THREAD;
		n->op = NORN_THREAD_CALL;
	} else if (in->op == I_END) {
		next_thread_end(code, thread, n);
	} else {
		n->enabled = n->quiet = false;
		next_statement(code, state, thread, &code->program->statements[in->statement], f, n);
		/* Nothing is mapped there. */
		n->trap |= code->program->maps && n->slot >= 0 && n->kind <= NORN_EVENT_RMW && state->life[n->slot] == 2;
	}
}

/* Steps. */

static void wake(struct state *state, unsigned condition)
{
	uint8_t *queue = state->queue[condition];
	if (!queue[0])
		return;
	state->threads[queue[0] - 1].status = RUNNING;
	memmove(queue, queue + 1, THREADS - 1);
	queue[THREADS - 1] = 0;
}

static void sleep_on(struct state *state, unsigned thread, unsigned condition)
{
	unsigned i = 0;
	while (state->queue[condition][i])
		i++;
	state->queue[condition][i] = (uint8_t)(thread + 1);
	state->threads[thread].status = WAITING;
}

static void give_up_waiting(struct state *state, unsigned thread, unsigned condition)
{
	uint8_t *queue = state->queue[condition];
	unsigned i = 0;
	while (i < THREADS - 1 && queue[i] != thread + 1)
		i++;
	memmove(queue + i, queue + i + 1, THREADS - 1 - i);
	queue[THREADS - 1] = 0;
	state->threads[thread].status = RUNNING;
	state->threads[thread].timed_out = 1;
}

bool state_time_out(const struct code *code, struct state *state, unsigned thread)
{
	const struct thread_state *t = &state->threads[thread];
	if (t->status != WAITING)
		return false;
	const struct statement *s = &code->program->statements[code->code[t->frames[t->depth - 1].pc].statement];
	if (s->kind == S_TIMEDWAIT)
		give_up_waiting(state, thread, s->number);
	return s->kind == S_TIMEDWAIT;
}

static void give_up(struct state *state, unsigned thread, unsigned lock)
{
	if (state->owner[lock] == thread + 1)
		state->owner[lock] = 0;
	state->readers[lock] &= (uint8_t)~(1u << thread);
}

static bool step_resource(struct state *state, unsigned thread, const struct statement *s)
{
	struct thread_state *t = &state->threads[thread];
	struct frame *f = top(state, thread);
	unsigned value = evaluate(&s->e, f->locals) & 3;
	unsigned phases = s->number < RESOURCE_SWAP ? 1 : s->number == RESOURCE_SWAP ? 2 : 4;
	uint8_t *u = &state->resources[0], *v = &state->resources[1];
	if (s->number == RESOURCE_LOOK)
		f->locals[HIDDEN] = *u;
	else if (s->number == RESOURCE_WATCH)
		f->locals[HIDDEN] = *v;
	else if (s->number == RESOURCE_PUT)
		*u = (uint8_t)value;
	else if (t->phase == s->masked + (s->number == RESOURCE_CARRY)) { /* now it does what it does */
		f->locals[HIDDEN] = *u;
		*(s->number == RESOURCE_SWAP ? u : v) = (uint8_t)(s->number == RESOURCE_SWAP ? value : (*u + value) & 3);
	}
	if (++t->phase < phases)
		return false;
	assign(f, s->dst, f->locals[HIDDEN]);
	f->locals[HIDDEN] = 0;
	return true;
}

/* Returns whether the statement is over. */
static bool step_sync(
        const struct code *code, struct state *state, unsigned thread, const struct statement *s, const struct next *n)
{
	struct thread_state *t = &state->threads[thread];
	struct frame *f = top(state, thread);
	unsigned lock = (unsigned)(n->addr - ADDRESS_LOCKS) / 64;
	if (s->kind == S_RESOURCE)
		return step_resource(state, thread, s);
	if (s->kind >= S_LOCK && s->kind <= S_TRYRDLOCK && s->kind != S_UNLOCK)
		assign(f, s->dst, n->op != NORN_SYNC_TRY_FAILED);
	if (n->op == NORN_SYNC_ACQUIRE)
		state_time_out(code, state, thread);
	switch (n->op) {
	case NORN_SYNC_CREATE:
		state->destroyed[lock] = 0;
		break;
	case NORN_SYNC_DESTROY:
		state->destroyed[lock] = 1;
		break;
	case NORN_SYNC_WAIT_END:
	case NORN_SYNC_WAIT_TIMEOUT:
		assign(f, s->dst, n->op == NORN_SYNC_WAIT_END);
		t->timed_out = 0;
		break;
	case NORN_SYNC_ACQUIRE:
		state->owner[lock] = (uint8_t)(thread + 1);
		break;
	case NORN_SYNC_ACQUIRE_SHARED:
		state->readers[lock] |= (uint8_t)(1u << thread);
		break;
	case NORN_SYNC_RELEASE:
	case NORN_SYNC_RELEASE_SHARED:
		give_up(state, thread, lock);
		if (s->kind == S_WAIT || s->kind == S_TIMEDWAIT)
			sleep_on(state, thread, s->number);
		break;
	case NORN_SYNC_SIGNAL:
		wake(state, s->number);
		break;
	case NORN_SYNC_BROADCAST:
		while (state->queue[s->number][0])
			wake(state, s->number);
		break;
	case NORN_SYNC_BARRIER_INIT:
		state->arrived = 0;
		break;
	case NORN_SYNC_SEM_INIT:
		state->semaphore = s->number;
		break;
	case NORN_SYNC_SEM_POST:
		state->semaphore++;
		break;
	case NORN_SYNC_SEM_WAIT:
		state->semaphore--;
		assign(f, s->dst, 1);
		break;
	case NORN_SYNC_SEM_TRY_FAILED:
		assign(f, s->dst, 0);
		break;
	case NORN_SYNC_BARRIER_ARRIVE:
		t->phase = (uint8_t)(state->round + 1);
		if (++state->arrived == 2) {
			state->arrived = 0;
			state->round = (uint8_t)((state->round + 1) % 8);
		}
		return false;
	case NORN_SYNC_ONCE_BEGIN:
		state->once[s->number - THREADS] = 1;
		t->phase = push(code, state, thread, s) ? 0 : 1;
		return false;
	case NORN_SYNC_ONCE_END:
		state->once[s->number - THREADS] = 2;
		t->phase = 2;
		return false;
	default:
		break;
	}
	if ((s->kind == S_WAIT || s->kind == S_TIMEDWAIT) && n->op != NORN_SYNC_WAIT_END && n->op != NORN_SYNC_WAIT_TIMEOUT) {
		t->phase++;
		return false;
	}
	return true;
}

/* The same for two variables at once. */
static void step_double(struct state *state, const struct statement *s, const struct next *n, struct frame *f)
{
	unsigned value = evaluate(&s->e, f->locals) & 255;
	for (unsigned i = 0; i < 4; i++) {
		uint8_t *byte = &state->memory[(n->addr - ADDRESS_MEMORY) / 8 + i / 2][i % 2], *hidden = &f->locals[HIDDEN + i];
		if (n->kind == NORN_EVENT_READ)
			*hidden = *byte;
		else
			*byte = s->kind == S_SET ? (uint8_t)value : *hidden;
		if (n->kind == NORN_EVENT_WRITE)
			*hidden = 0;
	}
}

/* What a range write leaves, or a copy reads: a copy has what it read in the frame until it writes. */
static unsigned step_range(struct state *state, const struct statement *s, const struct next *n, struct frame *f)
{
	unsigned value = evaluate(&s->e, f->locals) & 255;
	if (n->size == 16) {
		step_double(state, s, n, f);
		return 0;
	}
	if (n->kind == NORN_EVENT_READ) {
		value = load(state, n);
		f->locals[HIDDEN] = (uint8_t)value;
		f->locals[HIDDEN + 1] = (uint8_t)(value >> 8);
		return value;
	}
	value = s->kind == S_SET ? value | value << 8 : f->locals[HIDDEN] | (unsigned)f->locals[HIDDEN + 1] << 8;
	f->locals[HIDDEN] = f->locals[HIDDEN + 1] = 0;
	store(state, n, value);
	return n->size == 1 ? value & 255 : value;
}

static unsigned step_access(struct state *state, const struct statement *s, const struct next *n, struct frame *f)
{
	unsigned old = load(state, n), value = evaluate(s->kind == S_CAS ? &s->e2 : &s->e, f->locals);
	int dst = s->kind == S_WHILE ? HIDDEN : s->dst;
	if (s->kind == S_ADD)
		value = (old + value) & 3;
	/* Values have 8 bits in locals: the upper byte of a variable is added to the lower one. */
	assign(f, dst, (old + (old >> 8)) & 7);
	if (n->write)
		store(state, n, value);
	return n->write ? value : old;
}

static void step_thread(
        const struct code *code, struct state *state, unsigned thread, const struct statement *s, const struct next *n)
{
	struct frame *f = top(state, thread);
	if (n->op == NORN_THREAD_FORK) {
		struct thread_state *child = &state->threads[s->number];
		child->status = FORKED;
		state->parent[s->number] = (uint8_t)(thread + 1);
		if (code->program->parameters[s->number])
			child->frames[0].locals[PARAMETER_LOCAL] = (uint8_t)evaluate(&s->e, f->locals);
	} else if (n->op == NORN_THREAD_EXIT) {
		state->dead = 1;
	} else if (n->op == NORN_THREAD_CALL && s->kind == S_RAND) {
		assign(f, s->dst, state->hidden);
		state->hidden = (state->hidden + 1) & 3;
	} else if (n->op == NORN_THREAD_CALL && s->kind == S_OPAQUE) {
		state->memory[VAR_W][0] = (state->memory[VAR_X][0] + 1) & 3;
	}
}

static void step_memory(struct state *state, unsigned thread, const struct statement *s, const struct next *n, unsigned choice)
{
	serial_allocate(state, n->kind == NORN_EVENT_ALLOC ? choice : (unsigned)n->slot);
	if (n->kind == NORN_EVENT_ALLOC) {
		state->life[choice] = 1;
		state->freed[choice] = 0;
		if (state->clean)
			memset(state->blocks[choice], 0, 2);
		assign(top(state, thread), s->dst, POINTER + choice);
	} else {
		state->life[n->slot] = 2;
		state->freed[n->slot] = n->statement;
	}
}

static void step_leave(const struct code *code, struct state *state, unsigned thread)
{
	struct thread_state *t = &state->threads[thread];
	struct frame *f = top(state, thread);
	if (t->depth == 1) { /* to I_END, behind the last LEAVE of this body */
		while (code->code[f->pc].op != I_END)
			f->pc++;
		return;
	}
	unsigned value = f->locals[HIDDEN];
	bool once = f->once;
	memset(f, 0, sizeof(*f));
	t->depth--;
	f = top(state, thread);
	if (once)
		t->phase = 1; /* its end is next */
	else
		assign(f, code->program->statements[code->code[f->pc - 1].statement].dst, value);
}

static unsigned step_statement(const struct code *code, struct state *state, unsigned thread, const struct next *n, unsigned choice)
{
	struct thread_state *t = &state->threads[thread];
	struct frame *f = top(state, thread);
	const struct statement *s = &code->program->statements[n->statement];
	unsigned value = 0;
	switch (n->kind) {
	case NORN_EVENT_SYNC:
		if (!step_sync(code, state, thread, s, n))
			return 0;
		break;
	case NORN_EVENT_THREAD:
		step_thread(code, state, thread, s, n);
		break;
	case NORN_EVENT_ALLOC:
	case NORN_EVENT_FREE:
		step_memory(state, thread, s, n, choice);
		break;
	case NORN_EVENT_MARK:
		if (s->kind == S_MARK)
			break;
		t->block = s->kind == S_BEGIN;
		t->begin = t->block ? n->statement : 0;
		serial_end(state, thread);
		break;
	default:
		if (s->kind == S_COPY || s->kind == S_SET)
			value = step_range(state, s, n, f);
		else
			value = step_access(state, s, n, f);
		if (s->kind == S_COPY && n->kind == NORN_EVENT_READ) {
			t->phase = 1;
			return value;
		}
	}
	t->phase = 0;
	f->pc++;
	return value;
}

/* The automaton sees what has just happened. */
static void monitor(const struct code *code, struct state *state, const struct next *n)
{
	const uint64_t z = ADDRESS_MEMORY + 8 * VAR_Z;
	unsigned letter = MONITOR_LETTERS;
	if (n->kind == NORN_EVENT_MARK && n->op == NORN_MARK_EVENT)
		letter = code->program->statements[n->statement].number;
	else if (n->write && n->addr <= z && z < n->addr + n->size)
		letter = LETTER_Z + (state->memory[VAR_Z][0] & 1);
	if (letter < MONITOR_LETTERS)
		state->monitor = code->monitor[state->monitor][letter];
}

unsigned state_step(const struct code *code, struct state *state, unsigned thread, const struct next *n, unsigned choice)
{
	struct thread_state *t = &state->threads[thread];
	unsigned value = 0;
	if (n->trap) {
		state->dead = 1;
		return 0;
	}
	if (t->status == FORKED) {
		begin_thread(code, state, thread);
		return 0;
	}
	if (code->atomic_blocks && is_access(n))
		serial_access(state, thread, n);
	struct frame *f = top(state, thread);
	switch (code->code[f->pc].op) {
	case I_ENTER:
		if (n->body == THREADS && code->program->atomic && !t->block)
			t->block = 2;
		f->pc++;
		break;
	case I_ANNOUNCE:
		f->pc++;
		break;
	case I_LEAVE:
		if (n->body == THREADS && t->block == 2)
			t->block = 0, serial_end(state, thread);
		step_leave(code, state, thread);
		break;
	case I_END:
		state->dead |= n->op == NORN_THREAD_EXIT;
		memset(t, 0, sizeof(*t));
		t->status = ENDED;
		serial_end(state, thread);
		return 0;
	default:
		value = step_statement(code, state, thread, n, choice);
		if (code->monitored)
			monitor(code, state, n);
	}
	if (t->status == RUNNING && !state->dead)
		advance(code, state, thread);
	return value;
}
