/* Semaphores in a closure (S10, S11): a wait needs a positive value, whichever post made it so; a failed try needs the value 0.
 *
 * The window is in the observed order, so the value before a wait is what it was at the base, plus the posts in the window before
 * it, less the waits. Where that is nothing, another post is needed: any that was recorded before the wait will do. First of a
 * thread that has taken more than it gave: a thread that uses a semaphore as a lock gives back what it took, and others would only
 * come with waits of their own. Otherwise the earliest, which brings the least along. */
#include "sliced/closure_state.h"
#include "trace/record.h"

#define LOOK_BACK 64u /* posts of threads that have taken are looked for among so many events */

/* Can this event, which is not included, be, and is it a post, or a wait? */
static bool is_spare(struct norn_closure *closure, uint32_t event, unsigned op)
{
	return closure->events[event].op == op && norn_closure_spare(closure, event);
}

/* The events of the semaphore in the part of the run that the window is of, up to its last wait there: the last first. *ret_value:
 * what it had at the base. */
static uint32_t gather(struct norn_closure *closure, uint32_t last, int64_t *ret_value)
{
	uint32_t i = last;
	closure->uses.count = 0;
	for (; i > closure->base; i = closure->events[i].other)
		norn_must_push(&closure->uses, i);
	closure->steps += closure->uses.count;
	*ret_value = i && closure->events[i].flags & NORN_GRAPH_COUNTED ? closure->events[i].link : 0;
	return closure->uses.count;
}

/* at: the place of a wait that finds nothing, in what was gathered; *earliest: no post before that place is spare. The post that is
 * taken, 0: none. */
static uint32_t find_post(struct norn_closure *closure, uint32_t at, uint32_t count, uint32_t *earliest)
{
	for (uint32_t i = at + 1; i < count && i <= at + LOOK_BACK; i++) {
		uint32_t event = closure->uses.items[i];
		if (norn_closure_thread(closure, closure->events[event].thread)->taken > 0 &&
		        is_spare(closure, event, NORN_SYNC_SEM_POST))
			return event;
	}
	while (*earliest > at + 1 && !is_spare(closure, closure->uses.items[*earliest - 1], NORN_SYNC_SEM_POST))
		--*earliest;
	return *earliest > at + 1 ? closure->uses.items[*earliest - 1] : 0;
}

/* A failed try finds a positive value: the waits before it that are not included are needed, the latest first, until it is 0. */
static bool take_all(struct norn_closure *closure, uint32_t at, uint32_t count, int64_t *value)
{
	for (uint32_t i = at + 1; i < count && *value > 0; i++)
		if (is_spare(closure, closure->uses.items[i], NORN_SYNC_SEM_WAIT)) {
			norn_closure_need(closure, closure->uses.items[i]);
			--*value;
		}
	return *value <= 0;
}

/* Needs posts for the waits of this semaphore that find nothing; false: there are enough. */
static bool count_uses(struct norn_closure *closure, const struct closure_object *object)
{
	int64_t value = 0;
	uint32_t count = gather(closure, object->waited, &value), earliest = count;
	bool more = false;
	for (uint32_t i = 0; i < count; i++)
		norn_closure_thread(closure, closure->events[closure->uses.items[i]].thread)->taken = 0;
	for (uint32_t i = count; i-- > 0 && !closure->failed;) {
		uint32_t event = closure->uses.items[i];
		const struct norn_graph_event *e = closure->events + event;
		bool ignored = closure->without & NORN_RULE_RESULT && norn_rule_is_ignored(closure->graph, event);
		if (ignored || !norn_closure_includes(closure, event))
			continue;
		struct closure_thread *t = norn_closure_thread(closure, e->thread);
		if (e->op == NORN_SYNC_SEM_INIT) {
			value = (int64_t)e->value;
		} else if (e->op == NORN_SYNC_SEM_POST) {
			value++;
			t->taken--;
		} else if (e->op == NORN_SYNC_SEM_WAIT) {
			uint32_t post = value > 0 ? 0 : find_post(closure, i, count, &earliest);
			if (value <= 0 && post == 0) {
				closure->failed = !more; /* the posts just needed may bring others along */
				return more;
			}
			if (post) {
				norn_closure_need(closure, post);
				value++;
				more = true;
			}
			value--;
			t->taken++;
		} else if (e->op == NORN_SYNC_SEM_TRY_FAILED && value > 0) {
			closure->failed = !take_all(closure, i, count, &value) && !more;
			return true;
		}
	}
	return more;
}

void norn_closure_note_semaphore_wait(struct norn_closure *closure, uint32_t wait)
{
	norn_closure_note_object(closure, closure->events[wait].size, wait, &closure->semaphores);
}

bool norn_closure_semaphores(struct norn_closure *closure)
{
	bool more = false;
	for (uint32_t i = 0; i < closure->semaphores.count && !closure->failed; i++)
		more |= count_uses(closure, norn_closure_object(closure, closure->semaphores.items[i]));
	return more && !closure->failed;
}
