#include "finding/run_end_threads.h"

#include <errno.h>
#include <stdlib.h>

#include "base/must.h"
#include "run/run_end.h"
#include "trace/merge.h"
#include "trace/record.h"

/* ---- the pass ---- */

static void take(struct norn_thread_end *t, const struct norn_event *e, uint64_t kind, bool shared, uint64_t number)
{
	norn_must_push(&t->held,
	        (struct norn_held_object){.addr = e->addr, .kind = kind, .number = number, .site = e->site, .shared = shared});
}

static bool give(struct norn_thread_end *t, uint64_t addr)
{
	for (uint32_t i = t->held.count; i-- > 0;)
		if (t->held.items[i].addr == addr) {
			for (uint32_t k = i + 1; k < t->held.count; k++)
				t->held.items[k - 1] = t->held.items[k];
			t->held.count--;
			return true;
		}
	return false;
}

/* One thread may unlock what another has locked. */
static void give_any(struct norn_run_end_threads *m, struct norn_thread_end *t, uint64_t addr)
{
	bool done = give(t, addr);
	for (uint32_t i = 0; !done && i < m->count; i++)
		done = give(&m->threads[i], addr);
}

static void note_sync(struct norn_run_end_threads *m, struct norn_thread_end *t, const struct norn_event *e, uint64_t number)
{
	switch (e->op) {
	case NORN_SYNC_ACQUIRE:
	case NORN_SYNC_ACQUIRE_SHARED:
		take(t, e, e->argument, e->op == NORN_SYNC_ACQUIRE_SHARED, number);
		break;
	case NORN_SYNC_ONCE_BEGIN:
		take(t, e, NORN_LOCK_ONCE, false, number);
		break;
	case NORN_SYNC_RELEASE:
	case NORN_SYNC_RELEASE_SHARED:
	case NORN_SYNC_ONCE_END:
		give_any(m, t, e->addr);
		break;
	case NORN_SYNC_CREATE: /* a new life of the object: no thread holds it */
		for (uint32_t i = 0; i < m->count; i++)
			while (give(&m->threads[i], e->addr))
				;
		break;
	}
}

static void note_last(struct norn_thread_end *t, const struct norn_event *e, uint64_t number)
{
	for (unsigned i = NORN_LAST_EVENTS - 1; i > 0; i--)
		t->last[i] = t->last[i - 1];
	t->last[0] = (struct norn_last_event){*e, number};
	t->last[0].event.data = NULL;
	t->last[0].event.versions = NULL;
	t->last[0].event.args = NULL;
}

static void note_thread(struct norn_thread_end *t, const struct norn_event *e, uint64_t number)
{
	t->began |= e->op == NORN_THREAD_BEGIN;
	t->ended |= e->op == NORN_THREAD_END;
	t->exits |= e->op == NORN_THREAD_EXIT;
	if (e->op == NORN_THREAD_FORK || e->op == NORN_THREAD_JOIN || e->op == NORN_THREAD_SIGNAL)
		note_last(t, e, number);
}

static void note_event(struct norn_run_end_threads *m, const struct norn_event *e)
{
	struct norn_thread_end *t = &m->threads[e->thread];
	uint64_t number = ++m->events;
	t->began = true;
	if (t->exits)
		return; /* libc's own work is not the program's doing */
	switch (e->kind) {
	case NORN_EVENT_ENTER:
		norn_must_push(&t->calls, (struct norn_open_call){e->site, e->call_site});
		break;
	case NORN_EVENT_LEAVE:
		t->calls.count -= t->calls.count > 0;
		break;
	case NORN_EVENT_THREAD:
		note_thread(t, e, number);
		break;
	case NORN_EVENT_SYNC:
		note_sync(m, t, e, number);
		note_last(t, e, number);
		break;
	case NORN_EVENT_EXTERNAL:
	case NORN_EVENT_LOST:
		break;
	default:
		note_last(t, e, number);
	}
}

static int pass(struct norn_run_end_threads *m, struct norn_trace *trace, unsigned patience, struct norn_error *err)
{
	struct norn_merge *merge = norn_merge_new(trace, patience);
	struct norn_event e;
	int r;
	while ((r = norn_merge_next(merge, &e, err)) > 0)
		if (e.thread < m->count)
			note_event(m, &e);
	norn_merge_free(merge);
	return r;
}

int norn_run_end_threads_init(struct norn_run_end_threads *m, struct norn_trace *trace, struct norn_error *err)
{
	int r = 0;
	for (unsigned patience = NORN_MERGE_PATIENCE;; patience = 0) {
		*m = (struct norn_run_end_threads){.count = norn_trace_threads(trace)};
		m->threads = norn_must_calloc(m->count, sizeof *m->threads);
		r = pass(m, trace, patience, err);
		if (r != -ESTALE || !patience)
			break;
		norn_run_end_threads_done(m);
	}
	if (r < 0)
		norn_run_end_threads_done(m);
	return r;
}

void norn_run_end_threads_done(struct norn_run_end_threads *m)
{
	for (uint32_t i = 0; i < m->count; i++) {
		norn_vector_done(&m->threads[i].calls);
		norn_vector_done(&m->threads[i].held);
	}
	free(m->threads);
	*m = (struct norn_run_end_threads){0};
}

/* ---- stuck threads ---- */

struct thread_search {
	const struct norn_run_end_threads *threads;
	struct norn_stuck_thread *stuck;
	bool others;
};

/* A thread that holds the object and will not give it up: it is stuck, or has ended. */
static uint32_t find_holder(const struct thread_search *s, uint64_t addr, bool exclusive_only)
{
	for (uint32_t t = 0; t < s->threads->count; t++) {
		const struct norn_thread_end *thread = &s->threads->threads[t];
		for (uint32_t i = 0; i < thread->held.count; i++) {
			const struct norn_held_object *held = &thread->held.items[i];
			if (held->addr == addr && !(exclusive_only && held->shared) && (s->stuck[t].wait || thread->ended))
				return t;
		}
	}
	return NORN_NO_THREAD;
}

static bool all_are_stuck(const struct thread_search *s)
{
	for (uint32_t t = 0; t < s->threads->count; t++)
		if (s->threads->threads[t].began && !s->threads->threads[t].ended && !s->stuck[t].wait)
			return false;
	return !s->others;
}

/* True if a thread that waits is stuck, if all are that are taken for it so far; and the thread that it waits for. */
static bool is_stuck(const struct thread_search *s, const struct norn_slot_wait *wait, uint32_t *ret_next)
{
	*ret_next = NORN_NO_THREAD;
	switch (wait->waiting) {
	case NORN_WAITING_LOCK:
	case NORN_WAITING_ONCE:
		*ret_next = find_holder(s, wait->object, false);
		return *ret_next != NORN_NO_THREAD;
	case NORN_WAITING_SHARED:
		*ret_next = find_holder(s, wait->object, true);
		return *ret_next != NORN_NO_THREAD;
	case NORN_WAITING_JOIN:
		if (wait->argument >= s->threads->count || !s->stuck[wait->argument].wait)
			return false;
		*ret_next = (uint32_t)wait->argument;
		return true;
	default:
		return all_are_stuck(s);
	}
}

uint32_t norn_find_stuck(const struct norn_run_end_threads *m, const struct norn_end_wait *waits, uint32_t count, bool others,
        struct norn_stuck_thread *stuck)
{
	const struct thread_search s = {m, stuck, others};
	uint32_t left = 0;
	for (uint32_t t = 0; t < m->count; t++)
		stuck[t] = (struct norn_stuck_thread){.next = NORN_NO_THREAD};
	for (uint32_t i = 0; i < count; i++)
		if (waits[i].thread < m->count && !m->threads[waits[i].thread].ended)
			stuck[waits[i].thread].wait = &waits[i];
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t t = 0; t < m->count; t++)
			if (stuck[t].wait && !is_stuck(&s, &stuck[t].wait->wait, &stuck[t].next)) {
				stuck[t] = (struct norn_stuck_thread){.next = NORN_NO_THREAD};
				changed = true;
			}
	}
	for (uint32_t t = 0; t < m->count; t++)
		left += stuck[t].wait != NULL;
	return left;
}
