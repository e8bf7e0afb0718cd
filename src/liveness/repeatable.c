#include "liveness/repeatable.h"

#include "base/must.h"
#include "causality/rules.h"
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
	bool blocked; /* in a wait that the iteration does not end */
	bool joins; /* the next thing that it did */
	uint32_t joined;
};

struct repeatable_word {
	uint8_t before[8], after[8];
	uint8_t found, found_known; /* bytes that were read as they were before the iteration */
	uint8_t written, written_known;
};

struct repeatable_condition {
	bool woken, notified;
};

enum account { LOCK = 1, SHARED, WAIT, SEMAPHORE, BLOCK, CALL };

void norn_repeatable_init(struct norn_repeatable *t)
{
	*t = (struct norn_repeatable){0};
	norn_map_init(&t->words, sizeof(struct repeatable_word));
	norn_map_init(&t->balances, sizeof(int64_t));
	norn_map_init(&t->conditions, sizeof(struct repeatable_condition));
}

void norn_repeatable_done(struct norn_repeatable *t)
{
	norn_map_done(&t->words);
	norn_map_done(&t->balances);
	norn_map_done(&t->conditions);
	norn_vector_done(&t->threads);
}

static void refuse(struct norn_repeatable *t, const char *why)
{
	t->refused = t->refused ? t->refused : why;
}

static struct norn_repeatable_thread *thread_of(struct norn_repeatable *t, uint32_t number)
{
	while (t->threads.count <= number)
		norn_must_add(&t->threads);
	return &t->threads.items[number];
}

/* ---- memory ---- */

/* reads: the event's value is what was there; writes: what is there now. */
static void access_bytes(struct norn_repeatable *t, const struct norn_event *e, bool reads, bool writes, const uint64_t *value)
{
	const uint8_t *data = e->size > 8 ? e->data : NULL;
	bool known = e->size > 8 ? data != NULL : value != NULL;
	for (uint64_t at = 0; at < e->size;) {
		uint64_t address = e->addr + at;
		struct repeatable_word *w = norn_must_map_put(&t->words, address / 8);
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
}

static bool is_restored(const struct repeatable_word *w)
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

static void account(struct norn_repeatable *t, enum account kind, uint32_t thread, uint64_t address, int amount)
{
	uint64_t key = norn_monitor_hash(norn_monitor_hash((uint64_t)kind << 32 | thread) ^ address);
	int64_t *balance = norn_must_map_put(&t->balances, key);
	*balance += amount;
}

static void touch_condition(struct norn_repeatable *t, uint64_t address, bool woken)
{
	struct repeatable_condition *c = norn_must_map_put(&t->conditions, address);
	c->woken |= woken;
	c->notified |= !woken;
}

/* An operation that leaves the state of its object as it is. */
static void look_at_sync(struct norn_repeatable *t, const struct norn_event *e)
{
	switch (e->op) {
	case NORN_SYNC_WAIT_BEGIN:
		account(t, WAIT, e->thread, e->addr, 1);
		break;
	case NORN_SYNC_WAIT_END:
		touch_condition(t, e->addr, true);
		account(t, WAIT, e->thread, e->addr, -1);
		break;
	case NORN_SYNC_WAIT_TIMEOUT:
		account(t, WAIT, e->thread, e->addr, -1);
		break;
	case NORN_SYNC_SIGNAL:
	case NORN_SYNC_BROADCAST:
		touch_condition(t, e->addr, false);
		break;
	case NORN_SYNC_TRY_FAILED:
	case NORN_SYNC_SEM_TRY_FAILED:
	case NORN_SYNC_ONCE_PASS:
		break;
	case NORN_SYNC_SEND:
		if (e->argument >= NORN_SEND_CHANGES)
			refuse(t, "it changes resources of the process");
		break;
	case NORN_SYNC_RECEIVE:
		if (norn_receive_kind(e->argument) == NORN_RECEIVE_INPUT)
			refuse(t, "it has input");
		else if (norn_receive_kind(e->argument) >= NORN_RECEIVE_CHANGED)
			refuse(t, "it looks at resources of the process");
		break;
	default:
		refuse(t, "it has a barrier, a once, or an object of synchronization that begins or ends");
	}
}

static void sync_event(struct norn_repeatable *t, const struct norn_event *e)
{
	switch (norn_rule_effect(e->op)) {
	case NORN_EFFECT_LOCK:
		account(t, LOCK, e->thread, e->addr, 1);
		break;
	case NORN_EFFECT_UNLOCK:
		account(t, LOCK, e->thread, e->addr, -1);
		break;
	case NORN_EFFECT_SHARE:
		account(t, SHARED, e->thread, e->addr, 1);
		break;
	case NORN_EFFECT_UNSHARE:
		account(t, SHARED, e->thread, e->addr, -1);
		break;
	case NORN_EFFECT_UP:
		account(t, SEMAPHORE, 0, e->addr, 1);
		break;
	case NORN_EFFECT_DOWN:
		account(t, SEMAPHORE, 0, e->addr, -1);
		break;
	case NORN_EFFECT_SET:
	case NORN_EFFECT_CREATE:
	case NORN_EFFECT_DESTROY:
		refuse(t, "it has a barrier, a once, or an object of synchronization that begins or ends");
		break;
	case NORN_EFFECT_NONE:
		look_at_sync(t, e);
	}
}

static void inside(struct norn_repeatable *t, const struct norn_event *e, const uint64_t *before)
{
	const uint64_t *value = e->known ? &e->value : NULL;
	switch (e->kind) {
	case NORN_EVENT_READ:
		access_bytes(t, e, true, false, value);
		break;
	case NORN_EVENT_WRITE:
		access_bytes(t, e, false, true, value);
		break;
	case NORN_EVENT_RMW:
		if (e->size > 8)
			refuse(t, "it has an indivisible access of 16 bytes");
		access_bytes(t, e, true, false, before);
		access_bytes(t, e, false, true, value);
		break;
	case NORN_EVENT_SYNC:
		sync_event(t, e);
		break;
	case NORN_EVENT_ENTER:
		account(t, CALL, e->thread, 0, 1);
		break;
	case NORN_EVENT_LEAVE:
		account(t, CALL, e->thread, 0, -1);
		break;
	case NORN_EVENT_ALLOC:
		if (e->op < NORN_ALLOC_MAP)
			account(t, BLOCK, 0, e->addr, 1);
		else
			refuse(t, "it maps memory");
		break;
	case NORN_EVENT_FREE:
		if (e->pieces != 2)
			account(t, BLOCK, 0, e->addr, -1);
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

/* ---- threads ---- */

void norn_repeatable_event(
        struct norn_repeatable *t, const struct norn_event *e, enum norn_repeatable_place place, const uint64_t *before)
{
	if (place != NORN_REPEATABLE_AFTER && e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_FORK)
		thread_of(t, (uint32_t)e->value)->born = true;
	struct norn_repeatable_thread *thread = thread_of(t, e->thread);
	const struct stop here = {e->addr, e->site, e->kind, e->op, true};
	if (place == NORN_REPEATABLE_AFTER) {
		bool first = !thread->followed;
		thread->followed = true;
		if (first && e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_JOIN) {
			thread->joins = true;
			thread->joined = (uint32_t)e->value;
		}
		return;
	}
	thread->born = true;
	if (place == NORN_REPEATABLE_INSIDE) {
		thread->inside = here;
		inside(t, e, before);
		return;
	}
	thread->before = here;
	thread->ended |= e->kind == NORN_EVENT_THREAD && (e->op == NORN_THREAD_END || e->op == NORN_THREAD_EXIT);
}

void norn_repeatable_blocked(struct norn_repeatable *t, uint32_t thread)
{
	thread_of(t, thread)->blocked = true;
}

static bool is_alive(const struct norn_repeatable *t, uint32_t number)
{
	return number < t->threads.count && t->threads.items[number].born && !t->threads.items[number].ended;
}

static void judge_thread(struct norn_repeatable *t, const struct norn_repeatable_thread *x)
{
	const struct stop *a = &x->before, *b = &x->inside;
	if (b->there && !a->there)
		refuse(t, "a thread begins in it");
	else if (b->there && (a->site != b->site || a->kind != b->kind || a->op != b->op || a->address != b->address))
		refuse(t, "a thread ends it elsewhere than it began");
	else if (!b->there && x->born && !x->ended && !x->blocked && !(x->joins && is_alive(t, x->joined)))
		refuse(t, "a thread that could go on does nothing in it");
}

const char *norn_repeatable_refusal(struct norn_repeatable *t)
{
	size_t cursor = 0;
	uint64_t key;
	bool moves = false;
	for (uint32_t i = 0; i < t->threads.count; i++) {
		judge_thread(t, &t->threads.items[i]);
		moves |= t->threads.items[i].inside.there;
	}
	if (!moves)
		refuse(t, "nothing happens in it");
	for (const int64_t *balance; !t->refused && (balance = norn_map_next(&t->balances, &cursor, &key));)
		if (*balance != 0)
			refuse(t, "locks, calls, semaphores or blocks of memory are not as they were");
	cursor = 0;
	for (const struct repeatable_condition *c; !t->refused && (c = norn_map_next(&t->conditions, &cursor, &key));)
		if (c->woken && !c->notified)
			refuse(t, "a thread is woken without a notify in it");
	cursor = 0;
	for (const struct repeatable_word *w; !t->refused && (w = norn_map_next(&t->words, &cursor, &key));)
		if (!is_restored(w))
			refuse(t, "memory that it reads is not as it was");
	return t->refused;
}
