/* Conditions in a closure: the end of a wait needs that its thread was woken, by any notify.
 *
 * The window is in the observed order. Each signal in it wakes the thread that has slept longest then, and a broadcast all of them;
 * a thread that slept at the base, and was not woken, sleeps. Where a wait ends woken without a notify, another one is needed:
 * the latest between its sleep and its end that is not in the window. A wait that timed out has no part in this: its time may have
 * been up at once (S7). */
#include <stdlib.h>

#include "sliced/closure_state.h"
#include "trace/record.h"

static void add(struct norn_closure *closure, struct norn_sleeping sleeping)
{
	norn_must_push(&closure->sleeping, sleeping);
}

static int by_event(const void *a, const void *b)
{
	const struct norn_sleeping *x = a, *y = b;
	return (x->event > y->event) - (x->event < y->event);
}

/* The end of a wait that began to sleep with this event, if it is in the window or a stop. */
static void add_end(struct norn_closure *closure, uint32_t sleep)
{
	uint32_t acquire = closure->events[sleep].next;
	const struct closure_thread *t = acquire ? norn_closure_thread(closure, closure->events[acquire].thread) : NULL;
	if (!t || (t->cursor < acquire && t->stop != acquire))
		return;
	add(closure, (struct norn_sleeping){acquire, closure->events[acquire].thread, sleep, WOKEN});
}

static void add_wait(struct norn_closure *closure, uint32_t begin)
{
	uint32_t sleep = closure->events[begin].next;
	const struct norn_graph_event *e = closure->events + sleep;
	if (sleep == 0 || !norn_graph_sleeps(e) || !norn_closure_includes(closure, sleep) ||
	        norn_rule_times_out(closure->graph, sleep))
		return;
	if (sleep > closure->base)
		add(closure, (struct norn_sleeping){sleep, e->thread, 0, SLEEPS});
	add_end(closure, sleep);
}

/* The threads that slept at the base, or had begun to wait, and those of them that were woken. */
static void add_base(struct norn_closure *closure, uint32_t condition)
{
	for (uint32_t t = 0; t < norn_graph_threads(closure->graph); t++) {
		uint32_t last = closure->threads[t].base;
		const struct norn_graph_event *e = closure->events + last;
		if (last == 0 || e->kind != NORN_EVENT_SYNC)
			continue;
		if (e->op == NORN_SYNC_WAIT_BEGIN && e->size == condition)
			add_wait(closure, last);
		if (!norn_graph_sleeps(e) || closure->events[e->life].size != condition ||
		        norn_rule_times_out(closure->graph, last))
			continue;
		uint32_t notify = closure->events[e->life].link;
		if (notify && notify <= closure->base)
			closure->threads[t].woken = closure->epoch;
		else
			add(closure, (struct norn_sleeping){last, t, 0, SLEEPS});
		add_end(closure, last);
	}
}

/* All that the window has of the condition, up to its last end of a wait, in the observed order. */
static void gather(struct norn_closure *closure, uint32_t condition, uint32_t last)
{
	closure->sleeping.count = 0;
	for (uint32_t t = 0; t < norn_graph_threads(closure->graph); t++)
		closure->threads[t].woken = 0;
	add_base(closure, condition);
	for (uint32_t i = closure->events[last].other; i > closure->base; i = closure->events[i].other) {
		const struct norn_graph_event *e = closure->events + i;
		closure->steps++;
		if (e->op == NORN_SYNC_WAIT_BEGIN)
			add_wait(closure, i);
		else if ((e->op == NORN_SYNC_SIGNAL || e->op == NORN_SYNC_BROADCAST) && norn_closure_includes(closure, i))
			add(closure, (struct norn_sleeping){i, e->thread, 0, e->op == NORN_SYNC_SIGNAL ? SIGNAL : BROADCAST});
	}
	if (closure->sleeping.count)
		qsort(closure->sleeping.items, closure->sleeping.count, sizeof *closure->sleeping.items, by_event);
}

/* The latest notify between these events that is not in the window, and can be; 0: none. */
static uint32_t find_notify(struct norn_closure *closure, uint32_t last, uint32_t since, uint32_t until)
{
	for (uint32_t i = closure->events[last].other; i > since && i > closure->base; i = closure->events[i].other) {
		bool notify = closure->events[i].op == NORN_SYNC_SIGNAL || closure->events[i].op == NORN_SYNC_BROADCAST;
		if (i < until && notify && norn_closure_spare(closure, i))
			return i;
	}
	return 0;
}

static void leave_queue(uint32_t *queue, uint32_t *count, uint32_t thread)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < *count; i++)
		if (queue[i] != thread)
			queue[kept++] = queue[i];
	*count = kept;
}

/* Goes through what happens to the condition; true: another notify is needed. */
static bool wake(struct norn_closure *closure, uint32_t condition)
{
	uint32_t last = norn_closure_object(closure, condition)->waited, *queue = closure->queue_of_sleepers, count = 0;
	gather(closure, condition, last);
	for (uint32_t i = 0; i < closure->sleeping.count; i++) {
		const struct norn_sleeping *s = closure->sleeping.items + i;
		uint32_t notify;
		switch (s->what) {
		case SLEEPS:
			queue[count++] = s->thread;
			closure->threads[s->thread].woken = 0;
			break;
		case SIGNAL:
		case BROADCAST:
			for (bool all = s->what == BROADCAST, first = true; count && (first || all); first = false) {
				closure->threads[queue[0]].woken = closure->epoch;
				leave_queue(queue, &count, queue[0]);
			}
			break;
		case WOKEN:
			if (closure->threads[s->thread].woken == closure->epoch)
				break;
			notify = find_notify(closure, last, s->since, s->event);
			if (notify)
				norn_closure_need(closure, notify);
			closure->failed |= notify == 0;
			return true;
		}
	}
	return false;
}

void norn_closure_wakes(struct norn_closure *closure, uint32_t acquire)
{
	uint32_t end = norn_rule_wait_end(closure->graph, acquire);
	norn_closure_note_object(closure, closure->events[end].size, end, &closure->conditions);
}

bool norn_closure_wake(struct norn_closure *closure)
{
	bool more = false;
	for (uint32_t i = 0; i < closure->conditions.count && !closure->failed; i++)
		more |= wake(closure, closure->conditions.items[i]);
	return more && !closure->failed;
}
