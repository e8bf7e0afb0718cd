/* Deadlocks in words: the waiting threads, what each waits for, and why no thread can end the wait. */
#include <string.h>

#include "base/must.h"
#include "finding/error_context.h"
#include "trace/record.h"

#define NOTIFIES 3u /* that are named */

static const struct norn_graph_event *event_of(const struct norn_error_context *s, uint32_t number)
{
	return norn_graph_event(s->graph, number);
}

static bool is_asleep(const struct norn_predicted *p, uint32_t stop)
{
	return p->kind == NORN_PREDICTED_DEADLOCK && p->asleep >> stop & 1;
}

uint32_t norn_error_context_stop(const struct norn_error_context *s, const struct norn_predicted *p, uint32_t stop)
{
	uint32_t end = event_of(s, p->stops[stop])->next;
	return is_asleep(p, stop) && end && event_of(s, end)->link ? event_of(s, end)->link : p->stops[stop];
}

/* Does it wait for an event that any thread might bring about: a notify, a post, an arrival? */
static bool waits_for_all(const struct norn_error_context *s, const struct norn_predicted *p, uint32_t stop)
{
	const struct norn_graph_event *e = event_of(s, p->stops[stop]);
	return is_asleep(p, stop) ||
	       (e->kind == NORN_EVENT_SYNC &&
	               (e->op == NORN_SYNC_SEM_WAIT || e->op == NORN_SYNC_BARRIER_LEAVE || e->op == NORN_SYNC_RECEIVE));
}

bool norn_error_context_all_stopped(const struct norn_error_context *s, const struct norn_predicted *p)
{
	for (uint32_t i = 0; i < p->stop_count; i++)
		if (waits_for_all(s, p, i))
			return true;
	return false;
}

/* ---- why no thread can end the wait ---- */

/* The holder of the lock that a stop waits for: a thread that waits, too; "": none. */
static const char *holder(
        const struct norn_error_context *s, const struct norn_predicted *p, const struct norn_finding *x, uint32_t stop)
{
	const struct norn_graph_event *e = event_of(s, p->stops[stop]);
	for (uint32_t n = 1; n < p->stop_count; n++) {
		uint32_t i = (stop + n) % p->stop_count;
		for (uint32_t held = event_of(s, p->stops[i])->held, rest; held; held = rest) {
			const struct norn_graph_event *a = event_of(s, norn_graph_held(s->graph, held, &rest));
			if (a->size == e->size && (a->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE))
				return x->where[i].thread;
		}
	}
	return "";
}

static const char *place_text(const struct norn_error_context *s, uint32_t number)
{
	struct norn_step_text step;
	norn_error_context_step(s, number, false, &step);
	return *step.file && step.line
	               ? norn_findings_text(s->findings, "by %s at %s:%u", step.thread, basename(step.file), step.line)
	               : norn_findings_text(s->findings, "by %s", step.thread);
}

/* The notifies that come before the wait begins, the last ones first, each place once. */
static const char *notifies(const struct norn_error_context *s, const struct norn_predicted *p, uint32_t stop)
{
	uint32_t condition = event_of(s, norn_error_context_stop(s, p, stop))->size, count = 0;
	const char *texts[NOTIFIES], *all = "";
	for (uint32_t i = p->schedule.count; i-- > 0 && count < NOTIFIES;) {
		const struct norn_graph_event *e = event_of(s, p->schedule.events[i]);
		bool again = e->kind != NORN_EVENT_SYNC || e->size != condition ||
		             (e->op != NORN_SYNC_SIGNAL && e->op != NORN_SYNC_BROADCAST);
		const char *text = again ? "" : place_text(s, p->schedule.events[i]);
		for (uint32_t k = 0; k < count && !again; k++)
			again = strcmp(texts[k], text) == 0;
		if (!again)
			texts[count++] = text;
	}
	for (uint32_t k = count; k-- > 0;)
		all = norn_findings_text(s->findings, "%s%s%s", all, *all ? ", " : "", texts[k]);
	return all;
}

static const char *condition_text(
        const struct norn_error_context *s, const struct norn_predicted *p, const struct norn_finding *x, uint32_t i)
{
	const char *from = notifies(s, p, i);
	if (!*from)
		return norn_findings_text(s->findings, "%s waits for the condition %s, which no thread notifies any more",
		        x->where[i].thread, x->where[i].what);
	return norn_findings_text(s->findings,
	        "%s waits for the condition %s, a lost wake-up: its notifies (%s) come before it sleeps, or wake others",
	        x->where[i].thread, x->where[i].what, from);
}

/* The stop that waits to write what this one waits to read, though no thread writes; stop_count: none. */
static uint32_t queued_writer(const struct norn_error_context *s, const struct norn_predicted *p, uint32_t stop)
{
	const struct norn_graph_event *e = event_of(s, p->stops[stop]);
	uint32_t i = 0;
	bool reads = e->op == NORN_SYNC_ACQUIRE_SHARED && e->value == NORN_LOCK_WRITERS;
	for (; i < p->stop_count && reads; i++) {
		const struct norn_graph_event *w = event_of(s, p->stops[i]);
		if (w->kind == NORN_EVENT_SYNC && w->op == NORN_SYNC_ACQUIRE && w->size == e->size)
			break;
	}
	return reads ? i : p->stop_count;
}

static const char *wait_text(
        const struct norn_error_context *s, const struct norn_predicted *p, const struct norn_finding *x, uint32_t i)
{
	struct norn_findings *f = s->findings;
	const struct norn_graph_event *e = event_of(s, p->stops[i]);
	const char *thread = x->where[i].thread, *what = x->where[i].what,
	           *by = e->kind == NORN_EVENT_SYNC ? holder(s, p, x, i) : "";
	if (e->kind == NORN_EVENT_THREAD)
		return norn_findings_text(f, "%s waits for the end of %s", thread, what);
	if (is_asleep(p, i))
		return condition_text(s, p, x, i);
	switch (e->op) {
	case NORN_SYNC_SEM_WAIT:
		return norn_findings_text(f, "%s waits for the semaphore %s, which no thread posts any more", thread, what);
	case NORN_SYNC_BARRIER_LEAVE:
		return norn_findings_text(f, "%s waits at the barrier %s, which not all threads reach", thread, what);
	case NORN_SYNC_RECEIVE:
		return norn_findings_text(
		        f, "%s waits for data in the pipe that it reads, which no thread writes any more", thread);
	case NORN_SYNC_ONCE_PASS:
		return norn_findings_text(f, "%s waits for the routine of %s to end, which another thread runs", thread, what);
	default:
		if (queued_writer(s, p, i) < p->stop_count)
			return norn_findings_text(f, "%s waits to read %s, for which %s waits to write: it prefers writers", thread,
			        what, x->where[queued_writer(s, p, i)].thread);
		return *by ? norn_findings_text(f, "%s waits for %s, which %s holds", thread, what, by)
		           : norn_findings_text(f, "%s waits for %s, which a thread held when it ended", thread, what);
	}
}

/* ---- what might help ---- */

static const char *advice(const struct norn_error_context *s, const struct norn_predicted *p, const struct norn_finding *x)
{
	bool join = false, once = false, kept = false, reads = false, semaphore = false, barrier = false, pipe = false;
	for (uint32_t i = 0; i < p->stop_count; i++) {
		const struct norn_graph_event *e = event_of(s, p->stops[i]);
		bool sync = e->kind == NORN_EVENT_SYNC;
		if (is_asleep(p, i))
			return "hold the mutex of the wait while changing what it waits for, test that in a loop before waiting, "
			       "and notify all who may "
			       "wait for it";
		join |= !sync;
		once |= sync && e->op == NORN_SYNC_ONCE_PASS;
		semaphore |= sync && e->op == NORN_SYNC_SEM_WAIT;
		barrier |= sync && e->op == NORN_SYNC_BARRIER_LEAVE;
		pipe |= sync && e->op == NORN_SYNC_RECEIVE;
		reads |= sync && queued_writer(s, p, i) < p->stop_count;
		kept |= sync && (e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED) && !*holder(s, p, x, i);
	}
	if (semaphore)
		return "take semaphores and locks in the same order everywhere, and post before waiting for a thread that needs it";
	if (pipe)
		return "do not read from the pipe while holding what its writer needs to write";
	if (barrier)
		return "do not keep from others, while waiting at the barrier, what they need to come there";
	if (once)
		return "do not hold, around the once, a lock that its routine takes";
	if (reads)
		return "do not take the lock again to read while holding it, or let it prefer readers";
	if (kept)
		return "release the lock before the thread ends";
	return join ? "do not hold locks while waiting for the end of a thread that may need them"
	            : "take these locks in the same order everywhere, or back off by trylock";
}

void norn_error_context_deadlock(const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *x)
{
	struct norn_findings *f = s->findings;
	x->outcome = norn_findings_text(f, "deadlock of %u thread%s", x->where_count, x->where_count > 1 ? "s" : "");
	x->message = "";
	for (uint32_t i = 0; i < p->stop_count; i++)
		x->message = norn_findings_text(f, "%s%s%s", x->message, i ? "; " : "", wait_text(s, p, x, i));
	if (norn_error_context_all_stopped(s, p))
		x->message = norn_findings_text(f, "%s; %s", x->message,
		        p->stop_count < norn_graph_threads(s->graph) ? "all others have ended" : "there is no other thread");
	if (x->all_stopped || x->where_count == 1)
		x->ending = x->where_count == 1 ? "then it waits for ever" : "then they wait for ever";
	x->advice = advice(s, p, x);
}
