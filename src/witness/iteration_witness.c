#include "witness/iteration_witness.h"

#include <string.h>

#include "base/must.h"
#include "trace/record.h"
#include "witness/deadlock_witness.h"

/* The position of a thread: its last event in a part. */
struct position {
	uint64_t addr;
	uint32_t site;
	uint8_t kind, op;
	bool set;
};

struct norn_iteration_thread {
	struct position before, inside;
	bool exists, ended; /* before the iteration */
	bool followed; /* an event of it after the iteration was shown */
	bool joins; /* the first of these joins a thread: joined */
	uint32_t joined;
	struct position next; /* the first of these */
	uint64_t begun; /* the condition that its last event before the iteration begins to wait for; 0: none */
	uint64_t condition; /* that it fell asleep on by its last event before the iteration, and */
	uint64_t slept; /* when that was, in events shown; 0: it did not */
};

struct iteration_hold {
	uint64_t lock;
	uint32_t thread;
	bool held, shared; /* when the iteration begins */
	bool touched; /* in the iteration */
};

struct iteration_semaphore {
	int64_t value; /* when the iteration begins */
	uint32_t inits;
	bool touched;
};

/* A barrier, or a once. */
struct iteration_meeting {
	uint64_t size;
	uint32_t inits, arrived, left; /* once: the routine begun, and over */
	bool touched;
};

enum byte_state {
	BYTE_READ = 1, /* the iteration reads what was there before it */
	BYTE_READ_KNOWN = 2,
	BYTE_WRITTEN = 4,
	BYTE_WRITTEN_KNOWN = 8,
};

struct iteration_byte {
	uint8_t state, before, after;
};

enum counted { COUNT_LOCK, COUNT_SHARED, COUNT_WAIT, COUNT_SEMAPHORE, COUNT_BLOCK, COUNT_CALL };

struct iteration_key {
	uint64_t addr;
	uint32_t thread; /* 0 where threads do not matter */
	uint32_t counted;
};

enum wake { WAKE_WOKEN = 1, WAKE_NOTIFIED = 2 };

void norn_iteration_witness_init(struct norn_iteration_witness *t, const struct norn_trace *trace)
{
	*t = (struct norn_iteration_witness){.trace = trace};
	norn_map_init(&t->holds, sizeof(struct iteration_hold));
	norn_map_init(&t->semaphores, sizeof(struct iteration_semaphore));
	norn_map_init(&t->meetings, sizeof(struct iteration_meeting));
	norn_map_init(&t->notifies, sizeof(uint64_t));
	norn_map_init(&t->bytes, sizeof(struct iteration_byte));
	norn_map_init(&t->wakes, 1);
}

void norn_iteration_witness_done(struct norn_iteration_witness *t)
{
	norn_vector_done(&t->threads);
	norn_vector_done(&t->changes);
	norn_map_done(&t->bytes);
	norn_map_done(&t->wakes);
	norn_table_done(&t->objects);
	norn_map_done(&t->holds);
	norn_map_done(&t->semaphores);
	norn_map_done(&t->meetings);
	norn_map_done(&t->notifies);
}

static void refuse(struct norn_iteration_witness *t, const char *why)
{
	if (!t->refused)
		t->refused = why;
}

static struct norn_iteration_thread *thread_of(struct norn_iteration_witness *t, uint64_t number)
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

static void read_bytes(struct norn_iteration_witness *t, const struct norn_event *e, const uint64_t *value)
{
	for (uint64_t i = 0; i < e->size; i++) {
		struct iteration_byte *b = norn_must_map_put(&t->bytes, e->addr + i);
		if (b->state)
			continue; /* it was read, or written by the iteration itself */
		bool known = byte_of(e, value, i, &b->before);
		b->state = known ? BYTE_READ | BYTE_READ_KNOWN : BYTE_READ;
	}
}

static void write_bytes(struct norn_iteration_witness *t, const struct norn_event *e, const uint64_t *value)
{
	for (uint64_t i = 0; i < e->size; i++) {
		struct iteration_byte *b = norn_must_map_put(&t->bytes, e->addr + i);
		bool known = byte_of(e, value, i, &b->after);
		b->state = (uint8_t)((b->state & ~BYTE_WRITTEN_KNOWN) | BYTE_WRITTEN | (known ? BYTE_WRITTEN_KNOWN : 0));
	}
}

static bool is_same_again(const struct iteration_byte *b)
{
	if ((b->state & (BYTE_READ | BYTE_WRITTEN)) != (BYTE_READ | BYTE_WRITTEN))
		return true;
	bool known = b->state & BYTE_READ_KNOWN && b->state & BYTE_WRITTEN_KNOWN;
	return known && b->before == b->after;
}

/* ---- L3: balance ---- */

static void count(struct norn_iteration_witness *t, enum counted counted, uint32_t thread, uint64_t addr, int change)
{
	struct iteration_key key = {addr, thread, counted};
	uint32_t number = norn_must_table_put(&t->objects, &key, sizeof key, NULL);
	while (t->changes.count <= number)
		norn_must_push(&t->changes, 0);
	t->changes.items[number] += change;
}

static void note_wake(struct norn_iteration_witness *t, uint64_t condition, enum wake what)
{
	uint8_t *wakes = norn_must_map_put(&t->wakes, condition);
	*wakes |= (uint8_t)what;
}

/* L3, and of L4 what concerns objects of synchronisation. */
static void check_sync(struct norn_iteration_witness *t, const struct norn_event *e)
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
		if (norn_receive_kind(e->argument) != NORN_RECEIVE_ROOM)
			refuse(t, norn_receive_kind(e->argument) == NORN_RECEIVE_INPUT ? "it has input"
			                                                               : "it looks at resources of the process");
		break;
	default:
		refuse(t, "it has a barrier, a once, or an object of synchronization that begins or ends");
	}
}

/* ---- L4: nothing from outside ---- */

static void check_event(struct norn_iteration_witness *t, const struct norn_event *e, const uint64_t *found)
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
		if (e->op == NORN_ALLOC_MAP || e->op == NORN_ALLOC_SHARED || e->op == NORN_ALLOC_UNMAP ||
		        e->op == NORN_ALLOC_ALIAS || e->op == NORN_ALLOC_PROTECT)
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
		else if (e->op != NORN_THREAD_NAME && e->op != NORN_THREAD_STACK && e->op != NORN_THREAD_FENCE)
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

static void note_lock(struct norn_iteration_witness *t, const struct norn_event *e, bool inside)
{
	struct iteration_hold *hold = norn_must_map_put(&t->holds, (e->addr << 16) ^ e->thread ^ (uint64_t)e->thread << 40);
	if (hold->lock && (hold->lock != e->addr || hold->thread != e->thread)) {
		hold->touched = true; /* two of one key: nothing is known of either */
		return;
	}
	bool takes = e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED;
	hold->lock = e->addr;
	hold->thread = e->thread;
	hold->touched |= inside;
	hold->held = inside ? hold->held : takes;
	hold->shared = inside ? hold->shared : e->op == NORN_SYNC_ACQUIRE_SHARED;
}

static void note_semaphore(struct norn_iteration_witness *t, const struct norn_event *e, bool inside)
{
	struct iteration_semaphore *s = norn_must_map_put(&t->semaphores, e->addr);
	s->touched |= inside && e->op != NORN_SYNC_SEM_TRY_FAILED;
	s->inits += e->op == NORN_SYNC_SEM_INIT;
	s->value +=
	        e->op == NORN_SYNC_SEM_INIT ? (int64_t)e->argument : (e->op == NORN_SYNC_SEM_POST) - (e->op == NORN_SYNC_SEM_WAIT);
}

static void note_meeting(struct norn_iteration_witness *t, const struct norn_event *e, bool inside)
{
	struct iteration_meeting *m = norn_must_map_put(&t->meetings, e->addr);
	m->touched |= inside;
	if (e->op == NORN_SYNC_BARRIER_INIT) {
		m->inits++;
		m->size = e->argument;
	}
	m->arrived += e->op == NORN_SYNC_BARRIER_ARRIVE || e->op == NORN_SYNC_ONCE_BEGIN;
	m->left += e->op == NORN_SYNC_BARRIER_LEAVE || e->op == NORN_SYNC_ONCE_END;
}

/* Events on which waits depend, up to the end of the iteration. */
static void note_state(
        struct norn_iteration_witness *t, const struct norn_event *e, struct norn_iteration_thread *thread, bool inside)
{
	bool sync = e->kind == NORN_EVENT_SYNC;
	bool sleeps = sync && thread->begun && (e->op == NORN_SYNC_RELEASE || e->op == NORN_SYNC_RELEASE_SHARED);
	thread->condition = sleeps ? thread->begun : 0;
	thread->slept = sleeps ? t->shown : 0;
	thread->begun = sync && e->op == NORN_SYNC_WAIT_BEGIN ? e->addr : 0;
	if (!sync)
		return;
	if (e->op >= NORN_SYNC_ACQUIRE && e->op <= NORN_SYNC_RELEASE_SHARED)
		note_lock(t, e, inside);
	else if (e->op >= NORN_SYNC_SEM_INIT && e->op <= NORN_SYNC_SEM_TRY_FAILED)
		note_semaphore(t, e, inside);
	else if (e->op >= NORN_SYNC_BARRIER_INIT && e->op <= NORN_SYNC_ONCE_PASS)
		note_meeting(t, e, inside);
	else if (e->op == NORN_SYNC_SIGNAL || e->op == NORN_SYNC_BROADCAST)
		*(uint64_t *)norn_must_map_put(&t->notifies, e->addr) = t->shown;
}

/* Does the call that the thread is in wait, however long it takes? */
static bool waits_long(const struct norn_iteration_witness *t, uint32_t site)
{
	struct norn_site_info info;
	if (!t->trace)
		return false;
	norn_trace_site(t->trace, site, &info);
	if (norn_witness_gives_up(info.name))
		return false;
	return strncmp(info.name, "pthread_", 8) == 0 || strncmp(info.name, "sem_", 4) == 0 || strncmp(info.name, "cnd_", 4) == 0 ||
	       strncmp(info.name, "mtx_", 4) == 0 || strcmp(info.name, "call_once") == 0;
}

static bool is_kept(const struct norn_iteration_witness *t, const struct norn_iteration_thread *thread)
{
	size_t cursor = 0;
	uint64_t key;
	for (const struct iteration_hold *h; (h = norn_map_next(&t->holds, &cursor, &key));)
		if (h->lock == thread->next.addr && h->held && !h->touched && &t->threads.items[h->thread] != thread &&
		        (!h->shared || thread->next.op == NORN_SYNC_ACQUIRE))
			return true;
	return false;
}

/* Is the thread in a wait that nothing before the iteration has ended, and nothing in it ends? */
static bool waits_in_vain(const struct norn_iteration_witness *t, const struct norn_iteration_thread *thread)
{
	if (!thread->next.set || thread->next.kind != NORN_EVENT_SYNC || !waits_long(t, thread->next.site))
		return false;
	if (thread->next.op == NORN_SYNC_SEM_WAIT) {
		const struct iteration_semaphore *s = norn_map_get(&t->semaphores, thread->next.addr);
		return s && s->inits == 1 && s->value == 0 && !s->touched;
	}
	if (thread->next.op == NORN_SYNC_BARRIER_LEAVE || thread->next.op == NORN_SYNC_ONCE_PASS) {
		const struct iteration_meeting *m = norn_map_get(&t->meetings, thread->next.addr);
		if (!m || m->touched)
			return false;
		if (thread->next.op == NORN_SYNC_ONCE_PASS)
			return m->arrived == 1 && m->left == 0;
		/* All that have not left came since the last round was full. */
		return m->inits == 1 && m->size && m->arrived - m->left == m->arrived % m->size;
	}
	if (thread->next.op != NORN_SYNC_ACQUIRE && thread->next.op != NORN_SYNC_ACQUIRE_SHARED)
		return false;
	if (!thread->slept)
		return is_kept(t, thread);
	const uint64_t *notified = norn_map_get(&t->notifies, thread->condition);
	return !notified || *notified < thread->slept;
}

static void follow(struct norn_iteration_thread *thread, const struct norn_event *e)
{
	if (!thread->followed)
		thread->next = (struct position){e->addr, e->site, e->kind, e->op, true};
	if (!thread->followed && is_thread_op(e, NORN_THREAD_JOIN)) {
		thread->joins = true;
		thread->joined = (uint32_t)e->value;
	}
	thread->followed = true;
}

void norn_iteration_witness_event(
        struct norn_iteration_witness *t, const struct norn_event *e, enum norn_iteration_part part, const uint64_t *found)
{
	if (part != NORN_ITERATION_AFTER && is_thread_op(e, NORN_THREAD_FORK))
		thread_of(t, e->value)->exists = true;
	struct norn_iteration_thread *thread = thread_of(t, e->thread);
	const struct position here = {e->addr, e->site, e->kind, e->op, true};
	t->shown++;
	if (part != NORN_ITERATION_AFTER)
		note_state(t, e, thread, part == NORN_ITERATION_INSIDE);
	switch (part) {
	case NORN_ITERATION_BEFORE:
		thread->exists = true;
		thread->before = here;
		thread->ended |= is_thread_op(e, NORN_THREAD_END) || is_thread_op(e, NORN_THREAD_EXIT);
		break;
	case NORN_ITERATION_INSIDE:
		thread->exists = true;
		thread->inside = here;
		check_event(t, e, found);
		break;
	case NORN_ITERATION_AFTER:
		follow(thread, e);
	}
}

static bool waits_for_a_thread(const struct norn_iteration_witness *t, const struct norn_iteration_thread *thread)
{
	if (!thread->joins || thread->joined >= t->threads.count)
		return false;
	const struct norn_iteration_thread *child = &t->threads.items[thread->joined];
	return child->exists && !child->ended;
}

static void check_thread(struct norn_iteration_witness *t, const struct norn_iteration_thread *thread)
{
	const struct position *a = &thread->before, *b = &thread->inside;
	if (!b->set) {
		if (thread->exists && !thread->ended && !waits_for_a_thread(t, thread) && !waits_in_vain(t, thread))
			refuse(t, "a thread that could go on does nothing in it");
		return;
	}
	if (!a->set)
		refuse(t, "a thread begins in it");
	else if (a->site != b->site || a->addr != b->addr || a->kind != b->kind || a->op != b->op)
		refuse(t, "a thread ends it elsewhere than it began");
}

const char *norn_iteration_witness_refusal(struct norn_iteration_witness *t)
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
	for (const struct iteration_byte *b; (b = norn_map_next(&t->bytes, &cursor, &addr));)
		if (!is_same_again(b))
			refuse(t, "memory that it reads is not as it was");
	return t->refused;
}
