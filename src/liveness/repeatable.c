#include "liveness/repeatable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/monitor.h"
#include "trace/record.h"

struct stop {
	uint64_t address;
	uint32_t site;
	uint8_t kind, op;
	bool there;
};

struct norn_repeatable_thread {
	struct stop before, inside; /* its last events */
	bool born, ended, followed;
	bool joins; /* the next thing that it did */
	uint32_t joined;
};

struct word {
	uint8_t before[8], after[8];
	uint8_t found, found_known; /* bytes that were read as they were before the turn */
	uint8_t written, written_known;
};

struct condition {
	bool woken, notified;
};

enum account { LOCK = 1, SHARED, WAIT, SEMAPHORE, BLOCK, CALL };

void norn_repeatable_init(struct norn_repeatable *t)
{
	*t = (struct norn_repeatable){0};
	norn_map_init(&t->words, sizeof(struct word));
	norn_map_init(&t->balances, sizeof(int64_t));
	norn_map_init(&t->conditions, sizeof(struct condition));
}

void norn_repeatable_done(struct norn_repeatable *t)
{
	norn_map_done(&t->words);
	norn_map_done(&t->balances);
	norn_map_done(&t->conditions);
	free(t->threads);
}

static void refuse(struct norn_repeatable *t, const char *why)
{
	t->refused = t->refused ? t->refused : why;
}

static struct norn_repeatable_thread *thread_of(struct norn_repeatable *t, uint32_t number)
{
	if (number >= t->thread_count) {
		uint32_t count = number + 1;
		struct norn_repeatable_thread *threads = realloc(t->threads, count * sizeof *threads);
		if (!threads)
			return NULL;
		memset(threads + t->thread_count, 0, (count - t->thread_count) * sizeof *threads);
		t->threads = threads;
		t->thread_count = count;
	}
	return &t->threads[number];
}

/* ---- memory ---- */

/* reads: the event's value is what was there; writes: what is there now. */
static int access_bytes(struct norn_repeatable *t, const struct norn_event *e, bool reads, bool writes, const uint64_t *value)
{
	const uint8_t *data = e->size > 8 ? e->data : NULL;
	bool known = e->size > 8 ? data != NULL : value != NULL;
	for (uint64_t at = 0; at < e->size;) {
		uint64_t address = e->addr + at;
		void *slot;
		if (norn_map_put(&t->words, address / 8, &slot) != 0)
			return -ENOMEM;
		struct word *w = slot;
		for (unsigned k = address & 7; k < 8 && at < e->size; k++, at++) {
			uint8_t bit = (uint8_t)(1u << k);
			uint8_t byte = !known ? 0 : data ? data[at] : (uint8_t)(*value >> 8 * at);
			if (reads && !(w->written & bit) && !(w->found & bit)) {
				w->found |= bit;
				w->found_known |= known ? bit : 0;
				w->before[k] = byte;
			}
			if (writes) {
				w->written |= bit;
				w->written_known = (uint8_t)(known ? w->written_known | bit : w->written_known & ~bit);
				w->after[k] = byte;
			}
		}
	}
	return 0;
}

static bool is_restored(const struct word *w)
{
	uint8_t both = w->found & w->written;
	if (both & ~(w->found_known & w->written_known))
		return false;
	for (unsigned k = 0; k < 8; k++)
		if ((both >> k & 1) && w->before[k] != w->after[k])
			return false;
	return true;
}

/* ---- what must balance ---- */

static int account(struct norn_repeatable *t, enum account kind, uint32_t thread, uint64_t address, int amount)
{
	uint64_t key = norn_monitor_hash(norn_monitor_hash((uint64_t)kind << 32 | thread) ^ address);
	void *value;
	if (norn_map_put(&t->balances, key, &value) != 0)
		return -ENOMEM;
	*(int64_t *)value += amount;
	return 0;
}

static int touch_condition(struct norn_repeatable *t, uint64_t address, bool woken)
{
	void *value;
	if (norn_map_put(&t->conditions, address, &value) != 0)
		return -ENOMEM;
	struct condition *c = value;
	c->woken |= woken;
	c->notified |= !woken;
	return 0;
}

static int sync_event(struct norn_repeatable *t, const struct norn_event *e)
{
	int r = 0;
	switch (e->op) {
	case NORN_SYNC_ACQUIRE:
		return account(t, LOCK, e->thread, e->addr, 1);
	case NORN_SYNC_RELEASE:
		return account(t, LOCK, e->thread, e->addr, -1);
	case NORN_SYNC_ACQUIRE_SHARED:
		return account(t, SHARED, e->thread, e->addr, 1);
	case NORN_SYNC_RELEASE_SHARED:
		return account(t, SHARED, e->thread, e->addr, -1);
	case NORN_SYNC_WAIT_BEGIN:
		return account(t, WAIT, e->thread, e->addr, 1);
	case NORN_SYNC_WAIT_END:
		r = touch_condition(t, e->addr, true);
		return r != 0 ? r : account(t, WAIT, e->thread, e->addr, -1);
	case NORN_SYNC_WAIT_TIMEOUT:
		return account(t, WAIT, e->thread, e->addr, -1);
	case NORN_SYNC_SIGNAL:
	case NORN_SYNC_BROADCAST:
		return touch_condition(t, e->addr, false);
	case NORN_SYNC_SEM_POST:
		return account(t, SEMAPHORE, 0, e->addr, 1);
	case NORN_SYNC_SEM_WAIT:
		return account(t, SEMAPHORE, 0, e->addr, -1);
	case NORN_SYNC_TRY_FAILED:
	case NORN_SYNC_SEM_TRY_FAILED:
	case NORN_SYNC_ONCE_PASS:
	case NORN_SYNC_SEND:
		return 0;
	case NORN_SYNC_RECEIVE:
		if (e->argument == NORN_RECEIVE_INPUT)
			refuse(t, "it has input");
		return 0;
	default:
		refuse(t, "it has a barrier, a once, or an object of synchronization that begins or ends");
		return 0;
	}
}

static int inside(struct norn_repeatable *t, const struct norn_event *e, const uint64_t *before)
{
	int r;
	const uint64_t *value = e->known ? &e->value : NULL;
	switch (e->kind) {
	case NORN_EVENT_READ:
		return access_bytes(t, e, true, false, value);
	case NORN_EVENT_WRITE:
		return access_bytes(t, e, false, true, value);
	case NORN_EVENT_RMW:
		if (e->size > 8)
			refuse(t, "it has an indivisible access of 16 bytes");
		r = access_bytes(t, e, true, false, before);
		return r != 0 ? r : access_bytes(t, e, false, true, value);
	case NORN_EVENT_SYNC:
		return sync_event(t, e);
	case NORN_EVENT_ENTER:
		return account(t, CALL, e->thread, 0, 1);
	case NORN_EVENT_LEAVE:
		return account(t, CALL, e->thread, 0, -1);
	case NORN_EVENT_ALLOC:
		if (e->op < NORN_ALLOC_MAP)
			return account(t, BLOCK, 0, e->addr, 1);
		refuse(t, "it maps memory");
		return 0;
	case NORN_EVENT_FREE:
		return e->pieces == 2 ? 0 : account(t, BLOCK, 0, e->addr, -1);
	case NORN_EVENT_THREAD:
		if (e->op == NORN_THREAD_CALL)
			refuse(t, "it calls code that nobody knows");
		else if (e->op != NORN_THREAD_NAME && e->op != NORN_THREAD_STACK)
			refuse(t, "threads begin or end in it, or signals arrive");
		return 0;
	case NORN_EVENT_MARK:
		return 0;
	default:
		refuse(t, "code that is not instrumented writes in it");
		return 0;
	}
}

/* ---- threads ---- */

int norn_repeatable_event(
        struct norn_repeatable *t, const struct norn_event *e, enum norn_repeatable_place place, const uint64_t *before)
{
	bool forks = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_FORK;
	/* Both, before a pointer to one is taken. */
	if (!thread_of(t, e->thread) || (forks && !thread_of(t, (uint32_t)e->value)))
		return -ENOMEM;
	struct norn_repeatable_thread *thread = &t->threads[e->thread];
	const struct stop here = {e->addr, e->site, e->kind, e->op, true};
	if (place == NORN_REPEATABLE_AFTER) {
		bool first = !thread->followed;
		thread->followed = true;
		if (first && e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_JOIN) {
			thread->joins = true;
			thread->joined = (uint32_t)e->value;
		}
		return 0;
	}
	thread->born = true;
	if (forks)
		t->threads[e->value].born = true;
	if (place == NORN_REPEATABLE_INSIDE) {
		thread->inside = here;
		return inside(t, e, before);
	}
	thread->before = here;
	thread->ended |= e->kind == NORN_EVENT_THREAD && (e->op == NORN_THREAD_END || e->op == NORN_THREAD_EXIT);
	return 0;
}

static bool is_alive(const struct norn_repeatable *t, uint32_t number)
{
	return number < t->thread_count && t->threads[number].born && !t->threads[number].ended;
}

static void judge_thread(struct norn_repeatable *t, const struct norn_repeatable_thread *x)
{
	const struct stop *a = &x->before, *b = &x->inside;
	if (b->there && !a->there)
		refuse(t, "a thread begins in it");
	else if (b->there && (a->site != b->site || a->kind != b->kind || a->op != b->op || a->address != b->address))
		refuse(t, "a thread ends it elsewhere than it began");
	else if (!b->there && x->born && !x->ended && !(x->joins && is_alive(t, x->joined)))
		refuse(t, "a thread that could go on does nothing in it");
}

const char *norn_repeatable_refusal(struct norn_repeatable *t)
{
	size_t cursor = 0;
	uint64_t key;
	bool moves = false;
	for (uint32_t i = 0; i < t->thread_count; i++) {
		judge_thread(t, &t->threads[i]);
		moves |= t->threads[i].inside.there;
	}
	if (!moves)
		refuse(t, "nothing happens in it");
	for (const int64_t *balance; !t->refused && (balance = norn_map_next(&t->balances, &cursor, &key));)
		if (*balance != 0)
			refuse(t, "locks, calls, semaphores or blocks of memory are not as they were");
	cursor = 0;
	for (const struct condition *c; !t->refused && (c = norn_map_next(&t->conditions, &cursor, &key));)
		if (c->woken && !c->notified)
			refuse(t, "a thread is woken that nobody notifies in it");
	cursor = 0;
	for (const struct word *w; !t->refused && (w = norn_map_next(&t->words, &cursor, &key));)
		if (!is_restored(w))
			refuse(t, "memory that it reads is not as it was");
	return t->refused;
}
