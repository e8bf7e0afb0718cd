/* The events of a claimed run: what each needs to happen next (docs/prediction.md, what the checker checks). */
#include "witness/sliced_witness_state.h"

#include <errno.h>
#include <string.h>

#include "trace/record.h"
#include "trace/site.h"

/* The life of an object of synchronization begins and ends within that of its memory. */
uint32_t norn_sliced_memory(const struct norn_sliced_checker *c, uint32_t number)
{
	uint32_t life = event_of(c, number)->life;
	while (event_of(c, life)->kind == NORN_EVENT_SYNC)
		life = event_of(c, life)->life;
	return life;
}

/* A thread that is woken by a condition, or leaves a barrier, need not find it still there: it may be destroyed, which waits for
 * them. */
bool norn_sliced_uses_object(const struct norn_graph_event *e)
{
	switch (e->kind == NORN_EVENT_SYNC && !(e->flags & NORN_GRAPH_WAKES) ? e->op : 0) {
	case NORN_SYNC_ACQUIRE:
	case NORN_SYNC_RELEASE:
	case NORN_SYNC_ACQUIRE_SHARED:
	case NORN_SYNC_RELEASE_SHARED:
	case NORN_SYNC_TRY_FAILED:
	case NORN_SYNC_WAIT_BEGIN:
	case NORN_SYNC_SIGNAL:
	case NORN_SYNC_BROADCAST:
	case NORN_SYNC_SEM_INIT:
	case NORN_SYNC_SEM_POST:
	case NORN_SYNC_SEM_WAIT:
	case NORN_SYNC_SEM_TRY_FAILED:
	case NORN_SYNC_BARRIER_INIT:
	case NORN_SYNC_BARRIER_ARRIVE:
	case NORN_SYNC_ONCE_BEGIN:
	case NORN_SYNC_ONCE_PASS:
	case NORN_SYNC_CREATE:
	case NORN_SYNC_DESTROY:
		return true;
	default:
		return false;
	}
}

uint64_t norn_sliced_local_end(const struct norn_sliced_checker *c, const struct norn_graph_event *e)
{
	struct norn_graph_site site;
	norn_graph_site(c->graph, e->site, &site);
	bool object = norn_sliced_uses_object(e);
	uint32_t kind, count, bytes = 0, room = 0, skipped;
	bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
	if (!(object || access) || e->flags & NORN_GRAPH_PIECE || !site.facts.p)
		return 0;
	while (norn_facts_next(&site.facts, &kind, &count)) {
		if (kind == NORN_FACT_FRAME && count == 2)
			return norn_facts_number(&site.facts, &bytes) && norn_facts_number(&site.facts, &room) &&
			                       bytes == (object ? 0 : e->size)
			               ? e->addr + room
			               : 0;
		while (count && norn_facts_number(&site.facts, &skipped))
			count--;
	}
	return 0;
}

/* The block may lie elsewhere than it did: the event must use it by a pointer to it, not by one to what lay there before. */
static int check_apart(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	bool uses = e->kind != NORN_EVENT_SYNC || norn_sliced_uses_object(e);
	if (uses && !norn_graph_is_own(c->graph, number) && norn_replay_state_apart(s, norn_sliced_memory(c, number)))
		NO("event %u uses memory by a pointer that may be older, and that memory may lie elsewhere", number);
	return 0;
}

static int check_not_freed(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	uint32_t freed = norn_replay_state_freed(s, norn_sliced_memory(c, number));
	if (freed > number && (e->kind != NORN_EVENT_SYNC || norn_sliced_uses_object(e)))
		NO("event %u uses memory that event %u has freed", number, freed);
	return check_apart(c, s, number, err);
}

/* Does the event use a stack that may lie elsewhere, by an address that its thread's own frame does not give? */
static int check_stack(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	uint32_t memory = norn_sliced_memory(c, number);
	const struct norn_graph_event *stack = event_of(c, memory);
	if (stack->kind != NORN_EVENT_THREAD || stack->op != NORN_THREAD_STACK)
		return 0;
	uint32_t taken = norn_replay_state_taken(s, memory);
	if (taken > number)
		NO("event %u uses a stack whose address that of event %u has, too", number, taken);
	const uint32_t *before;
	uint32_t count = norn_graph_list(c->graph, &stack->link, &before);
	bool own = stack->thread == e->thread && norn_sliced_local_end(c, e);
	for (uint32_t i = 0; i < count && !own; i++)
		if (!happened(s, before[i]))
			NO("event %u uses a stack that may lie elsewhere than that of event %u, which is not there", number,
			        before[i]);
	return 0;
}

int norn_sliced_check_life(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	if (!e->life)
		return 0;
	if (!happened(s, e->life))
		NO("event %u needs memory or an object that event %u makes", number, e->life);
	int r = check_stack(c, s, number, err);
	return r < 0 ? r : check_not_freed(c, s, number, err);
}

bool norn_sliced_compares(const struct norn_sliced_checker *c, const struct norn_graph_event *e)
{
	struct norn_graph_site site;
	norn_graph_site(c->graph, e->site, &site);
	return site.kind == NORN_SITE_CMPXCHG;
}

/* A read that does not read what it read: one that decides must decide the same by its tests; of another one the value may be known
 * all the same. */
static int check_other_value(
        const struct norn_sliced_checker *c, struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	bool masked = e->flags & NORN_GRAPH_MASKED;
	uint64_t value;
	bool known = norn_replay_state_value(s, number, &value);
	bool loosely = norn_replay_state_loosely_same(s, number, c->claim->kind == NORN_SLICED_ASSERTION ? c->claim->first : 0);
	bool pointer = c->claim->kind == NORN_SLICED_NULL && c->claim->first == number && norn_replay_state_pointer_same(s, number);
	if (known && (loosely || pointer || norn_replay_state_decides_same(s, number))) {
		norn_replay_state_change(s, number, value);
		return 0;
	}
	bool late = c->ends || (c->last && norn_graph_decision(c->graph, number) > c->last[e->thread]);
	if ((e->flags & NORN_GRAPH_DECIDES && !masked && !late) || norn_sliced_compares(c, e))
		NO("event %u decides what its thread does, but would not read what it read", number);
	if (known)
		norn_replay_state_change(s, number, value);
	else
		norn_replay_state_doubt(s, number);
	if (masked)
		norn_replay_state_undecide(s, number);
	if (masked && !(known && norn_replay_state_skips(s, number)))
		norn_replay_state_unsettle(s, number);
	return 0;
}

static int check_access(const struct norn_sliced_checker *c, struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	int r = norn_sliced_check_life(c, s, number, err);
	if (r < 0)
		return r;
	bool right = e->kind == NORN_EVENT_WRITE || norn_replay_state_right(s, number);
	if (!right) {
		r = check_other_value(c, s, number, err);
		if (r < 0)
			return r;
	}
	if (e->kind != NORN_EVENT_READ && (!right || !norn_replay_state_known(s, number))) {
		uint64_t made;
		if (norn_replay_state_made(s, number, &made))
			norn_replay_state_make(s, number, made);
		else
			norn_replay_state_doubt_value(s, number);
	}
	return 0;
}

bool norn_sliced_is_assumed(const struct norn_sliced_checker *c, uint32_t call)
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
		if (!(event_of(c, call)->flags & NORN_GRAPH_CALLED) && (wrote || !norn_sliced_is_assumed(c, call)) &&
		        !happened(s, call))
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
		if (!(event_of(c, call)->flags & NORN_GRAPH_CALLED) && !norn_sliced_is_assumed(c, call) && !happened(s, call))
			NO("event %u receives, but code without hooks has not done what it did before then", number);
	return c->call > number ? norn_error_set(err, -EINVAL, "event %u receives after a call that came later", number) : 0;
}

/* A call that has read a resource: the same changes have been made to it as then, in their order, and no others. While another
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
	/* errno is written by what the thread itself has called; what the memory began with was written by none. */
	if (!site.own && !norn_replay_state_initial(s, number) && !world_as_then(c, s, number, e->other, e->life))
		NO("event %u: code without hooks wrote, and it did other things before then", number);
	if (norn_replay_state_near_apart(s, e->addr, e->size))
		NO("event %u: code without hooks wrote memory that may lie elsewhere", number);
	if (!norn_replay_state_kept(s, number))
		norn_replay_state_doubt(s, number);
	return 0;
}

static bool available(const struct norn_replay_state *s, const struct norn_graph_event *e)
{
	const struct norn_replay_state_object *object = norn_replay_state_object(s, e->size);
	return !object || (!object->owner && (e->op == NORN_SYNC_ACQUIRE_SHARED || !object->shared));
}

/* The acquire at the end of a wait comes after what ended it; how that was is said by the event after it. Where the sleepers are
 * known, its thread was woken since, unless its time was up. */
static bool is_woken(const struct norn_sliced_checker *c, const struct norn_replay_state *s, const struct norn_graph_event *e)
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
	if (!is_woken(c, s, e))
		NO("event %u comes after a notify that has not happened", number);
	return norn_sliced_check_life(c, s, number, err);
}

static int check_release(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	uint32_t acquire = norn_replay_state_holds(s, e->thread, e->size);
	if (!acquire || acquire != e->link)
		NO("event %u gives up a lock that its thread does not hold", number);
	return check_not_freed(c, s, number, err);
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
	return norn_sliced_check_life(c, s, number, err);
}

/* A lock is destroyed while it is free (S14). */
static int check_destroy(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	const struct norn_replay_state_object *object = norn_replay_state_object(s, e->size);
	if (object && (object->owner || object->shared || object->destroyed))
		NO("event %u destroys a lock that is held, or that is destroyed", number);
	return norn_sliced_check_life(c, s, number, err);
}

/* May it come after the destruction of its object, as an error (S14)? No thread waits at the object for it. */
static bool waits_for_nothing(const struct norn_graph_event *e)
{
	return e->op == NORN_SYNC_SIGNAL || e->op == NORN_SYNC_BROADCAST || e->op == NORN_SYNC_SEM_POST ||
	       e->op == NORN_SYNC_SEM_WAIT || e->op == NORN_SYNC_SEM_TRY_FAILED;
}

/* Nothing is claimed of what comes after the use of an object that is destroyed (S14). */
static int check_alive(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_replay_state_object *object = norn_replay_state_object(s, event_of(c, number)->size);
	if (object && object->destroyed && waits_for_nothing(event_of(c, number)))
		NO("event %u uses an object that was destroyed", number);
	return norn_sliced_check_life(c, s, number, err);
}

static int check_make(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	const struct norn_replay_state_object *object = norn_replay_state_object(s, e->size);
	if (object && object->largest > number)
		NO("event %u makes or ends an object that was used later", number);
	for (uint32_t earlier = e->other; earlier > c->base; earlier = event_of(c, earlier)->other)
		if (!happened(s, earlier) && !(e->op == NORN_SYNC_DESTROY && waits_for_nothing(event_of(c, earlier))))
			NO("event %u makes or ends an object whose use %u has not happened", number, earlier);
	return norn_sliced_check_life(c, s, number, err);
}

/* A notify finds the same sleepers as then: no thread that slept then is still between its wait and its release, and no thread
 * sleeps that did not. */
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
	return norn_sliced_check_life(c, s, number, err);
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
	return check_alive(c, s, number, err);
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
	return check_alive(c, s, number, err);
}

/* Of a deadlock: its thread is said to wait at the barrier for ever. The last arrival is told only to the leaves. */
static bool arrives_for_good(const struct norn_sliced_checker *c, const struct norn_graph_event *e)
{
	bool stop = false;
	for (uint32_t i = 0; i < c->claim->stop_count && c->claim->kind == NORN_SLICED_DEADLOCK; i++)
		stop |= c->claim->stops[i] == e->next;
	return stop && e->next && e->op == NORN_SYNC_BARRIER_ARRIVE;
}

/* A barrier: a thread leaves when all that arrived for its round have; the last arrival of a round is so again, others do
 * not. The rounds are those recorded where no more threads use the barrier than make one. */
static int check_barrier(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	if (!(e->flags & NORN_GRAPH_COUNTED))
		return check_ordered_set(c, s, number, err);
	for (uint32_t i = arrives_for_good(c, e) ? 0 : e->link; i > c->base; i = event_of(c, i)->other)
		if (event_of(c, i)->op != NORN_SYNC_BARRIER_LEAVE && !happened(s, i))
			NO("event %u: not all have arrived at the barrier that had", number);
	return norn_sliced_check_life(c, s, number, err);
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
	return norn_sliced_check_life(c, s, number, err);
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
		return e->flags & NORN_GRAPH_COUNTED ? check_alive(c, s, number, err) : check_ordered_set(c, s, number, err);
	case NORN_SYNC_SEND:
		return 0;
	case NORN_SYNC_RECEIVE:
		return norn_receive_kind(e->value) < NORN_RECEIVE_CHANGED ? check_receive(c, s, number, err)
		                                                          : check_look(c, s, number, err);
	default:
		return check_ordered_set(c, s, number, err);
	}
}

/* A stack whose memory other threads had before may lie elsewhere, if these are not there: then what its thread's frames have on it
 * lies there, too, and all else is not known (check_stack). So may a block, if it is told apart from what lay there by its
 * addresses: who uses it must have its pointer from it (check_apart). */
static int check_alloc(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	const struct norn_graph_event *e = event_of(c, number);
	const uint32_t *before;
	uint32_t count = norn_graph_list(c->graph, &e->link, &before);
	for (uint32_t i = 0; i < count && e->kind == NORN_EVENT_ALLOC; i++)
		if (!happened(s, before[i]) && e->addr < NORN_GRAPH_MOVED)
			NO("event %u gets memory that event %u had or gives back", number, before[i]);
	return 0;
}

/* Does its thread come back from a call that is assumed to have waited for nothing? */
bool norn_sliced_returns_harmless(const struct norn_sliced_checker *c, uint32_t number)
{
	const struct norn_graph_event *e = event_of(c, number);
	for (uint32_t i = number - 1; i && e->kind != NORN_EVENT_EXTERNAL; i--) {
		const struct norn_graph_event *call = event_of(c, i);
		if (call->thread == e->thread && call->kind == NORN_EVENT_THREAD && call->op == NORN_THREAD_CALL &&
		        !(call->flags & (NORN_GRAPH_CALLED | NORN_GRAPH_ORDERED)))
			return norn_sliced_is_assumed(c, i);
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
		return norn_sliced_is_assumed(c, number)
		               ? 0
		               : norn_error_set(err, -EINVAL, "event %u calls code that may do anything", number);
	if (!world_as_then(c, s, number, e->other, e->link))
		NO("event %u calls code whose state was another then", number);
	return 0;
}

/* A return from unseen code may have waited for anything; a job of a known library for the submissions before it. */
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

/* A function that code without hooks called, frames that it discarded (a thread that was cancelled), a signal that the kernel
 * delivers: possibly because of what other threads had done by then. */
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
		if (!e->link && e->flags & NORN_GRAPH_CALLED)
			return 0; /* it is there from the start */
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
	case NORN_THREAD_SIGNAL:
		return check_unseen(c, s, number, err);
	case NORN_THREAD_EXIT:
		NO("event %u ends the process", number);
	default:
		return 0;
	}
}

int norn_sliced_check_certain(const struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	if (!norn_replay_state_certain(s, number))
		NO("event %u may not happen", number);
	return 0;
}

int norn_sliced_check_event(
        const struct norn_sliced_checker *c, struct norn_replay_state *s, uint32_t number, struct norn_error *err)
{
	if (number == 0 || number > norn_graph_count(c->graph))
		NO("event %u does not exist", number);
	const struct norn_graph_event *e = event_of(c, number);
	if (s->next[e->thread] != number)
		NO("event %u is not the next one of its thread, which is %u", number, s->next[e->thread]);
	bool begins = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_BEGIN;
	if (number == norn_graph_first(c->graph, e->thread) && e->thread && !begins && !norn_replay_state_all_before(s, number))
		NO("event %u comes from a thread whose beginning is unknown", number);
	if (e->flags & NORN_GRAPH_AFTER && !norn_sliced_returns_harmless(c, number))
		NO("event %u comes after code that may have waited for anything", number);
	int r = norn_sliced_check_certain(s, number, err);
	if (r < 0)
		return r;
	if (e->kind == NORN_EVENT_ALLOC && e->flags & NORN_GRAPH_NUMBER && !norn_replay_state_places(s, number))
		NO("event %u gets memory whose address decides, and that may lie elsewhere", number);
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
		if (event_of(c, e->life)->kind == NORN_EVENT_FREE)
			NO("event %u frees what was free when it was recorded", number);
		return norn_sliced_check_life(c, s, number, err);
	case NORN_EVENT_ENTER:
	case NORN_EVENT_LEAVE:
		return check_unseen(c, s, number, err);
	case NORN_EVENT_LOST:
		NO("event %u is lost", number);
	default:
		return 0;
	}
}
