#include "causality/clock_rules.h"

#include "trace/record.h"

/* What an event is to the clocks. */
struct step {
	enum norn_mvc_op op;
	uint64_t where, size;
};

static struct step internal(void)
{
	return (struct step){.op = NORN_MVC_INTERNAL};
}

static struct step access_object(enum norn_mvc_op op, const struct norn_event *e)
{
	return (struct step){op, e->addr, NORN_MVC_OBJECT_BYTES};
}

static struct step sync_step(const struct norn_event *e)
{
	switch (e->op) {
	case NORN_SYNC_ACQUIRE_SHARED:
	case NORN_SYNC_RELEASE_SHARED:
	case NORN_SYNC_SEM_TRY_FAILED:
	case NORN_SYNC_ONCE_PASS:
		return access_object(NORN_MVC_READ, e);
	case NORN_SYNC_TRY_FAILED:
		return access_object(e->argument == NORN_LOCK_RWLOCK ? NORN_MVC_WRITE : NORN_MVC_READ, e);
	case NORN_SYNC_BARRIER_INIT:
		return (struct step){NORN_MVC_BARRIER, e->addr, e->argument};
	case NORN_SYNC_CREATE:
	case NORN_SYNC_DESTROY:
		if (e->argument == NORN_LOCK_BARRIER)
			return (struct step){NORN_MVC_BARRIER, e->addr, 0};
		break;
	case NORN_SYNC_SEND:
	case NORN_SYNC_RECEIVE:
		return access_object(NORN_MVC_WRITE, e);
	case NORN_SYNC_BARRIER_ARRIVE:
		return (struct step){NORN_MVC_ARRIVE, e->addr, 0};
	case NORN_SYNC_BARRIER_LEAVE:
		return (struct step){NORN_MVC_LEAVE, e->addr, 0};
	}
	return access_object(NORN_MVC_WRITE, e);
}

static struct step thread_step(const struct norn_event *e)
{
	switch (e->op) {
	case NORN_THREAD_FORK:
		return (struct step){.op = NORN_MVC_FORK, .where = e->value};
	case NORN_THREAD_BEGIN:
		return e->argument == NORN_NO_THREAD && e->thread != 0 ? (struct step){.op = NORN_MVC_AFTER_ALL} : internal();
	case NORN_THREAD_JOIN:
		return (struct step){.op = NORN_MVC_JOIN, .where = e->value};
	case NORN_THREAD_EXIT:
	case NORN_THREAD_SIGNAL:
		return (struct step){.op = NORN_MVC_AFTER_ALL};
	}
	return internal();
}

static struct step event_step(const struct norn_event *e)
{
	switch (e->kind) {
	case NORN_EVENT_READ:
		return (struct step){NORN_MVC_READ, e->addr, e->size};
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_ALLOC:
	case NORN_EVENT_FREE:
		return (struct step){NORN_MVC_WRITE, e->addr, e->size};
	case NORN_EVENT_EXTERNAL:
		return (struct step){NORN_MVC_WRITE, e->addr & ~UINT64_C(7), 8};
	case NORN_EVENT_SYNC:
		return sync_step(e);
	case NORN_EVENT_THREAD:
		return thread_step(e);
	case NORN_EVENT_LOST:
		return (struct step){.op = NORN_MVC_FENCE};
	}
	return internal();
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
	struct step step = event_step(event);
	return norn_mvc_step(mvc, event->thread, step.op, step.where, step.size, relevant);
}
