/* The effect of each kind of event on vector clocks and on happens-before: two more columns of the table of rules (rules.h), in a
 * header of their own because engines inside the watched program read them, too. */
#ifndef NORN_CAUSALITY_SYNC_RULES_H
#define NORN_CAUSALITY_SYNC_RULES_H

#include <stdint.h>

#include "trace/event.h"
#include "trace/record.h"
#include "trace/site.h"

/* The effect on vector clocks (mvc.h): everything that could change what a thread does. */
enum norn_clock_rule {
	NORN_CLOCK_RULE_INTERNAL,
	NORN_CLOCK_RULE_READ, /* of its bytes, or its object */
	NORN_CLOCK_RULE_WRITE,
	NORN_CLOCK_RULE_FORK,
	NORN_CLOCK_RULE_JOIN,
	NORN_CLOCK_RULE_BARRIER, /* a barrier begins or ends */
	NORN_CLOCK_RULE_ARRIVE,
	NORN_CLOCK_RULE_LEAVE,
	NORN_CLOCK_RULE_SEND, /* a write; engines that watch a program need not learn from it */
	NORN_CLOCK_RULE_RECEIVE, /* a write; … need not teach */
	NORN_CLOCK_RULE_AFTER_ALL, /* after everything so far */
	NORN_CLOCK_RULE_FENCE, /* that, and before everything to come */
};

/* The effect on happens-before (happens_before.h): synchronizes-with. */
enum norn_sync_rule {
	NORN_SYNC_RULE_NONE,
	NORN_SYNC_RULE_ACQUIRE, /* knows what was released or published */
	NORN_SYNC_RULE_ACQUIRE_SHARED, /* but not by readers */
	NORN_SYNC_RULE_RELEASE, /* by the thread that has acquired it */
	NORN_SYNC_RULE_RELEASE_SHARED,
	NORN_SYNC_RULE_PUBLISH, /* adds what it knows */
	NORN_SYNC_RULE_BARRIER,
	NORN_SYNC_RULE_ARRIVE,
	NORN_SYNC_RULE_LEAVE,
	NORN_SYNC_RULE_FORK,
	NORN_SYNC_RULE_JOIN,
	NORN_SYNC_RULE_END,
	NORN_SYNC_RULE_AFTER_ALL, /* knows everything so far */
};

/* The effect of the memory order of an atomic access, or of a fence, on happens-before (S20). */
enum norn_order_rule { NORN_ORDER_RULE_ACQUIRES = 1, NORN_ORDER_RULE_RELEASES = 2 };

/* kind: of the access; a fence: THREAD. Only reads acquire, only writes release. */
static inline unsigned norn_rule_order(unsigned kind, enum norn_site_order order)
{
	static const uint8_t orders[] = {
	        [NORN_ORDER_ACQUIRE] = NORN_ORDER_RULE_ACQUIRES,
	        [NORN_ORDER_RELEASE] = NORN_ORDER_RULE_RELEASES,
	        [NORN_ORDER_ACQ_REL] = NORN_ORDER_RULE_ACQUIRES | NORN_ORDER_RULE_RELEASES,
	        [NORN_ORDER_SEQ_CST] = NORN_ORDER_RULE_ACQUIRES | NORN_ORDER_RULE_RELEASES,
	};
	unsigned rule = order < sizeof orders ? orders[order] : orders[NORN_ORDER_SEQ_CST];
	return kind == NORN_EVENT_READ    ? rule & NORN_ORDER_RULE_ACQUIRES
	       : kind == NORN_EVENT_WRITE ? rule & NORN_ORDER_RULE_RELEASES
	                                  : rule;
}

/* The address of what stands for all jobs that were handed over (X11): nothing else lies there. */
#define NORN_JOBS_OBJECT UINT64_C(8)

static const uint8_t norn_sync_clocks[NORN_SYNC_OPS] = {
        [NORN_SYNC_ACQUIRE] = NORN_CLOCK_RULE_WRITE,
        [NORN_SYNC_RELEASE] = NORN_CLOCK_RULE_WRITE,
        [NORN_SYNC_ACQUIRE_SHARED] = NORN_CLOCK_RULE_READ,
        [NORN_SYNC_RELEASE_SHARED] = NORN_CLOCK_RULE_READ,
        [NORN_SYNC_TRY_FAILED] = NORN_CLOCK_RULE_READ,
        [NORN_SYNC_WAIT_BEGIN] = NORN_CLOCK_RULE_WRITE,
        [NORN_SYNC_WAIT_END] = NORN_CLOCK_RULE_WRITE,
        [NORN_SYNC_WAIT_TIMEOUT] = NORN_CLOCK_RULE_WRITE,
        [NORN_SYNC_SIGNAL] = NORN_CLOCK_RULE_WRITE,
        [NORN_SYNC_BROADCAST] = NORN_CLOCK_RULE_WRITE,
        [NORN_SYNC_SEM_INIT] = NORN_CLOCK_RULE_WRITE,
        [NORN_SYNC_SEM_POST] = NORN_CLOCK_RULE_WRITE,
        [NORN_SYNC_SEM_WAIT] = NORN_CLOCK_RULE_WRITE,
        [NORN_SYNC_SEM_TRY_FAILED] = NORN_CLOCK_RULE_READ,
        [NORN_SYNC_BARRIER_INIT] = NORN_CLOCK_RULE_BARRIER,
        [NORN_SYNC_BARRIER_ARRIVE] = NORN_CLOCK_RULE_ARRIVE,
        [NORN_SYNC_BARRIER_LEAVE] = NORN_CLOCK_RULE_LEAVE,
        [NORN_SYNC_ONCE_BEGIN] = NORN_CLOCK_RULE_WRITE,
        [NORN_SYNC_ONCE_END] = NORN_CLOCK_RULE_WRITE,
        [NORN_SYNC_ONCE_PASS] = NORN_CLOCK_RULE_READ,
        [NORN_SYNC_CREATE] = NORN_CLOCK_RULE_WRITE,
        [NORN_SYNC_DESTROY] = NORN_CLOCK_RULE_WRITE,
        [NORN_SYNC_SEND] = NORN_CLOCK_RULE_SEND,
        [NORN_SYNC_RECEIVE] = NORN_CLOCK_RULE_RECEIVE,
};

static inline enum norn_clock_rule norn_sync_clock(unsigned op, uint64_t argument)
{
	/* The holder that a failed try of a readers-writer lock met may have been a reader, whose acquire is a read itself. */
	if (op == NORN_SYNC_TRY_FAILED && argument == NORN_LOCK_RWLOCK)
		return NORN_CLOCK_RULE_WRITE;
	if ((op == NORN_SYNC_CREATE || op == NORN_SYNC_DESTROY) && argument == NORN_LOCK_BARRIER)
		return NORN_CLOCK_RULE_BARRIER;
	if (op == NORN_SYNC_RECEIVE && argument == NORN_RECEIVE_LOOKED)
		return NORN_CLOCK_RULE_READ;
	return op < NORN_SYNC_OPS ? norn_sync_clocks[op] : NORN_CLOCK_RULE_WRITE;
}

static inline enum norn_clock_rule norn_thread_clock(unsigned op, uint64_t argument)
{
	switch (op) {
	case NORN_THREAD_FORK:
		return NORN_CLOCK_RULE_FORK;
	case NORN_THREAD_BEGIN: /* argument: the parent */
		return argument == NORN_NO_THREAD ? NORN_CLOCK_RULE_AFTER_ALL : NORN_CLOCK_RULE_INTERNAL;
	case NORN_THREAD_JOIN:
		return NORN_CLOCK_RULE_JOIN;
	case NORN_THREAD_EXIT:
	case NORN_THREAD_SIGNAL:
		return NORN_CLOCK_RULE_AFTER_ALL;
	case NORN_THREAD_CALL: /* of the one object that stands for all jobs */
		return argument == NORN_CALL_SUBMITS ? NORN_CLOCK_RULE_WRITE : NORN_CLOCK_RULE_INTERNAL;
	case NORN_THREAD_BACK:
		return argument == NORN_BACK_JOB ? NORN_CLOCK_RULE_READ : NORN_CLOCK_RULE_AFTER_ALL;
	default:
		return NORN_CLOCK_RULE_INTERNAL;
	}
}

/* kind, op: of the event; argument: of a SYNC, CALL and BACK its own, of a BEGIN its parent. */
static inline enum norn_clock_rule norn_rule_clock(unsigned kind, unsigned op, uint64_t argument)
{
	switch (kind) {
	case NORN_EVENT_READ:
		return NORN_CLOCK_RULE_READ;
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_ALLOC:
	case NORN_EVENT_FREE:
	case NORN_EVENT_EXTERNAL:
		return NORN_CLOCK_RULE_WRITE;
	case NORN_EVENT_SYNC:
		return norn_sync_clock(op, argument);
	case NORN_EVENT_THREAD:
		return norn_thread_clock(op, argument);
	case NORN_EVENT_LOST:
		return NORN_CLOCK_RULE_FENCE;
	default:
		return NORN_CLOCK_RULE_INTERNAL;
	}
}

static inline enum norn_sync_rule norn_rule_sync(unsigned kind, unsigned op, uint64_t argument)
{
	static const uint8_t ops[NORN_SYNC_OPS] = {
	        [NORN_SYNC_ACQUIRE] = NORN_SYNC_RULE_ACQUIRE,
	        [NORN_SYNC_WAIT_END] = NORN_SYNC_RULE_ACQUIRE,
	        [NORN_SYNC_SEM_WAIT] = NORN_SYNC_RULE_ACQUIRE,
	        [NORN_SYNC_ONCE_PASS] = NORN_SYNC_RULE_ACQUIRE,
	        [NORN_SYNC_RECEIVE] = NORN_SYNC_RULE_ACQUIRE,
	        [NORN_SYNC_ACQUIRE_SHARED] = NORN_SYNC_RULE_ACQUIRE_SHARED,
	        [NORN_SYNC_RELEASE] = NORN_SYNC_RULE_RELEASE,
	        [NORN_SYNC_RELEASE_SHARED] = NORN_SYNC_RULE_RELEASE_SHARED,
	        [NORN_SYNC_SIGNAL] = NORN_SYNC_RULE_PUBLISH,
	        [NORN_SYNC_BROADCAST] = NORN_SYNC_RULE_PUBLISH,
	        [NORN_SYNC_SEM_INIT] = NORN_SYNC_RULE_PUBLISH,
	        [NORN_SYNC_SEM_POST] = NORN_SYNC_RULE_PUBLISH,
	        [NORN_SYNC_ONCE_END] = NORN_SYNC_RULE_PUBLISH,
	        [NORN_SYNC_SEND] = NORN_SYNC_RULE_PUBLISH,
	        [NORN_SYNC_BARRIER_INIT] = NORN_SYNC_RULE_BARRIER,
	        [NORN_SYNC_BARRIER_ARRIVE] = NORN_SYNC_RULE_ARRIVE,
	        [NORN_SYNC_BARRIER_LEAVE] = NORN_SYNC_RULE_LEAVE,
	};
	static const uint8_t thread_ops[NORN_THREAD_OPS] = {
	        [NORN_THREAD_FORK] = NORN_SYNC_RULE_FORK,
	        [NORN_THREAD_JOIN] = NORN_SYNC_RULE_JOIN,
	        [NORN_THREAD_END] = NORN_SYNC_RULE_END,
	};
	if (kind == NORN_EVENT_THREAD && op == NORN_THREAD_CALL)
		return argument == NORN_CALL_SUBMITS ? NORN_SYNC_RULE_PUBLISH : NORN_SYNC_RULE_NONE;
	if (kind == NORN_EVENT_THREAD && op == NORN_THREAD_BACK)
		return argument == NORN_BACK_JOB ? NORN_SYNC_RULE_ACQUIRE : NORN_SYNC_RULE_AFTER_ALL;
	if (kind == NORN_EVENT_SYNC)
		return op < NORN_SYNC_OPS ? ops[op] : NORN_SYNC_RULE_NONE;
	return kind == NORN_EVENT_THREAD && op < NORN_THREAD_OPS ? thread_ops[op] : NORN_SYNC_RULE_NONE;
}

#endif
