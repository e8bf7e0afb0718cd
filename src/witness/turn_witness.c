#include "witness/turn_witness.h"

#include "base/must.h"
#include "trace/record.h"

/* Where a thread stands: its last event in a part. */
struct position {
	uint64_t addr;
	uint32_t site;
	uint8_t kind, op;
	bool set;
};

struct norn_turn_thread {
	struct position before, inside;
	bool exists, ended; /* before the turn */
	bool followed; /* an event of it after the turn was shown */
	bool joins; /* the first of these joins a thread: joined */
	uint32_t joined;
};

enum byte_state {
	BYTE_READ = 1, /* the turn reads what was there before it */
	BYTE_READ_KNOWN = 2,
	BYTE_WRITTEN = 4,
	BYTE_WRITTEN_KNOWN = 8,
};

struct turn_byte {
	uint8_t state, before, after;
};

enum counted { COUNT_LOCK, COUNT_SHARED, COUNT_WAIT, COUNT_SEMAPHORE, COUNT_BLOCK, COUNT_CALL };

struct turn_key {
	uint64_t addr;
	uint32_t thread; /* 0 where threads do not matter */
	uint32_t counted;
};

enum wake { WAKE_WOKEN = 1, WAKE_NOTIFIED = 2 };

void norn_turn_witness_init(struct norn_turn_witness *t)
{
	*t = (struct norn_turn_witness){0};
	norn_map_init(&t->bytes, sizeof(struct turn_byte));
	norn_map_init(&t->wakes, 1);
}

void norn_turn_witness_done(struct norn_turn_witness *t)
{
	norn_vector_done(&t->threads);
	norn_vector_done(&t->changes);
	norn_map_done(&t->bytes);
	norn_map_done(&t->wakes);
	norn_table_done(&t->objects);
}

static void refuse(struct norn_turn_witness *t, const char *why)
{
	if (!t->refused)
		t->refused = why;
}

static struct norn_turn_thread *thread_of(struct norn_turn_witness *t, uint64_t number)
{
	while (t->threads.count <= number)
		norn_must_add(&t->threads);
	return &t->threads.items[number];
}

/* ---- L1: values ---- */

static bool byte_of(const struct norn_event *e, const uint64_t *value, uint64_t i, uint8_t *ret_byte)
{
	if (e->size > 8 ? !e->data : !value)
		return false;
	*ret_byte = e->size > 8 ? e->data[i] : (uint8_t)(*value >> 8 * i);
	return true;
}

static void read_bytes(struct norn_turn_witness *t, const struct norn_event *e, const uint64_t *value)
{
	for (uint64_t i = 0; i < e->size; i++) {
		struct turn_byte *b = norn_must_map_put(&t->bytes, e->addr + i);
		if (b->state)
			continue; /* it was read, or written by the turn itself */
		bool known = byte_of(e, value, i, &b->before);
		b->state = known ? BYTE_READ | BYTE_READ_KNOWN : BYTE_READ;
	}
}

static void write_bytes(struct norn_turn_witness *t, const struct norn_event *e, const uint64_t *value)
{
	for (uint64_t i = 0; i < e->size; i++) {
		struct turn_byte *b = norn_must_map_put(&t->bytes, e->addr + i);
		bool known = byte_of(e, value, i, &b->after);
		b->state = (uint8_t)((b->state & ~BYTE_WRITTEN_KNOWN) | BYTE_WRITTEN | (known ? BYTE_WRITTEN_KNOWN : 0));
	}
}

static bool is_same_again(const struct turn_byte *b)
{
	if ((b->state & (BYTE_READ | BYTE_WRITTEN)) != (BYTE_READ | BYTE_WRITTEN))
		return true;
	bool known = b->state & BYTE_READ_KNOWN && b->state & BYTE_WRITTEN_KNOWN;
	return known && b->before == b->after;
}

/* ---- L3: balance ---- */

static void count(struct norn_turn_witness *t, enum counted counted, uint32_t thread, uint64_t addr, int change)
{
	struct turn_key key = {addr, thread, counted};
	uint32_t number = norn_must_table_put(&t->objects, &key, sizeof key, NULL);
	while (t->changes.count <= number)
		norn_must_push(&t->changes, 0);
	t->changes.items[number] += change;
}

static void note_wake(struct norn_turn_witness *t, uint64_t condition, enum wake what)
{
	uint8_t *wakes = norn_must_map_put(&t->wakes, condition);
	*wakes |= (uint8_t)what;
}

/* L3, and of L4 what concerns objects of synchronisation. */
static void check_sync(struct norn_turn_witness *t, const struct norn_event *e)
{
	switch (e->op) {
	case NORN_SYNC_ACQUIRE:
	case NORN_SYNC_RELEASE:
		count(t, COUNT_LOCK, e->thread, e->addr, e->op == NORN_SYNC_ACQUIRE ? 1 : -1);
		break;
	case NORN_SYNC_ACQUIRE_SHARED:
	case NORN_SYNC_RELEASE_SHARED:
		count(t, COUNT_SHARED, e->thread, e->addr, e->op == NORN_SYNC_ACQUIRE_SHARED ? 1 : -1);
		break;
	case NORN_SYNC_SEM_POST:
	case NORN_SYNC_SEM_WAIT:
		count(t, COUNT_SEMAPHORE, 0, e->addr, e->op == NORN_SYNC_SEM_POST ? 1 : -1);
		break;
	case NORN_SYNC_WAIT_BEGIN:
		count(t, COUNT_WAIT, e->thread, e->addr, 1);
		break;
	case NORN_SYNC_WAIT_END:
		note_wake(t, e->addr, WAKE_WOKEN);
		count(t, COUNT_WAIT, e->thread, e->addr, -1);
		break;
	case NORN_SYNC_WAIT_TIMEOUT:
		count(t, COUNT_WAIT, e->thread, e->addr, -1);
		break;
	case NORN_SYNC_SIGNAL:
	case NORN_SYNC_BROADCAST:
		note_wake(t, e->addr, WAKE_NOTIFIED);
		break;
	case NORN_SYNC_TRY_FAILED:
	case NORN_SYNC_SEM_TRY_FAILED:
	case NORN_SYNC_ONCE_PASS:
		break;
	case NORN_SYNC_SEND:
		if (e->argument == NORN_SEND_CHANGES || e->argument == NORN_SEND_SETS)
			refuse(t, "it changes resources of the process");
		break;
	case NORN_SYNC_RECEIVE:
		if (e->argument != NORN_RECEIVE_ROOM)
			refuse(t, e->argument == NORN_RECEIVE_INPUT ? "it has input" : "it looks at resources of the process");
		break;
	default:
		refuse(t, "it has a barrier, a once, or an object of synchronization that begins or ends");
	}
}

/* ---- L4: nothing from outside ---- */

static void check_event(struct norn_turn_witness *t, const struct norn_event *e, const uint64_t *found)
{
	const uint64_t *value = e->known ? &e->value : NULL;
	switch (e->kind) {
	case NORN_EVENT_READ:
		read_bytes(t, e, value);
		break;
	case NORN_EVENT_WRITE:
		write_bytes(t, e, value);
		break;
	case NORN_EVENT_RMW:
		if (e->size > 8)
			refuse(t, "it has an indivisible access of 16 bytes");
		read_bytes(t, e, found);
		write_bytes(t, e, value);
		break;
	case NORN_EVENT_SYNC:
		check_sync(t, e);
		break;
	case NORN_EVENT_ENTER:
	case NORN_EVENT_LEAVE:
		count(t, COUNT_CALL, e->thread, 0, e->kind == NORN_EVENT_ENTER ? 1 : -1);
		break;
	case NORN_EVENT_ALLOC:
		if (e->op == NORN_ALLOC_MAP || e->op == NORN_ALLOC_SHARED || e->op == NORN_ALLOC_UNMAP || e->op == NORN_ALLOC_ALIAS)
			refuse(t, "it maps memory");
		else
			count(t, COUNT_BLOCK, 0, e->addr, 1);
		break;
	case NORN_EVENT_FREE:
		if (e->pieces != 2) /* its first piece stands for all */
			count(t, COUNT_BLOCK, 0, e->addr, -1);
		break;
	case NORN_EVENT_THREAD:
		if (e->op == NORN_THREAD_CALL || e->op == NORN_THREAD_BACK)
			refuse(t, "it calls unknown code");
		else if (e->op != NORN_THREAD_NAME && e->op != NORN_THREAD_STACK)
			refuse(t, "threads begin or end in it, or signals arrive");
		break;
	case NORN_EVENT_MARK:
		break;
	default:
		refuse(t, "code that is not instrumented writes in it");
	}
}

/* ---- L2: threads ---- */

static bool is_thread_op(const struct norn_event *e, unsigned op)
{
	return e->kind == NORN_EVENT_THREAD && e->op == op;
}

static void follow(struct norn_turn_thread *thread, const struct norn_event *e)
{
	if (!thread->followed && is_thread_op(e, NORN_THREAD_JOIN)) {
		thread->joins = true;
		thread->joined = (uint32_t)e->value;
	}
	thread->followed = true;
}

void norn_turn_witness_event(
        struct norn_turn_witness *t, const struct norn_event *e, enum norn_turn_part part, const uint64_t *found)
{
	if (part != NORN_TURN_AFTER && is_thread_op(e, NORN_THREAD_FORK))
		thread_of(t, e->value)->exists = true;
	struct norn_turn_thread *thread = thread_of(t, e->thread);
	const struct position here = {e->addr, e->site, e->kind, e->op, true};
	switch (part) {
	case NORN_TURN_BEFORE:
		thread->exists = true;
		thread->before = here;
		thread->ended |= is_thread_op(e, NORN_THREAD_END) || is_thread_op(e, NORN_THREAD_EXIT);
		break;
	case NORN_TURN_INSIDE:
		thread->exists = true;
		thread->inside = here;
		check_event(t, e, found);
		break;
	case NORN_TURN_AFTER:
		follow(thread, e);
	}
}

static bool waits_for_a_thread(const struct norn_turn_witness *t, const struct norn_turn_thread *thread)
{
	if (!thread->joins || thread->joined >= t->threads.count)
		return false;
	const struct norn_turn_thread *child = &t->threads.items[thread->joined];
	return child->exists && !child->ended;
}

static void check_thread(struct norn_turn_witness *t, const struct norn_turn_thread *thread)
{
	const struct position *a = &thread->before, *b = &thread->inside;
	if (!b->set) {
		if (thread->exists && !thread->ended && !waits_for_a_thread(t, thread))
			refuse(t, "a thread that could go on does nothing in it");
		return;
	}
	if (!a->set)
		refuse(t, "a thread begins in it");
	else if (a->site != b->site || a->addr != b->addr || a->kind != b->kind || a->op != b->op)
		refuse(t, "a thread ends it elsewhere than it began");
}

const char *norn_turn_witness_refusal(struct norn_turn_witness *t)
{
	bool moves = false;
	for (uint32_t i = 0; i < t->threads.count; i++) {
		check_thread(t, &t->threads.items[i]);
		moves |= t->threads.items[i].inside.set;
	}
	if (!moves)
		refuse(t, "nothing happens in it");
	for (uint32_t i = 0; i < t->changes.count; i++)
		if (t->changes.items[i])
			refuse(t, "locks, calls, semaphores or blocks of memory are not as they were");
	size_t cursor = 0;
	uint64_t addr;
	for (const uint8_t *wakes; (wakes = norn_map_next(&t->wakes, &cursor, &addr));)
		if (*wakes == WAKE_WOKEN)
			refuse(t, "a thread is woken without a notify in it");
	cursor = 0;
	for (const struct turn_byte *b; (b = norn_map_next(&t->bytes, &cursor, &addr));)
		if (!is_same_again(b))
			refuse(t, "memory that it reads is not as it was");
	return t->refused;
}
