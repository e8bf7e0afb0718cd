#include "causality/mvc_events.h"

#include "causality/sync_rules.h"
#include "trace/record.h"

/* The effect of an event on the clocks. */
struct mvc_step {
	enum norn_mvc_op op;
	uint64_t where, size;
};

static struct mvc_step access_object(enum norn_mvc_op op, const struct norn_event *e)
{
	return (struct mvc_step){op, e->kind == NORN_EVENT_THREAD ? NORN_JOBS_OBJECT : e->addr, NORN_MVC_OBJECT_BYTES};
}

/* The bytes that an event reads or writes; of synchronization, its object. */
static struct mvc_step event_step(const struct norn_event *e)
{
	bool object = e->kind == NORN_EVENT_SYNC || e->kind == NORN_EVENT_THREAD;
	/* The first thread has no parent. */
	bool first = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_BEGIN && e->thread == 0;
	uint64_t argument = first ? 0 : e->argument;
	switch (norn_rule_clock(e->kind, e->op, argument)) {
	case NORN_CLOCK_RULE_READ:
		return object ? access_object(NORN_MVC_READ, e) : (struct mvc_step){NORN_MVC_READ, e->addr, e->size};
	case NORN_CLOCK_RULE_WRITE:
		if (e->kind == NORN_EVENT_EXTERNAL)
			return (struct mvc_step){NORN_MVC_WRITE, e->addr & ~UINT64_C(7), 8};
		return object ? access_object(NORN_MVC_WRITE, e) : (struct mvc_step){NORN_MVC_WRITE, e->addr, e->size};
	case NORN_CLOCK_RULE_SEND:
	case NORN_CLOCK_RULE_RECEIVE:
		return access_object(NORN_MVC_WRITE, e);
	case NORN_CLOCK_RULE_BARRIER:
		return (struct mvc_step){NORN_MVC_BARRIER, e->addr, e->op == NORN_SYNC_BARRIER_INIT ? e->argument : 0};
	case NORN_CLOCK_RULE_ARRIVE:
		return (struct mvc_step){NORN_MVC_ARRIVE, e->addr, 0};
	case NORN_CLOCK_RULE_LEAVE:
		return (struct mvc_step){NORN_MVC_LEAVE, e->addr, 0};
	case NORN_CLOCK_RULE_FORK:
		return (struct mvc_step){.op = NORN_MVC_FORK, .where = e->value};
	case NORN_CLOCK_RULE_JOIN:
		return (struct mvc_step){.op = NORN_MVC_JOIN, .where = e->value};
	case NORN_CLOCK_RULE_AFTER_ALL:
		return (struct mvc_step){.op = NORN_MVC_AFTER_ALL};
	case NORN_CLOCK_RULE_FENCE:
		return (struct mvc_step){.op = NORN_MVC_FENCE};
	case NORN_CLOCK_RULE_INTERNAL:
		break;
	}
	return (struct mvc_step){.op = NORN_MVC_INTERNAL};
}

/* The first piece of a free, of which more follow: the words that it got to, and what has no versions. */
static int follow_free(struct norn_mvc *mvc, const struct norn_event *e, bool relevant)
{
	uint64_t words = e->count * UINT64_C(8) - (e->addr & 7);
	int r = norn_mvc_step(mvc, e->thread, NORN_MVC_WRITE, e->addr, words, relevant);
	if (r >= 0 && e->size > NORN_RANGE_BYTES)
		r = norn_mvc_step(mvc, e->thread, NORN_MVC_WRITE, e->addr + NORN_RANGE_BYTES, e->size - NORN_RANGE_BYTES, false);
	return r;
}

int norn_mvc_follow(struct norn_mvc *mvc, const struct norn_event *event, bool relevant)
{
	if (event->kind == NORN_EVENT_FREE && event->pieces == 1)
		return follow_free(mvc, event, relevant);
	struct mvc_step step = event_step(event);
	return norn_mvc_step(mvc, event->thread, step.op, step.where, step.size, relevant);
}
