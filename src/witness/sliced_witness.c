#include "witness/sliced_witness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "witness/replay_state.h"
#include "trace/record.h"
#include "trace/site.h"

struct norn_sliced_checker {
	const struct norn_graph *graph;
	uint32_t base;
	struct norn_replay_state beginning, window;
	const struct norn_sliced_claim *claim; /* that is being checked */
	uint32_t call; /* the latest call in its list so far that is not taken for harmless, 0: none */
};

static const struct norn_graph_event *event_of(const struct norn_sliced_checker *c, uint32_t number)
{
	return norn_graph_event(c->graph, number);
}

static bool happened(const struct norn_replay_state *s, uint32_t number)
{
	return norn_replay_state_happened(s, number);
}

/* ---- what an event needs ---- */

#define NO(...) return norn_error_set(err, -EINVAL, __VA_ARGS__)

static int check_life(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	if (!e->life)
		return 0;
	if (!happened(s, e->life))
		NO("event %u needs memory or an object that event %u makes", number, e->life);
	uint32_t freed = norn_replay_state_freed(s, e->life);
	if (freed > number)
		NO("event %u uses memory that event %u has freed", number, freed);
	return 0;
}

static bool compares(const struct norn_sliced_checker *c, const struct norn_graph_event *e)
{
	struct norn_graph_site site;
	norn_graph_site(c->graph, e->site, &site);
	return site.kind == NORN_SITE_CMPXCHG;
}

static int check_access(const struct norn_sliced_checker *c, struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	int r = check_life(c, s, number, err);
	if (r < 0)
		return r;
	if (e->kind != NORN_EVENT_WRITE && !norn_replay_state_right(s, number)) {
		bool masked = e->flags & NORN_GRAPH_MASKED;
		if ((e->flags & NORN_GRAPH_DECIDES && !masked) || compares(c, e))
			NO("event %u decides what its thread does, but would not read what it read", number);
		norn_replay_state_doubt(s, number);
		if (masked)
			norn_replay_state_unsettle(s, number);
	} else if (e->kind != NORN_EVENT_READ && !norn_replay_state_known(s, number)) {
		norn_replay_state_doubt_value(s, number);
	}
	return 0;
}

static bool is_assumed(const struct norn_sliced_checker *c, uint32_t call)
{
	for (uint32_t i = 0; i < c->claim->assumed_count; i++)
		if (c->claim->assumed[i] == call)
			return true;
	return false;
}

/* Has hidden state the same history as it had? Exactly those calls, and that input and output, have happened that had when the
 * event was recorded; call and io are the last of each before it. */
static bool world_as_then(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, uint32_t call, uint32_t io)
{
	bool wrote = event_of(c, number)->kind == NORN_EVENT_EXTERNAL; /* a call did, be it taken for harmless otherwise */
	if ((wrote ? s->call : c->call) > number || s->io > number)
		return false;
	for (; call > c->base; call = event_of(c, call)->other)
		if (!(event_of(c, call)->flags & NORN_GRAPH_CALLED) && (wrote || !is_assumed(c, call)) && !happened(s, call))
			return false;
	for (; io > c->base; io = event_of(c, io)->link)
		if (!happened(s, io))
			return false;
	return true;
}

/* A receive does not depend on what went through other channels (X4). */
static int check_receive(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	const struct norn_replay_state_object *channel = norn_replay_state_object(s, e->size);
	bool sent = !channel || (channel->largest < number && !channel->disordered);
	for (uint32_t io = e->other; io > c->base && sent; io = event_of(c, io)->other) {
		const struct norn_graph_event *send = event_of(c, io);
		bool loose = send->op == NORN_SYNC_SEND && send->value == NORN_SEND_LOOSE;
		sent = happened(s, io) && (!loose || e->value == NORN_RECEIVE_LOOKED);
	}
	if (!sent)
		NO("event %u receives, but not all that was sent before then, and nothing else", number);
	for (uint32_t call = e->life; call > c->base; call = event_of(c, call)->other)
		if (!(event_of(c, call)->flags & NORN_GRAPH_CALLED) && !is_assumed(c, call) && !happened(s, call))
			NO("event %u receives, but code without hooks has not done what it did before then", number);
	return c->call > number ? norn_error_set(err, -EINVAL, "event %u receives after a call that came later", number) : 0;
}

/* A call that has read a resource: it was changed by all that had changed it, in their order, and by nobody else. While another
 * call was changing it, that may have looked at anything. */
static int check_look(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	bool amid = false;
	for (uint32_t t = 0; t < s->threads && !amid; t++)
		amid = t != e->thread && norn_replay_state_holds(s, t, e->size);
	if (amid && !world_as_then(c, s, number, e->life, e->link))
		NO("event %u looks at a resource while it is changed by a call that may see other things", number);
	return check_receive(c, s, number, err);
}

static int check_external(const struct norn_sliced_checker *c, struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	struct norn_graph_site site;
	norn_graph_site(c->graph, e->site, &site);
	/* errno is written by what the thread itself has called. */
	if (!site.own && !world_as_then(c, s, number, e->other, e->life))
		NO("event %u: code without hooks wrote, and it did other things before then", number);
	if (!norn_replay_state_kept(s, number))
		norn_replay_state_doubt(s, number);
	return 0;
}

static bool available(const struct norn_replay_state *s, const struct norn_graph_event *e)
{
	const struct norn_replay_state_object *object = norn_replay_state_object(s, e->size);
	return !object || (!object->owner && (e->op == NORN_SYNC_ACQUIRE_SHARED || !object->shared));
}

/* The acquire at the end of a wait comes after what ended it; how that was is said by the event after it. Where it is known who
 * sleeps, its thread was woken since, unless its time was up. */
static bool woken(const struct norn_sliced_checker *c, const struct norn_replay_state *s, const struct norn_graph_event *e)
{
	if (!s->asleep[e->thread])
		return true;
	const struct norn_graph_event *end = event_of(c, e->next);
	if (!e->next || end->kind != NORN_EVENT_SYNC || end->size != s->asleep[e->thread])
		return false;
	if (end->flags & NORN_GRAPH_COUNTED)
		return end->op != NORN_SYNC_WAIT_END || s->slept[e->thread] == 0;
	return end->op != NORN_SYNC_WAIT_END || !end->other || happened(s, end->other);
}

static int check_acquire(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	if (norn_replay_state_holds(s, e->thread, e->size))
		NO("event %u takes a lock that its thread holds", number);
	if (!available(s, e))
		NO("event %u takes a lock that another thread holds", number);
	const struct norn_replay_state_object *object = norn_replay_state_object(s, e->size);
	if (object && object->destroyed)
		NO("event %u takes a lock that was destroyed", number);
	if (!woken(c, s, e))
		NO("event %u comes after a notify that has not happened", number);
	return check_life(c, s, number, err);
}

static int check_release(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	uint32_t acquire = norn_replay_state_holds(s, e->thread, e->size);
	if (!acquire || acquire != e->link)
		NO("event %u gives up a lock that its thread does not hold", number);
	return 0;
}

/* A failed try fails by any holder, one to read only by a writer. Without a site that says which it was, a writer at
 * that time does not tell. */
static int check_try(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number), *then = event_of(c, e->link);
	const struct norn_replay_state_object *object = norn_replay_state_object(s, e->size);
	if (norn_replay_state_holds(s, e->thread, e->size))
		return 0; /* its own thread is in its way, as then: that comes with what the thread did before */
	struct norn_graph_site site;
	norn_graph_site(c->graph, e->site, &site);
	bool rwlock = e->value == NORN_LOCK_RWLOCK, writes = site.name && strstr(site.name, "wrlock");
	bool reads = rwlock && !writes && (then->op == NORN_SYNC_ACQUIRE || (site.name && strstr(site.name, "rdlock")));
	if (!object || object->destroyed || !(object->owner || (object->shared && !reads)))
		NO("event %u fails to take a lock that no other thread holds", number);
	return check_life(c, s, number, err);
}

/* A lock is destroyed while it is free (S14). */
static int check_destroy(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	const struct norn_replay_state_object *object = norn_replay_state_object(s, e->size);
	if (object && (object->owner || object->shared || object->destroyed))
		NO("event %u destroys a lock that is held, or that is destroyed", number);
	return check_life(c, s, number, err);
}

static int check_make(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	const struct norn_replay_state_object *object = norn_replay_state_object(s, e->size);
	if (object && object->largest > number)
		NO("event %u makes or ends an object that was used later", number);
	for (uint32_t earlier = e->other; earlier > c->base; earlier = event_of(c, earlier)->other)
		if (!happened(s, earlier))
			NO("event %u makes or ends an object whose use %u has not happened", number, earlier);
	return 0;
}

/* A notify finds who was asleep then: nobody has begun to wait, without having given up the lock, that had; and nobody has given it
 * up that had not. */
static bool falling_asleep(const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number)
{
	const struct norn_graph_event *e = event_of(c, number);
	if (e->op != NORN_SYNC_SIGNAL && e->op != NORN_SYNC_BROADCAST)
		return false;
	for (uint32_t t = 0; t < s->threads; t++)
		if ((s->waiting[t] == e->size && s->next[t] && s->next[t] < number) ||
		        (s->asleep[t] == e->size && s->last[t] > number))
			return true;
	return false;
}

/* An object of unknown state: whatever was done with it before was done, and nothing else. As long as that was known its
 * events may have come in any order, so that the last one alone does not tell. */
static int check_ordered_set(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	const struct norn_replay_state_object *object = norn_replay_state_object(s, e->size);
	if (object && object->largest > number)
		NO("event %u uses an object that was used later", number);
	for (uint32_t earlier = e->other; earlier > c->base; earlier = event_of(c, earlier)->other)
		if (!happened(s, earlier))
			NO("event %u uses an object whose use %u has not happened", number, earlier);
	if (falling_asleep(c, s, number))
		NO("event %u notifies a thread that is not asleep yet, or was not", number);
	return check_life(c, s, number, err);
}

/* A post needs nothing, a wait a positive value (S10); where the value is unknown, both need what was there
 * then. */
static int check_semaphore(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	const struct norn_replay_state_object *object = norn_replay_state_object(s, e->size);
	if (!(e->flags & NORN_GRAPH_COUNTED))
		return check_ordered_set(c, s, number, err);
	if (e->op == NORN_SYNC_SEM_WAIT && (!object || object->value < 1))
		NO("event %u takes from a semaphore that has nothing", number);
	return check_life(c, s, number, err);
}

/* A failed try finds the value 0 (S11). */
static int check_sem_try(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	const struct norn_replay_state_object *object = norn_replay_state_object(s, e->size);
	if (!(e->flags & NORN_GRAPH_COUNTED))
		return check_ordered_set(c, s, number, err);
	if (object && object->value > 0)
		NO("event %u fails to take from a semaphore that has something", number);
	return check_life(c, s, number, err);
}

/* A barrier: a thread leaves when all that arrived for its round have; the last arrival of a round is so again, others do
 * not. The rounds are those recorded where no more threads use the barrier than make one. */
static int check_barrier(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	if (!(e->flags & NORN_GRAPH_COUNTED))
		return check_ordered_set(c, s, number, err);
	for (uint32_t i = e->link; i > c->base; i = event_of(c, i)->other)
		if (event_of(c, i)->op != NORN_SYNC_BARRIER_LEAVE && !happened(s, i))
			NO("event %u: not all have arrived at the barrier that had", number);
	return check_life(c, s, number, err);
}

/* Once: a pass comes after the routine's end (S12). */
static int check_once(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	if (e->op == NORN_SYNC_ONCE_PASS ? !e->link : e->op == NORN_SYNC_ONCE_BEGIN && e->other)
		return check_ordered_set(c, s, number, err);
	if (e->op == NORN_SYNC_ONCE_PASS && !happened(s, e->link))
		NO("event %u passes a routine that is not over", number);
	return check_life(c, s, number, err);
}

static int check_sync(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	if (e->flags & NORN_GRAPH_ODD)
		NO("event %u cannot be explained", number);
	switch (e->op) {
	case NORN_SYNC_ACQUIRE:
	case NORN_SYNC_ACQUIRE_SHARED:
		return check_acquire(c, s, number, err);
	case NORN_SYNC_RELEASE:
	case NORN_SYNC_RELEASE_SHARED:
		return check_release(c, s, number, err);
	case NORN_SYNC_TRY_FAILED:
		return check_try(c, s, number, err);
	case NORN_SYNC_SEM_POST:
	case NORN_SYNC_SEM_WAIT:
		return check_semaphore(c, s, number, err);
	case NORN_SYNC_SEM_TRY_FAILED:
		return check_sem_try(c, s, number, err);
	case NORN_SYNC_DESTROY:
		if (e->value == NORN_LOCK_MUTEX || e->value == NORN_LOCK_RWLOCK || e->value == NORN_LOCK_SPIN)
			return check_destroy(c, s, number, err);
		/* fall through */
	case NORN_SYNC_CREATE:
	case NORN_SYNC_SEM_INIT:
	case NORN_SYNC_BARRIER_INIT:
		return check_make(c, s, number, err);
	case NORN_SYNC_BARRIER_ARRIVE:
	case NORN_SYNC_BARRIER_LEAVE:
		return check_barrier(c, s, number, err);
	case NORN_SYNC_ONCE_BEGIN:
	case NORN_SYNC_ONCE_END:
	case NORN_SYNC_ONCE_PASS:
		return check_once(c, s, number, err);
	case NORN_SYNC_WAIT_BEGIN:
	case NORN_SYNC_WAIT_END:
	case NORN_SYNC_WAIT_TIMEOUT:
	case NORN_SYNC_SIGNAL:
	case NORN_SYNC_BROADCAST:
		return e->flags & NORN_GRAPH_COUNTED ? check_life(c, s, number, err) : check_ordered_set(c, s, number, err);
	case NORN_SYNC_SEND:
		return 0;
	case NORN_SYNC_RECEIVE:
		return e->value < NORN_RECEIVE_CHANGED ? check_receive(c, s, number, err) : check_look(c, s, number, err);
	default:
		return check_ordered_set(c, s, number, err);
	}
}

static int check_alloc(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	const uint32_t *before;
	uint32_t count = norn_graph_list(c->graph, &e->link, &before);
	for (uint32_t i = 0; i < count; i++)
		if (!happened(s, before[i]))
			NO("event %u gets memory that event %u had or gives back", number, before[i]);
	return 0;
}

/* Does its thread come back from a call that is assumed to have waited for nothing? */
static bool returns_harmless(const struct norn_sliced_checker *c, uint32_t number)
{
	const struct norn_graph_event *e = event_of(c, number);
	for (uint32_t i = number - 1; i && e->kind != NORN_EVENT_EXTERNAL; i--) {
		const struct norn_graph_event *call = event_of(c, i);
		if (call->thread == e->thread && call->kind == NORN_EVENT_THREAD && call->op == NORN_THREAD_CALL &&
		        !(call->flags & (NORN_GRAPH_CALLED | NORN_GRAPH_ORDERED)))
			return is_assumed(c, i);
	}
	return false;
}

static int check_call(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	if (e->flags & NORN_GRAPH_CALLED || e->value == NORN_CALL_SUBMITS)
		return 0;
	if (!(e->flags & NORN_GRAPH_ORDERED))
		return is_assumed(c, number) ? 0 : norn_error_set(err, -EINVAL, "event %u calls code that may do anything", number);
	if (!world_as_then(c, s, number, e->other, e->link))
		NO("event %u calls code whose state was another then", number);
	return 0;
}

/* Who comes back from code that nobody sees may have waited for anything; a job of a known library for those that were handed over
 * by then. */
static int check_back(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	/* A return that may have waited has the flag AFTER. */
	if (e->value == NORN_BACK_ENTERED && !(e->flags & NORN_GRAPH_CALLED))
		NO("event %u comes back from code that may have waited for anything", number);
	for (uint32_t call = e->value == NORN_BACK_JOB ? e->life : 0; call > c->base; call = event_of(c, call)->other)
		if (!happened(s, call))
			NO("event %u runs a job, but event %u has handed over none", number, call);
	return 0;
}

/* A function that code without hooks called, and frames that it discarded (a thread that was cancelled): for all one knows
 * because of what others had done by then. */
static int check_unseen(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number), *last = event_of(c, e->life);
	bool io = e->life && last->kind == NORN_EVENT_SYNC;
	if (e->flags & NORN_GRAPH_UNSEEN && e->life &&
	        !world_as_then(c, s, number, io ? last->life : e->life, io ? e->life : last->link))
		NO("event %u comes from code without hooks, and that did other things before then", number);
	return 0;
}

static int check_thread(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	switch (e->op) {
	case NORN_THREAD_BEGIN:
		if (e->link ? !happened(s, e->link) : e->thread && !norn_replay_state_all_before(s, number))
			NO("event %u begins a thread that was not forked", number);
		return 0;
	case NORN_THREAD_JOIN:
		if (!e->link || !happened(s, e->link))
			NO("event %u joins a thread that has not ended", number);
		return 0;
	case NORN_THREAD_STACK:
		return check_alloc(c, s, number, err);
	case NORN_THREAD_CALL:
		return check_call(c, s, number, err);
	case NORN_THREAD_BACK:
		return check_back(c, s, number, err);
	case NORN_THREAD_END:
		return check_unseen(c, s, number, err);
	case NORN_THREAD_EXIT:
	case NORN_THREAD_SIGNAL:
		NO("event %u ends the process or comes from a signal", number);
	default:
		return 0;
	}
}

static int check_certain(const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	if (!norn_replay_state_certain(s, number))
		NO("event %u may not happen", number);
	return 0;
}

static int check_event(const struct norn_sliced_checker *c, struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	if (number == 0 || number > norn_graph_count(c->graph))
		NO("event %u does not exist", number);
	const struct norn_graph_event *e = event_of(c, number);
	if (s->next[e->thread] != number)
		NO("event %u is not the next one of its thread, which is %u", number, s->next[e->thread]);
	bool begins = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_BEGIN;
	if (number == norn_graph_first(c->graph, e->thread) && e->thread && !begins && !norn_replay_state_all_before(s, number))
		NO("event %u comes from a thread whose beginning is unknown", number);
	if (e->flags & NORN_GRAPH_AFTER && !returns_harmless(c, number))
		NO("event %u comes after code that may have waited for anything", number);
	int r = check_certain(s, number, err);
	if (r < 0)
		return r;
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
		return check_access(c, s, number, err);
	case NORN_EVENT_EXTERNAL:
		return check_external(c, s, number, err);
	case NORN_EVENT_SYNC:
		return check_sync(c, s, number, err);
	case NORN_EVENT_THREAD:
		return check_thread(c, s, number, err);
	case NORN_EVENT_ALLOC:
		return check_alloc(c, s, number, err);
	case NORN_EVENT_FREE:
		return check_life(c, s, number, err);
	case NORN_EVENT_ENTER:
	case NORN_EVENT_LEAVE:
		return check_unseen(c, s, number, err);
	case NORN_EVENT_LOST:
		NO("event %u is lost", number);
	default:
		return 0;
	}
}

/* ---- the error ---- */

static bool is_access(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
}

/* Would it write now? A compare-and-swap does so only if it reads what it read. */
static bool would_write(const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number)
{
	const struct norn_graph_event *e = event_of(c, number);
	return e->kind == NORN_EVENT_WRITE ||
	       (e->kind == NORN_EVENT_RMW && (!compares(c, e) || norn_replay_state_right(s, number)));
}

static bool would_read(const struct norn_graph_event *e)
{
	return e->kind != NORN_EVENT_WRITE;
}

static bool overlap(const struct norn_graph_event *a, const struct norn_graph_event *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

static int check_stops(const struct norn_sliced_checker *c, struct norn_replay_state *s, const struct norn_sliced_claim *claim,
        struct norn_error *err)
{
	for (uint32_t i = 0; i < claim->stop_count; i++) {
		uint32_t stop = claim->stops[i];
		if (stop == 0 || stop > norn_graph_count(c->graph))
			NO("event %u does not exist", stop);
		const struct norn_graph_event *e = event_of(c, stop);
		if (s->next[e->thread] != stop)
			NO("event %u is not where its thread stands, which is before %u", stop, s->next[e->thread]);
		int r = check_certain(s, stop, err);
		if (r < 0)
			return r;
		for (uint32_t j = 0; j < i; j++)
			if (event_of(c, claim->stops[j])->thread == e->thread)
				NO("events %u and %u are of one thread", claim->stops[j], stop);
		if (stop == norn_graph_first(c->graph, e->thread) && e->thread && !norn_replay_state_all_before(s, stop))
			NO("event %u comes from a thread whose beginning is unknown", stop);
		if (e->flags & NORN_GRAPH_AFTER && !norn_replay_state_all_before(s, stop) && !returns_harmless(c, stop))
			NO("event %u comes after code that may have waited for anything", stop);
	}
	return 0;
}

static int check_race(const struct norn_sliced_checker *c, const struct norn_replay_state *s, const struct norn_sliced_claim *claim,
        struct norn_error *err)
{
	const struct norn_graph_event *a = event_of(c, claim->stops[0]), *b = event_of(c, claim->stops[1]);
	if (!is_access(a) || !is_access(b) || !overlap(a, b))
		NO("events %u and %u do not access the same memory", claim->stops[0], claim->stops[1]);
	if (!would_write(c, s, claim->stops[0]) && !would_write(c, s, claim->stops[1]))
		NO("neither %u nor %u writes", claim->stops[0], claim->stops[1]);
	if (a->flags & b->flags & NORN_GRAPH_ATOMIC)
		NO("events %u and %u are both atomic", claim->stops[0], claim->stops[1]);
	if (a->life != b->life)
		NO("events %u and %u access different lives of the memory", claim->stops[0], claim->stops[1]);
	int r = check_life(c, s, claim->stops[0], err);
	return r < 0 ? r : check_life(c, s, claim->stops[1], err);
}

/* A try never waits, and a timed acquire not for ever, but the end of a timed wait for a condition does. */
static bool waits(const struct norn_sliced_checker *c, const struct norn_graph_event *e)
{
	struct norn_graph_site site;
	norn_graph_site(c->graph, e->site, &site);
	bool acquire = e->kind == NORN_EVENT_SYNC && (e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED);
	bool join = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_JOIN;
	if (!(acquire || join) || !site.waits)
		return false;
	return e->flags & NORN_GRAPH_WAKES || !site.name || (!strstr(site.name, "try") && !strstr(site.name, "timed"));
}

/* Does this event wait for that thread, which stands before an event of its own? */
static bool waits_for(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, const struct norn_graph_event *e, uint32_t thread)
{
	if (e->kind == NORN_EVENT_THREAD)
		return e->link && e->value == thread;
	uint32_t held = norn_replay_state_holds(s, thread, e->size);
	return held && (e->op == NORN_SYNC_ACQUIRE || event_of(c, held)->op == NORN_SYNC_ACQUIRE);
}

static int check_deadlock(const struct norn_sliced_checker *c, const struct norn_replay_state *s,
        const struct norn_sliced_claim *claim, struct norn_error *err)
{
	for (uint32_t i = 0; i < claim->stop_count; i++) {
		const struct norn_graph_event *e = event_of(c, claim->stops[i]);
		const struct norn_graph_event *holder = event_of(c, claim->stops[(i + 1) % claim->stop_count]);
		if (!waits(c, e))
			NO("event %u does not wait for a lock or a thread", claim->stops[i]);
		if (!waits_for(c, s, e, holder->thread))
			NO("event %u does not wait for the thread of the next one", claim->stops[i]);
		if (e->kind == NORN_EVENT_THREAD)
			continue;
		if (!woken(c, s, e))
			NO("event %u waits for a notify", claim->stops[i]);
		int r = check_life(c, s, claim->stops[i], err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Has the memory that this event frees been allocated again? */
static bool allocated_since(const struct norn_sliced_checker *c, const struct norn_sliced_claim *claim, uint32_t free_event)
{
	const struct norn_graph_event *f = event_of(c, free_event);
	uint32_t i = free_event <= claim->base ? free_event : claim->base, at = 0;
	if (free_event > claim->base)
		while (at < claim->count && claim->events[at] != free_event)
			at++;
	for (i++; i <= claim->base; i++)
		if (event_of(c, i)->kind == NORN_EVENT_ALLOC && overlap(event_of(c, i), f))
			return true;
	for (; at < claim->count; at++)
		if (event_of(c, claim->events[at])->kind == NORN_EVENT_ALLOC && overlap(event_of(c, claim->events[at]), f))
			return true;
	return false;
}

/* The free has happened, the use comes next. */
static int check_freed(const struct norn_sliced_checker *c, const struct norn_replay_state *s,
        const struct norn_sliced_claim *claim, struct norn_error *err)
{
	if (!claim->first || claim->first > norn_graph_count(c->graph) || !happened(s, claim->first))
		NO("event %u has not happened", claim->first);
	uint32_t life = event_of(c, claim->stops[0])->life;
	/* What was used after the free when recorded has the free for its life. */
	if (life != claim->first && norn_replay_state_freed(s, life) != claim->first)
		NO("event %u does not use what %u frees", claim->stops[0], claim->first);
	if (allocated_since(c, claim, claim->first))
		NO("the memory that %u frees has been allocated again", claim->first);
	return 0;
}

static int check_free(const struct norn_sliced_checker *c, const struct norn_replay_state *s, const struct norn_sliced_claim *claim,
        struct norn_error *err)
{
	bool before = claim->stop_count == 1, twice = claim->kind == NORN_SLICED_DOUBLE_FREE;
	uint32_t free_event = before ? claim->first : claim->stops[0], use_event = claim->stops[claim->stop_count - 1];
	const struct norn_graph_event *f = event_of(c, free_event), *use = event_of(c, use_event);
	if (f->kind != NORN_EVENT_FREE || (twice ? use->kind != NORN_EVENT_FREE : !is_access(use)))
		NO("events %u and %u are no free and use", free_event, use_event);
	if (!f->life || !overlap(f, use))
		NO("event %u does not use what %u frees", use_event, free_event);
	if (before)
		return check_freed(c, s, claim, err);
	if (f->life != use->life)
		NO("event %u does not use what %u frees", use_event, free_event);
	int r = check_life(c, s, free_event, err);
	return r < 0 ? r : check_life(c, s, use_event, err);
}

/* Does the block that begins with event begin last until event last of the same thread? */
static bool lasts(const struct norn_sliced_checker *c, uint32_t begin, uint32_t thread, uint32_t last)
{
	const struct norn_graph_event *b = event_of(c, begin);
	if (begin == 0)
		return true;
	unsigned depth = 1;
	bool mark = b->kind == NORN_EVENT_MARK && b->op == NORN_MARK_ATOMIC_BEGIN;
	if ((!mark && b->kind != NORN_EVENT_ENTER) || b->thread != thread || begin >= last)
		return false;
	for (uint32_t i = b->next; i && i < last && depth; i = event_of(c, i)->next) {
		const struct norn_graph_event *e = event_of(c, i);
		if (mark && e->kind == NORN_EVENT_MARK)
			depth += (e->op == NORN_MARK_ATOMIC_BEGIN) - (e->op == NORN_MARK_ATOMIC_END);
		else if (!mark)
			depth += (e->kind == NORN_EVENT_ENTER) - (e->kind == NORN_EVENT_LEAVE);
	}
	return depth;
}

/* Is there a byte that all three access, and the first one's thread not in between? Of long ranges only the beginning is looked
 * at. */
static bool untouched_between(const struct norn_sliced_checker *c, uint32_t first, uint32_t foreign, uint32_t last)
{
	uint8_t touched[NORN_RANGE_BYTES] = {0};
	uint64_t low = 0, high = UINT64_MAX;
	const uint32_t three[] = {first, foreign, last};
	for (unsigned i = 0; i < 3; i++) {
		const struct norn_graph_event *e = event_of(c, three[i]);
		low = e->addr > low ? e->addr : low;
		high = e->addr + e->size < high ? e->addr + e->size : high;
	}
	if (high - low > NORN_RANGE_BYTES)
		high = low + NORN_RANGE_BYTES;
	for (uint32_t i = event_of(c, first)->next; i && i < last; i = event_of(c, i)->next) {
		const struct norn_graph_event *e = event_of(c, i);
		uint64_t from = e->addr > low ? e->addr : low, to = e->addr + e->size < high ? e->addr + e->size : high;
		if (is_access(e) && from < to)
			memset(touched + (from - low), 1, to - from);
	}
	return memchr(touched, 0, high - low);
}

/* Both have happened: a before b? */
static bool in_order(const struct norn_sliced_claim *claim, uint32_t a, uint32_t b)
{
	if (a <= claim->base || b <= claim->base)
		return a <= claim->base && (b > claim->base || a < b);
	for (uint32_t i = 0; i < claim->count; i++)
		if (claim->events[i] == a || claim->events[i] == b)
			return claim->events[i] == a;
	return false;
}

static int check_atomicity(const struct norn_sliced_checker *c, const struct norn_replay_state *s,
        const struct norn_sliced_claim *claim, struct norn_error *err)
{
	bool before = claim->stop_count == 1; /* the foreign access has happened */
	uint32_t second = before ? claim->second : claim->stops[0], third = claim->stops[claim->stop_count - 1];
	uint32_t count = norn_graph_count(c->graph);
	if (!claim->first || claim->first > count || claim->block >= claim->first || !second || second > count)
		NO("the block has no first access");
	const struct norn_graph_event *a = event_of(c, claim->first), *b = event_of(c, second), *d = event_of(c, third);
	if (s->loose)
		NO("what happens between %u and %u is not certain", claim->first, third);
	if (a->thread != d->thread || b->thread == a->thread || claim->first >= third || !lasts(c, claim->block, a->thread, third))
		NO("events %u and %u are not in one block", claim->first, third);
	if (!happened(s, claim->first) || (before && (!happened(s, second) || !in_order(claim, claim->first, second))))
		NO("event %u has not happened", claim->first);
	if (!is_access(a) || !is_access(b) || !is_access(d) || !overlap(a, b) || !overlap(b, d) || !overlap(a, d))
		NO("events %u, %u and %u do not access the same memory", claim->first, second, third);
	if (!untouched_between(c, claim->first, second, third))
		NO("the block accesses the memory between %u and %u", claim->first, third);
	bool writes1 = a->kind != NORN_EVENT_READ, reads1 = would_read(a);
	bool writes2 = before ? b->kind != NORN_EVENT_READ : would_write(c, s, second), reads2 = would_read(b);
	bool writes3 = would_write(c, s, third), reads3 = would_read(d);
	if (!(writes2 && (reads3 || (reads1 && writes3))) && !(reads2 && writes1 && writes3))
		NO("events %u, %u and %u have the same effect in another order", claim->first, second, third);
	int r = before ? 0 : check_life(c, s, second, err);
	return r < 0 ? r : check_life(c, s, third, err);
}

static int check_error(const struct norn_sliced_checker *c, const struct norn_replay_state *s,
        const struct norn_sliced_claim *claim, struct norn_error *err)
{
	bool one = claim->kind == NORN_SLICED_USE_AFTER_FREE || claim->kind == NORN_SLICED_DOUBLE_FREE ||
	           claim->kind == NORN_SLICED_ATOMICITY;
	if (claim->stop_count < (one ? 1 : 2) || (claim->stop_count > 2 && claim->kind != NORN_SLICED_DEADLOCK))
		NO("%u threads make no such error", claim->stop_count);
	switch (claim->kind) {
	case NORN_SLICED_RACE:
		return check_race(c, s, claim, err);
	case NORN_SLICED_DEADLOCK:
		return check_deadlock(c, s, claim, err);
	case NORN_SLICED_USE_AFTER_FREE:
	case NORN_SLICED_DOUBLE_FREE:
		return check_free(c, s, claim, err);
	case NORN_SLICED_ATOMICITY:
		return check_atomicity(c, s, claim, err);
	default:
		NO("no error of this kind is known");
	}
}

/* ---- the checker ---- */

struct norn_sliced_checker *norn_sliced_checker_new(const struct norn_graph *graph)
{
	struct norn_sliced_checker *c = norn_must_calloc(1, sizeof(*c));
	c->graph = graph;
	norn_replay_state_init(&c->beginning, graph, NULL);
	return c;
}

void norn_sliced_checker_free(struct norn_sliced_checker *checker)
{
	if (!checker)
		return;
	norn_replay_state_done(&checker->beginning);
	free(checker);
}

static void go_to(struct norn_sliced_checker *c, uint32_t base)
{
	if (base < c->base) {
		norn_replay_state_done(&c->beginning);
		c->base = 0;
		norn_replay_state_init(&c->beginning, c->graph, NULL);
	}
	while (c->base < base)
		norn_replay_state_step(&c->beginning, ++c->base);
}

/* The next listed event of each thread, in the beginning and after each listed event: what lies before it is not listed. */
struct listed {
	uint32_t *first; /* by thread; 0: nothing */
	uint32_t *after; /* by place in the list; the same */
};

static struct listed find_listed(const struct norn_sliced_checker *c, const struct norn_sliced_claim *claim, bool stops)
{
	uint32_t threads = norn_graph_threads(c->graph), events = norn_graph_count(c->graph);
	struct listed listed = {norn_must_calloc(threads + UINT64_C(1), sizeof(uint32_t)),
	        norn_must_calloc(claim->count + UINT64_C(1), sizeof(uint32_t))};
	for (uint32_t i = 0; stops && i < claim->stop_count; i++)
		if (claim->stops[i] <= events)
			listed.first[event_of(c, claim->stops[i])->thread] = claim->stops[i];
	for (uint32_t i = claim->count; i > 0; i--) {
		uint32_t event = claim->events[i - 1], *first = listed.first + (event <= events ? event_of(c, event)->thread : 0);
		if (event > events)
			continue;
		listed.after[i - 1] = *first;
		*first = event;
	}
	return listed;
}

/* From now on a thread may come to this event, past accesses that reads control. */
static void pass_to(const struct norn_sliced_checker *c, struct norn_replay_state *s, uint32_t event)
{
	uint32_t *next = &s->next[event_of(c, event)->thread];
	while (*next && *next < event) {
		const struct norn_graph_event *e = event_of(c, *next);
		bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE;
		bool decides = (e->flags & (NORN_GRAPH_DECIDES | NORN_GRAPH_MASKED)) == NORN_GRAPH_DECIDES;
		if (!access || decides || !norn_graph_control(c->graph, *next))
			return;
		norn_replay_state_pass(s, *next);
	}
}

static void note_call(struct norn_sliced_checker *c, uint32_t number)
{
	const struct norn_graph_event *e = event_of(c, number);
	bool call = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_CALL && !(e->flags & NORN_GRAPH_CALLED);
	if (call && number > c->call && !is_assumed(c, number))
		c->call = number;
}

static int go_on(struct norn_sliced_checker *c, const struct norn_sliced_claim *claim, bool error, struct norn_error *err)
{
	struct listed listed = find_listed(c, claim, error);
	norn_replay_state_init(&c->window, c->graph, &c->beginning);
	c->window.base = claim->base;
	for (uint32_t t = 0; t < norn_graph_threads(c->graph); t++)
		if (listed.first[t])
			pass_to(c, &c->window, listed.first[t]);
	int r = 0;
	for (uint32_t i = 0; i < claim->count && r == 0; i++) {
		r = check_event(c, &c->window, claim->events[i], err);
		if (r < 0)
			break;
		norn_replay_state_step(&c->window, claim->events[i]);
		note_call(c, claim->events[i]);
		if (listed.after[i])
			pass_to(c, &c->window, listed.after[i]);
	}
	free(listed.first);
	free(listed.after);
	return r;
}

static int check_values(const struct norn_replay_state *s, const struct norn_sliced_claim *claim, struct norn_error *err)
{
	for (uint32_t i = 0; i < claim->stop_count; i++)
		if (!happened(s, claim->stops[i]) || !norn_replay_state_carries(s, claim->stops[i]))
			NO("event %u does not happen, or not with the value that it had", claim->stops[i]);
	return 0;
}

static int check(struct norn_sliced_checker *c, const struct norn_sliced_claim *claim, bool error, struct norn_error *err)
{
	if (claim->base > norn_graph_count(c->graph))
		NO("the run has no %u events", claim->base);
	go_to(c, claim->base);
	c->claim = claim;
	c->call = 0;
	int r = go_on(c, claim, error, err);
	if (r == 0 && !error)
		r = check_values(&c->window, claim, err);
	if (r == 0 && error)
		r = check_stops(c, &c->window, claim, err);
	if (r == 0 && error)
		r = check_error(c, &c->window, claim, err);
	norn_replay_state_done(&c->window);
	return r;
}

int norn_sliced_check_sequence(struct norn_sliced_checker *checker, const struct norn_sliced_claim *claim, struct norn_error *err)
{
	return check(checker, claim, false, err);
}

int norn_sliced_check(struct norn_sliced_checker *checker, const struct norn_sliced_claim *claim, struct norn_error *err)
{
	return check(checker, claim, true, err);
}
