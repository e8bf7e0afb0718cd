#include "causality/rules.h"

#include <assert.h>
#include <string.h>

#include "trace/record.h"

/* ---- the table ---- */

enum row {
	ROW_INTERNAL,
	ROW_READ,
	ROW_WRITE,
	ROW_RMW,
	ROW_EXTERNAL,
	ROW_EXTERNAL_OWN,
	ROW_ALLOC,
	ROW_ALLOC_OWN,
	ROW_UNMAP,
	ROW_FREE,
	ROW_FREE_AGAIN,
	ROW_ACQUIRE,
	ROW_ACQUIRE_WOKEN,
	ROW_ACQUIRE_TIMEOUT,
	ROW_ACQUIRE_NOTIFIED,
	ROW_ACQUIRE_CUT,
	ROW_ACQUIRE_SHARED,
	ROW_RELEASE,
	ROW_RELEASE_SHARED,
	ROW_SLEEP,
	ROW_SLEEP_SHARED,
	ROW_RELEASE_ODD,
	ROW_DESTROYED,
	ROW_TRY,
	ROW_TRY_OWN,
	ROW_TRY_READ,
	ROW_TRY_UNCLEAR,
	ROW_TRY_ODD,
	ROW_WAIT,
	ROW_SIGNAL,
	ROW_BROADCAST,
	ROW_CONDITION_UNKNOWN,
	ROW_NOTIFY_UNKNOWN,
	ROW_SEM_INIT,
	ROW_SEM_POST,
	ROW_SEM_WAIT,
	ROW_SEM_TRY,
	ROW_SEM_TRY_ODD,
	ROW_SEM_UNKNOWN,
	ROW_BARRIER_INIT,
	ROW_BARRIER,
	ROW_BARRIER_UNKNOWN,
	ROW_ONCE,
	ROW_ONCE_PASS,
	ROW_ONCE_UNKNOWN,
	ROW_CREATE,
	ROW_CREATE_AGAIN,
	ROW_DESTROY,
	ROW_DESTROY_OTHER,
	ROW_SEND,
	ROW_RECEIVE,
	ROW_RECEIVE_BETWEEN,
	ROW_RECEIVE_AMID,
	ROW_LOOK,
	ROW_LOOK_AMID,
	ROW_BEGIN,
	ROW_JOIN,
	ROW_STACK,
	ROW_STACK_OWN,
	ROW_CALL,
	ROW_CALL_OPAQUE,
	ROW_SUBMIT,
	ROW_BACK,
	ROW_CALLBACK,
	ROW_JOB,
	ROW_UNSEEN,
	ROW_HANDLER,
	ROW_PROCESS,
	ROW_LOST,
	ROWS
};

#define LIFE NORN_NEED_LIFE

static const struct norn_rule rules[ROWS] = {
        [ROW_INTERNAL] = {"internal", "R12", 0, .exact = true},
        /* memory */
        [ROW_READ] = {"read", "R6", NORN_NEED_WRITERS | LIFE, .exact = true},
        [ROW_WRITE] = {"write", "S15", LIFE, .exact = true},
        [ROW_RMW] = {"read-modify-write", "V3", NORN_NEED_WRITERS | LIFE, .exact = true},
        [ROW_EXTERNAL] = {"write by code without hooks", "X3", NORN_NEED_WRITERS | NORN_NEED_WORLD, .exact = true},
        [ROW_EXTERNAL_OWN] = {"errno, or what memory began with", "X8", NORN_NEED_WRITERS, .exact = true},
        [ROW_ALLOC] = {"allocation", "S15", NORN_NEED_MEMORY, .exact = true},
        [ROW_ALLOC_OWN] = {"allocation that may lie elsewhere", "S15", 0, .exact = true},
        [ROW_UNMAP] = {"unmapping", "S15", NORN_NEED_MEMORY | NORN_NEED_USES, .exact = true},
        [ROW_FREE] = {"free", "S15", LIFE | NORN_NEED_USES, .exact = true},
        [ROW_FREE_AGAIN] = {"second free", "S15", 0, NORN_RULE_LIFE, .guard = NORN_GUARD_NEVER, .exact = true},
        /* locks */
        [ROW_ACQUIRE] = {"acquire", "S1", LIFE, .guard = NORN_GUARD_FREE, .effect = NORN_EFFECT_LOCK, .exact = true},
        [ROW_ACQUIRE_WOKEN] = {"reacquire, woken", "S6", LIFE, .guard = NORN_GUARD_FREE, .effect = NORN_EFFECT_LOCK,
                .wait = NORN_WAIT_WOKEN, .exact = true},
        [ROW_ACQUIRE_TIMEOUT] = {"reacquire, timed out", "S7", LIFE, .guard = NORN_GUARD_FREE, .effect = NORN_EFFECT_LOCK,
                .exact = true},
        [ROW_ACQUIRE_NOTIFIED] = {"reacquire, sleepers unknown", "S6", LIFE | NORN_NEED_NOTIFY, .guard = NORN_GUARD_FREE,
                .effect = NORN_EFFECT_LOCK, .exact = false},
        [ROW_ACQUIRE_CUT] = {"reacquire, the end of its wait unknown", "S6", 0, NORN_RULE_ORDERED, .guard = NORN_GUARD_NEVER,
                .exact = true},
        [ROW_ACQUIRE_SHARED] = {"acquire, shared", "S1", LIFE, .guard = NORN_GUARD_NO_WRITER, .effect = NORN_EFFECT_SHARE,
                .exact = true},
        [ROW_RELEASE] = {"release", "S1", 0, .effect = NORN_EFFECT_UNLOCK, .exact = true},
        [ROW_RELEASE_SHARED] = {"release, shared", "S1", 0, .effect = NORN_EFFECT_UNSHARE, .exact = true},
        [ROW_SLEEP] = {"release and sleep", "S4", 0, .effect = NORN_EFFECT_UNLOCK, .wait = NORN_WAIT_SLEEP, .exact = true},
        [ROW_SLEEP_SHARED] = {"release, shared, and sleep", "S4", 0, .effect = NORN_EFFECT_UNSHARE, .wait = NORN_WAIT_SLEEP,
                .exact = true},
        [ROW_RELEASE_ODD] = {"release without acquire", "S1", 0, NORN_RULE_LOCK, .guard = NORN_GUARD_NEVER, .exact = true},
        [ROW_DESTROYED] = {"use of a lock that was destroyed", "S14", 0, NORN_RULE_LIFE, .guard = NORN_GUARD_NEVER, .exact = true},
        [ROW_TRY] = {"failed try", "S2", LIFE | NORN_NEED_HOLDER, NORN_RULE_TRY, .guard = NORN_GUARD_HELD, .exact = true},
        [ROW_TRY_OWN] = {"failed try of the holder", "S2", LIFE, .exact = true},
        [ROW_TRY_READ] = {"failed try to read", "S3", LIFE | NORN_NEED_HOLDER, NORN_RULE_TRY, .guard = NORN_GUARD_WRITER,
                .exact = true},
        [ROW_TRY_UNCLEAR] = {"failed try to read or write", "S3", LIFE | NORN_NEED_HOLDER, NORN_RULE_TRY,
                .guard = NORN_GUARD_WRITER, .exact = false},
        [ROW_TRY_ODD] = {"failed try of a free lock", "S2", 0, NORN_RULE_TRY, .guard = NORN_GUARD_NEVER, .exact = true},
        [ROW_CREATE] = {"creation", "S14", LIFE | NORN_NEED_HISTORY, .effect = NORN_EFFECT_CREATE, .exact = true},
        [ROW_CREATE_AGAIN] = {"creation without destruction", "S14", LIFE | NORN_NEED_HISTORY, .effect = NORN_EFFECT_CREATE,
                .exact = false},
        [ROW_DESTROY] = {"destruction of a lock", "S14", LIFE, .guard = NORN_GUARD_FREE, .effect = NORN_EFFECT_DESTROY,
                .exact = true},
        [ROW_DESTROY_OTHER] = {"destruction", "S14", LIFE | NORN_NEED_HISTORY, .exact = true},
        /* conditions */
        [ROW_WAIT] = {"wait, its beginning or end", "S4", LIFE, .exact = true},
        [ROW_SIGNAL] = {"signal", "S5", LIFE, .wait = NORN_WAIT_SIGNAL, .exact = true},
        [ROW_BROADCAST] = {"broadcast", "S5", LIFE, .wait = NORN_WAIT_BROADCAST, .exact = true},
        [ROW_CONDITION_UNKNOWN] = {"wait, sleepers unknown", "S4", LIFE | NORN_NEED_HISTORY, .exact = false},
        [ROW_NOTIFY_UNKNOWN] = {"notify, sleepers unknown", "S5", LIFE | NORN_NEED_HISTORY | NORN_NEED_SLEEPERS, .exact = false},
        /* semaphores, barriers, once */
        [ROW_SEM_INIT] = {"semaphore: init", "S14", LIFE | NORN_NEED_HISTORY, .effect = NORN_EFFECT_SET, .exact = true},
        [ROW_SEM_POST] = {"semaphore: post", "S10", LIFE, .effect = NORN_EFFECT_UP, .exact = true},
        [ROW_SEM_WAIT] = {"semaphore: wait", "S10", LIFE, NORN_RULE_ORDERED, .guard = NORN_GUARD_POSITIVE,
                .effect = NORN_EFFECT_DOWN, .exact = true},
        [ROW_SEM_TRY] = {"semaphore: failed try", "S11", LIFE, NORN_RULE_ORDERED, .guard = NORN_GUARD_ZERO, .exact = true},
        [ROW_SEM_TRY_ODD] = {"semaphore: failed try with something to take", "S11", 0, NORN_RULE_TRY, .guard = NORN_GUARD_NEVER,
                .exact = true},
        [ROW_SEM_UNKNOWN] = {"semaphore of unknown value", "S10", LIFE | NORN_NEED_HISTORY, .exact = false},
        [ROW_BARRIER_INIT] = {"barrier: init", "S14", LIFE | NORN_NEED_HISTORY, .exact = true},
        [ROW_BARRIER] = {"barrier: arrive, leave", "S9", LIFE | NORN_NEED_ROUND, .exact = true},
        [ROW_BARRIER_UNKNOWN] = {"barrier whose rounds are unknown", "S9", LIFE | NORN_NEED_HISTORY, .exact = false},
        [ROW_ONCE] = {"once: routine", "S12", LIFE, .exact = true},
        [ROW_ONCE_PASS] = {"once: pass", "S12", LIFE | NORN_NEED_ONCE, .exact = true},
        [ROW_ONCE_UNKNOWN] = {"once, routine unknown", "S12", LIFE | NORN_NEED_HISTORY, .exact = false},
        /* the kernel, code without hooks */
        [ROW_SEND] = {"send", "X4", 0, .exact = true},
        [ROW_RECEIVE] = {"receive", "X4", NORN_NEED_HISTORY | NORN_NEED_CALLS, .exact = true},
        [ROW_RECEIVE_BETWEEN] = {"lock, or the like, of several processes", "X4", NORN_NEED_HISTORY | NORN_NEED_CALLS,
                .exact = false},
        [ROW_RECEIVE_AMID] = {"read while another thread waits in one", "X4", NORN_NEED_HISTORY | NORN_NEED_CALLS, .exact = false},
        [ROW_LOOK] = {"look at a resource", "X7", NORN_NEED_HISTORY | NORN_NEED_CALLS, .exact = true},
        [ROW_LOOK_AMID] = {"look at a resource that is being changed", "X7", NORN_NEED_WORLD, .exact = true},
        [ROW_CALL] = {"call of code without hooks", "X2", NORN_NEED_WORLD, .exact = true},
        [ROW_CALL_OPAQUE] = {"call of unknown code", "X1", 0, NORN_RULE_CALL | NORN_RULE_OPAQUE, .guard = NORN_GUARD_NEVER,
                .exact = true},
        [ROW_SUBMIT] = {"call that hands over a job", "X11", 0, .exact = true},
        [ROW_BACK] = {"return from unknown code", "X10", 0, NORN_RULE_CALL | NORN_RULE_OPAQUE, .guard = NORN_GUARD_NEVER,
                .exact = true},
        [ROW_CALLBACK] = {"callback from unknown code", "X10", 0, NORN_RULE_CALL | NORN_RULE_AFTER, .guard = NORN_GUARD_NEVER,
                .exact = true},
        [ROW_JOB] = {"job", "X11", NORN_NEED_SUBMITS, .exact = true},
        [ROW_UNSEEN] = {"callback from code without hooks", "X5", NORN_NEED_WORLD, NORN_RULE_AFTER, .exact = true},
        /* threads */
        [ROW_BEGIN] = {"begin", "S13", NORN_NEED_FORK, .exact = true},
        [ROW_JOIN] = {"join", "S13", NORN_NEED_CHILD, .exact = true},
        [ROW_STACK] = {"stack", "S15", NORN_NEED_MEMORY, .exact = true},
        [ROW_STACK_OWN] = {"stack of which its frames alone use locals", "S15", NORN_NEED_STACKS, .exact = true},
        [ROW_HANDLER] = {"signal handler", "X13", NORN_NEED_WORLD, .exact = true},
        [ROW_PROCESS] = {"end of the process", "R13", 0, NORN_RULE_END, .guard = NORN_GUARD_NEVER, .exact = true},
        [ROW_LOST] = {"lost records", "R13", 0, .guard = NORN_GUARD_NEVER, .exact = true},
};

const struct norn_rule norn_rule_observed_order = {"object in its observed order", "R16", 0, .exact = false};
const struct norn_rule norn_rule_reused_memory = {
        "memory that was freed before is allocated again", "S15", NORN_NEED_MEMORY, .exact = false};
const struct norn_rule norn_rule_any_look = {
        "what a call saw of the system, though it may decide nothing", "X7", NORN_NEED_HISTORY | NORN_NEED_CALLS, .exact = false};
const struct norn_rule norn_rule_fresh_memory = {
        "memory that decides, and that no recorded write gave a value", "V5", NORN_NEED_WRITERS, .exact = false};
const struct norn_rule norn_rule_any_result = {
        "the outcome of a try or timed wait, though it decides nothing", "S2", LIFE, .exact = false};
static const struct norn_rule got_nothing = {"try that nobody asks about", "S2", LIFE, .exact = true};
const struct norn_rule norn_rule_scan = {
        "text of which other bytes decide how far it is read", "R24", NORN_NEED_WRITERS, .exact = false};
const struct norn_rule norn_rule_masked_read = {
        "read that decides no more than what is written", "R6", NORN_NEED_WRITERS | LIFE, .exact = false};

/* ---- which row ---- */

static bool counted(const struct norn_graph_event *e)
{
	return e->flags & NORN_GRAPH_COUNTED;
}

uint32_t norn_rule_wait_end(const struct norn_graph *graph, uint32_t acquire)
{
	uint32_t end = norn_graph_event(graph, acquire)->next;
	const struct norn_graph_event *e = norn_graph_event(graph, end);
	bool ends = e->kind == NORN_EVENT_SYNC && (e->op == NORN_SYNC_WAIT_END || e->op == NORN_SYNC_WAIT_TIMEOUT);
	return end && ends ? end : 0;
}

bool norn_rule_times_out(const struct norn_graph *graph, uint32_t sleep)
{
	uint32_t acquire = norn_graph_event(graph, sleep)->next, end = acquire ? norn_rule_wait_end(graph, acquire) : 0;
	const struct norn_graph_event *e = norn_graph_event(graph, end);
	return end && e->op == NORN_SYNC_WAIT_TIMEOUT && counted(e);
}

static bool is_destroyed(const struct norn_graph *graph, const struct norn_graph_event *e)
{
	const struct norn_graph_event *life = norn_graph_event(graph, e->life);
	return life->kind == NORN_EVENT_SYNC && life->op == NORN_SYNC_DESTROY;
}

static enum row acquire_row(const struct norn_graph *graph, uint32_t number, const struct norn_graph_event *e)
{
	if (is_destroyed(graph, e))
		return ROW_DESTROYED;
	if (e->op == NORN_SYNC_ACQUIRE_SHARED)
		return ROW_ACQUIRE_SHARED;
	if (!(e->flags & NORN_GRAPH_WAKES))
		return ROW_ACQUIRE;
	uint32_t end = norn_rule_wait_end(graph, number);
	if (end == 0)
		return ROW_ACQUIRE_CUT;
	const struct norn_graph_event *w = norn_graph_event(graph, end);
	return !counted(w) ? ROW_ACQUIRE_NOTIFIED : w->op == NORN_SYNC_WAIT_END ? ROW_ACQUIRE_WOKEN : ROW_ACQUIRE_TIMEOUT;
}

static enum row release_row(const struct norn_graph *graph, uint32_t number, const struct norn_graph_event *e)
{
	bool shared = e->op == NORN_SYNC_RELEASE_SHARED;
	if (e->flags & NORN_GRAPH_ODD)
		return ROW_RELEASE_ODD;
	if (!norn_graph_sleeps(e) || norn_rule_times_out(graph, number))
		return shared ? ROW_RELEASE_SHARED : ROW_RELEASE;
	return shared ? ROW_SLEEP_SHARED : ROW_SLEEP;
}

/* A try to read fails only because of a writer; one to write because of any holder. Where the site does not say which, a holder
 * that only reads tells that it was one to write. */
static enum row try_row(const struct norn_graph *graph, const struct norn_graph_event *e)
{
	if (e->flags & NORN_GRAPH_ODD)
		return ROW_TRY_ODD;
	if (is_destroyed(graph, e))
		return ROW_DESTROYED;
	const struct norn_graph_event *holder = norn_graph_event(graph, e->link);
	bool writer = holder->op == NORN_SYNC_ACQUIRE;
	if (holder->thread == e->thread)
		return ROW_TRY_OWN;
	if (e->value != NORN_LOCK_RWLOCK)
		return ROW_TRY;
	struct norn_graph_site site;
	norn_graph_site(graph, e->site, &site);
	if (site.name && strstr(site.name, "rdlock"))
		return writer ? ROW_TRY_READ : ROW_TRY_ODD;
	return !writer || (site.name && strstr(site.name, "wrlock")) ? ROW_TRY : ROW_TRY_UNCLEAR;
}

static bool is_lock(const struct norn_graph_event *e)
{
	return e->value == NORN_LOCK_MUTEX || e->value == NORN_LOCK_RWLOCK || e->value == NORN_LOCK_SPIN;
}

static enum row create_row(const struct norn_graph_event *e)
{
	/* It was destroyed, or its memory is new. */
	return e->other == 0 || e->life >= e->other ? ROW_CREATE : ROW_CREATE_AGAIN;
}

/* The rows of operations where all is known that they depend on. */
static const uint8_t plain_rows[NORN_SYNC_OPS] = {
        [NORN_SYNC_ACQUIRE] = ROW_ACQUIRE,
        [NORN_SYNC_RELEASE] = ROW_RELEASE,
        [NORN_SYNC_ACQUIRE_SHARED] = ROW_ACQUIRE_SHARED,
        [NORN_SYNC_RELEASE_SHARED] = ROW_RELEASE_SHARED,
        [NORN_SYNC_TRY_FAILED] = ROW_TRY,
        [NORN_SYNC_WAIT_BEGIN] = ROW_WAIT,
        [NORN_SYNC_WAIT_END] = ROW_WAIT,
        [NORN_SYNC_WAIT_TIMEOUT] = ROW_WAIT,
        [NORN_SYNC_SIGNAL] = ROW_SIGNAL,
        [NORN_SYNC_BROADCAST] = ROW_BROADCAST,
        [NORN_SYNC_SEM_INIT] = ROW_SEM_INIT,
        [NORN_SYNC_SEM_POST] = ROW_SEM_POST,
        [NORN_SYNC_SEM_WAIT] = ROW_SEM_WAIT,
        [NORN_SYNC_SEM_TRY_FAILED] = ROW_SEM_TRY,
        [NORN_SYNC_BARRIER_INIT] = ROW_BARRIER_INIT,
        [NORN_SYNC_BARRIER_ARRIVE] = ROW_BARRIER,
        [NORN_SYNC_BARRIER_LEAVE] = ROW_BARRIER,
        [NORN_SYNC_ONCE_BEGIN] = ROW_ONCE,
        [NORN_SYNC_ONCE_END] = ROW_ONCE,
        [NORN_SYNC_ONCE_PASS] = ROW_ONCE_PASS,
        [NORN_SYNC_CREATE] = ROW_CREATE,
        [NORN_SYNC_DESTROY] = ROW_DESTROY,
        [NORN_SYNC_SEND] = ROW_SEND,
};

#define LOOK_BACK 16u /* events of a channel */

/* A read of input. If another thread's read of the channel had begun, and was not over, it may have taken what came before; that it
 * had begun need not be so in another run. */
static enum row receive_row(const struct norn_graph *graph, uint32_t number, const struct norn_graph_event *e)
{
	if (e->value & NORN_RECEIVE_BETWEEN)
		return ROW_RECEIVE_BETWEEN;
	uint32_t before = norn_receive_kind(e->value) == NORN_RECEIVE_INPUT ? e->other : 0;
	for (unsigned looked = 0; before && looked < LOOK_BACK; looked++) {
		const struct norn_graph_event *b = norn_graph_event(graph, before), *end = norn_graph_event(graph, b->next);
		bool over = b->next && b->next < number;
		bool reads = !b->next || (end->kind == NORN_EVENT_SYNC && end->op == NORN_SYNC_RECEIVE && end->site == b->site &&
		                                 norn_receive_kind(end->value) == NORN_RECEIVE_INPUT);
		if (b->op == NORN_SYNC_SEND && b->thread != e->thread && !over && reads)
			return ROW_RECEIVE_AMID;
		before = b->other;
	}
	return ROW_RECEIVE;
}

static enum row sync_row(const struct norn_graph *graph, uint32_t number, const struct norn_graph_event *e)
{
	switch (e->op) {
	case NORN_SYNC_ACQUIRE:
	case NORN_SYNC_ACQUIRE_SHARED:
		return acquire_row(graph, number, e);
	case NORN_SYNC_RELEASE:
	case NORN_SYNC_RELEASE_SHARED:
		return release_row(graph, number, e);
	case NORN_SYNC_TRY_FAILED:
		return try_row(graph, e);
	case NORN_SYNC_WAIT_BEGIN:
	case NORN_SYNC_WAIT_END:
	case NORN_SYNC_WAIT_TIMEOUT:
		return counted(e) ? plain_rows[e->op] : ROW_CONDITION_UNKNOWN;
	case NORN_SYNC_SIGNAL:
	case NORN_SYNC_BROADCAST:
		return counted(e) ? plain_rows[e->op] : ROW_NOTIFY_UNKNOWN;
	case NORN_SYNC_SEM_POST:
	case NORN_SYNC_SEM_WAIT:
		return counted(e) ? plain_rows[e->op] : ROW_SEM_UNKNOWN;
	case NORN_SYNC_SEM_TRY_FAILED:
		return e->flags & NORN_GRAPH_ODD ? ROW_SEM_TRY_ODD : counted(e) ? ROW_SEM_TRY : ROW_SEM_UNKNOWN;
	case NORN_SYNC_BARRIER_ARRIVE:
	case NORN_SYNC_BARRIER_LEAVE:
		return counted(e) ? ROW_BARRIER : ROW_BARRIER_UNKNOWN;
	case NORN_SYNC_ONCE_BEGIN:
		return e->other ? ROW_ONCE_UNKNOWN : ROW_ONCE;
	case NORN_SYNC_ONCE_PASS:
		return e->link ? ROW_ONCE_PASS : ROW_ONCE_UNKNOWN;
	case NORN_SYNC_CREATE:
		return create_row(e);
	case NORN_SYNC_DESTROY:
		return is_lock(e) ? ROW_DESTROY : ROW_DESTROY_OTHER;
	case NORN_SYNC_RECEIVE:
		if (norn_receive_kind(e->value) < NORN_RECEIVE_CHANGED)
			return receive_row(graph, number, e);
		return e->flags & NORN_GRAPH_ORDERED ? ROW_LOOK_AMID : ROW_LOOK;
	default:
		return e->op < NORN_SYNC_OPS ? plain_rows[e->op] : ROW_INTERNAL;
	}
}

static enum row thread_row(const struct norn_graph_event *e)
{
	switch (e->op) {
	case NORN_THREAD_BEGIN:
		return e->thread && !(e->flags & NORN_GRAPH_CALLED) ? ROW_BEGIN : ROW_INTERNAL;
	case NORN_THREAD_JOIN:
		return ROW_JOIN;
	case NORN_THREAD_STACK:
		return e->flags & NORN_GRAPH_LENT ? ROW_STACK : ROW_STACK_OWN;
	case NORN_THREAD_BACK:
		if (e->value == NORN_BACK_JOB)
			return ROW_JOB;
		return e->flags & NORN_GRAPH_CALLED ? ROW_INTERNAL : e->value == NORN_BACK_RETURNED ? ROW_BACK : ROW_CALLBACK;
	case NORN_THREAD_CALL:
		if (norn_graph_submits(e))
			return ROW_SUBMIT;
		return e->flags & NORN_GRAPH_CALLED ? ROW_INTERNAL : e->flags & NORN_GRAPH_ORDERED ? ROW_CALL : ROW_CALL_OPAQUE;
	case NORN_THREAD_END:
		return e->flags & NORN_GRAPH_UNSEEN ? ROW_UNSEEN : ROW_INTERNAL;
	case NORN_THREAD_SIGNAL:
		return ROW_HANDLER;
	case NORN_THREAD_EXIT:
		return ROW_PROCESS;
	default: /* whether a thread can be created is the system's choice */
		return ROW_INTERNAL;
	}
}

static enum row row_of(const struct norn_graph *graph, uint32_t number, const struct norn_graph_event *e)
{
	switch (e->kind) {
	case NORN_EVENT_READ:
		return ROW_READ;
	case NORN_EVENT_WRITE:
		return ROW_WRITE;
	case NORN_EVENT_RMW:
		return ROW_RMW;
	case NORN_EVENT_EXTERNAL:
		return e->flags & NORN_GRAPH_ORDERED ? ROW_EXTERNAL_OWN : ROW_EXTERNAL;
	case NORN_EVENT_ALLOC:
		return e->op == NORN_ALLOC_UNMAP ? ROW_UNMAP : norn_graph_moves(e) ? ROW_ALLOC_OWN : ROW_ALLOC;
	case NORN_EVENT_FREE:
		return norn_graph_event(graph, e->life)->kind == NORN_EVENT_FREE ? ROW_FREE_AGAIN : ROW_FREE;
	case NORN_EVENT_SYNC:
		return sync_row(graph, number, e);
	case NORN_EVENT_THREAD:
		return thread_row(e);
	case NORN_EVENT_ENTER:
	case NORN_EVENT_LEAVE:
		return e->flags & NORN_GRAPH_UNSEEN ? ROW_UNSEEN : ROW_INTERNAL;
	case NORN_EVENT_LOST:
		return ROW_LOST;
	default:
		return ROW_INTERNAL;
	}
}

const struct norn_rule *const norn_rules_by_kind[NORN_EVENT_RMW + 1] = {
        [NORN_EVENT_READ] = rules + ROW_READ,
        [NORN_EVENT_WRITE] = rules + ROW_WRITE,
        [NORN_EVENT_RMW] = rules + ROW_RMW,
};

const struct norn_rule *norn_rule_find(const struct norn_graph *graph, uint32_t event)
{
	const struct norn_rule *rule = rules + row_of(graph, event, norn_graph_event(graph, event));
	assert(rule->name && rule->law);
	return rule;
}

bool norn_rule_is_ignored(const struct norn_graph *graph, uint32_t event)
{
	const struct norn_graph_event *e = norn_graph_event(graph, event);
	bool outcome = e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED || e->op == NORN_SYNC_TRY_FAILED ||
	               e->op == NORN_SYNC_SEM_WAIT || e->op == NORN_SYNC_SEM_TRY_FAILED;
	return e->kind == NORN_EVENT_SYNC && e->flags & NORN_GRAPH_IGNORED && outcome;
}

const struct norn_rule *norn_rule_without(const struct norn_graph *graph, uint32_t event, unsigned without)
{
	const struct norn_graph_event *e = norn_graph_event(graph, event);
	if (!(without & NORN_RULE_RESULT) || e->kind != NORN_EVENT_SYNC || !(e->flags & NORN_GRAPH_IGNORED))
		return norn_rule_of(graph, event);
	if (norn_graph_sleeps(e))
		return rules + (e->op == NORN_SYNC_RELEASE_SHARED ? ROW_RELEASE_SHARED : ROW_RELEASE);
	if (e->op == NORN_SYNC_ACQUIRE && e->flags & NORN_GRAPH_WAKES)
		return rules + ROW_ACQUIRE_TIMEOUT;
	return norn_rule_is_ignored(graph, event) ? &got_nothing : norn_rule_of(graph, event);
}

bool norn_rule_from_nowhere(const struct norn_graph *graph, uint32_t event)
{
	const struct norn_graph_event *e = norn_graph_event(graph, event);
	return e->thread && event == norn_graph_first(graph, e->thread) &&
	       !(e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_BEGIN);
}

bool norn_rule_is_look(const struct norn_rule *rule)
{
	return rule == rules + ROW_LOOK || rule == rules + ROW_LOOK_AMID;
}

static bool is_never(const struct norn_graph *graph, uint32_t event, const struct norn_rule *rule, unsigned without)
{
	const struct norn_graph_event *e = norn_graph_event(graph, event);
	if (e->flags & NORN_GRAPH_AFTER && !(without & (NORN_RULE_CALL | NORN_RULE_AFTER)) &&
	        !(without & NORN_RULE_OPAQUE && e->kind != NORN_EVENT_EXTERNAL)) /* which may come from anywhere */
		return true;
	return rule->guard == NORN_GUARD_NEVER && !(without & rule->off);
}

bool norn_rule_never_without(const struct norn_graph *graph, uint32_t event, unsigned without)
{
	return norn_rule_from_nowhere(graph, event) || is_never(graph, event, norn_rule_of(graph, event), without);
}

bool norn_rule_never(const struct norn_graph *graph, uint32_t event)
{
	return norn_rule_never_without(graph, event, 0);
}

bool norn_rule_opaque_call(const struct norn_graph *graph, uint32_t event)
{
	return norn_graph_event(graph, event)->kind == NORN_EVENT_THREAD && norn_rule_of(graph, event) == rules + ROW_CALL_OPAQUE;
}

/* ---- needs ---- */

struct needs_walk {
	const struct norn_rule_walk *needs;
	norn_need_event *need;
	void *context;
};

static void give(const struct needs_walk *w, uint32_t event)
{
	if (event > w->needs->base)
		w->need(w->context, event);
}

static const struct norn_graph_event *event_of(const struct needs_walk *w, uint32_t event)
{
	return norn_graph_event(w->needs->graph, event);
}

/* Must this event precede the destruction of its object (S14)? A wait must; a notify, a post, or taking what is there need not. In
 * the step form it comes before the destruction, if at all. */
static bool matters_to_destruction(const struct needs_walk *w, const struct norn_graph_event *e)
{
	return w->needs->steps || (e->op != NORN_SYNC_SIGNAL && e->op != NORN_SYNC_BROADCAST && e->op != NORN_SYNC_SEM_POST &&
	                                  e->op != NORN_SYNC_SEM_WAIT && e->op != NORN_SYNC_SEM_TRY_FAILED);
}

/* All events of the object from this one back that come before the limit. Of a condition, threads that began to wait by then sleep.
 * False: a receive may get something else. */
static bool walk_history(const struct needs_walk *w, uint32_t number, uint32_t from, uint32_t limit)
{
	const struct norn_graph_event *walker = event_of(w, limit);
	bool looks = walker->op == NORN_SYNC_RECEIVE && walker->value == NORN_RECEIVE_LOOKED;
	bool destroys = walker->op == NORN_SYNC_DESTROY;
	for (uint32_t i = from; i > w->needs->base;) {
		const struct norn_graph_event *e = event_of(w, i);
		assert(e->kind == NORN_EVENT_SYNC && e->size == number && e->other < i);
		if (i < limit && (!destroys || matters_to_destruction(w, e))) {
			give(w, i);
			if (e->op == NORN_SYNC_SEND && e->value == NORN_SEND_LOOSE && !looks)
				return false;
			if (e->op == NORN_SYNC_WAIT_BEGIN && e->next && e->next < limit)
				give(w, e->next);
			/* A notify may find a thread asleep that an earlier event of the condition did not. */
			if (e->op != NORN_SYNC_WAIT_BEGIN && rules[row_of(w->needs->graph, i, e)].needs & NORN_NEED_HISTORY)
				return true;
		}
		i = e->other;
	}
	return true;
}

/* Those of a round that is complete, or the one that completed the round before. */
static void walk_round(const struct needs_walk *w, const struct norn_graph_event *event)
{
	bool completes = event->op == NORN_SYNC_BARRIER_ARRIVE && event->link == event->other;
	for (uint32_t i = event->link; i > w->needs->base; i = event_of(w, i)->other) {
		const struct norn_graph_event *e = event_of(w, i);
		assert(e->kind == NORN_EVENT_SYNC && e->size == event->size && e->other < i);
		if (e->op == NORN_SYNC_BARRIER_LEAVE)
			continue;
		give(w, i);
		if (!completes || e->link == e->other)
			return;
	}
}

/* Threads that had begun to wait for the condition at the base, and were not asleep yet. */
static void walk_sleepers(const struct needs_walk *w, uint32_t number, uint32_t limit)
{
	const struct norn_graph *graph = w->needs->graph;
	for (uint32_t t = 0; t < norn_graph_threads(graph); t++) {
		uint32_t next = norn_graph_after(graph, t, w->needs->base);
		const struct norn_graph_event *e = event_of(w, next);
		bool sleeps = next && norn_graph_sleeps(e);
		if (sleeps && next < limit && event_of(w, e->life)->size == number)
			give(w, next);
	}
}

/* The last call of code without hooks from this one back: it needs those before. Those that are taken for harmless do not count. */
static uint32_t last_call(const struct needs_walk *w, uint32_t call)
{
	bool all = !(w->needs->without & NORN_RULE_OPAQUE);
	while (call > w->needs->base &&
	        (event_of(w, call)->flags & NORN_GRAPH_CALLED || (!all && !(event_of(w, call)->flags & NORN_GRAPH_ORDERED)))) {
		assert(event_of(w, call)->op == NORN_THREAD_CALL && event_of(w, call)->other < call);
		call = event_of(w, call)->other;
	}
	return call;
}

static void walk_world(const struct needs_walk *w, struct norn_rule_walk *needs, const struct norn_graph_event *e)
{
	uint32_t call = e->kind == NORN_EVENT_SYNC ? e->life : e->other, io = e->kind == NORN_EVENT_EXTERNAL ? e->life : e->link;
	if (e->flags & NORN_GRAPH_UNSEEN) {
		const struct norn_graph_event *last = event_of(w, e->life);
		bool sync = e->life && last->kind == NORN_EVENT_SYNC;
		call = sync ? last->life : e->life;
		io = sync ? e->life : last->link;
	}
	/* Calls that are taken for harmless need nothing themselves; but one of them wrote what was found written. */
	for (uint32_t i = call; e->kind == NORN_EVENT_EXTERNAL && needs->without & NORN_RULE_OPAQUE && i > needs->base;
	        i = event_of(w, i)->other)
		give(w, i);
	call = last_call(w, call);
	give(w, call);
	/* Gives all input and output, though the call below needs most of it as well: a later question takes it as given (io_done).
	 * */
	uint32_t done = needs->io_done > needs->base ? needs->io_done : needs->base;
	if (io > needs->io_done)
		needs->io_done = io;
	for (; io > done; io = event_of(w, io)->link)
		give(w, io);
}

bool norn_rule_needs_notify(const struct norn_rule_walk *needs, uint32_t acquire, norn_need_event *need, void *context)
{
	const struct needs_walk w = {needs, need, context};
	uint32_t end = norn_rule_wait_end(needs->graph, acquire);
	const struct norn_graph_event *e = norn_graph_event(needs->graph, end);
	return end && walk_history(&w, e->size, e->other, acquire);
}

static unsigned switched_off(unsigned without)
{
	unsigned needs = 0;
	if (without & NORN_RULE_BEGIN)
		needs |= NORN_NEED_FORK;
	if (without & NORN_RULE_JOIN)
		needs |= NORN_NEED_CHILD;
	if (without & NORN_RULE_LIFE)
		needs |= LIFE | NORN_NEED_MEMORY | NORN_NEED_STACKS;
	if (without & NORN_RULE_REUSE)
		needs |= NORN_NEED_MEMORY;
	if (without & NORN_RULE_TRY)
		needs |= NORN_NEED_HOLDER;
	if (without & NORN_RULE_ORDERED)
		needs |= NORN_NEED_ONCE | NORN_NEED_ROUND | NORN_NEED_HISTORY | NORN_NEED_NOTIFY | NORN_NEED_SLEEPERS;
	if (without & NORN_RULE_CALL)
		needs |= NORN_NEED_CALLS | NORN_NEED_WORLD | NORN_NEED_SUBMITS;
	return needs;
}

bool norn_rule_walk_needs(
        struct norn_rule_walk *needs, uint32_t event, const struct norn_rule *rule, norn_need_event *need, void *context)
{
	const struct norn_graph_event *e = norn_graph_event(needs->graph, event);
	const struct needs_walk w = {needs, need, context};
	unsigned which = needs->without ? rule->needs & ~switched_off(needs->without) : rule->needs;
	if (is_never(needs->graph, event, rule, needs->without))
		return false;
	if (needs->steps)
		which &= ~(unsigned)NORN_NEED_HOLDER;
	if ((needs->without & NORN_RULE_LOOK && norn_rule_is_look(rule)) ||
	        (needs->without & NORN_RULE_AFTER && rule == rules + ROW_UNSEEN))
		return true;
	if (which & LIFE)
		give(&w, e->life);
	if (which == LIFE)
		return true;
	if (which & (NORN_NEED_FORK | NORN_NEED_CHILD) && e->link == 0)
		return false;
	if (which & (NORN_NEED_FORK | NORN_NEED_CHILD | NORN_NEED_HOLDER | NORN_NEED_ONCE))
		give(&w, e->link);
	if (which & NORN_NEED_MEMORY || (which & NORN_NEED_STACKS && needs->steps)) {
		const uint32_t *list;
		uint32_t count = norn_graph_list(needs->graph, &e->link, &list);
		for (uint32_t i = 0; i < count; i++)
			give(&w, list[i]);
	}
	if (which & NORN_NEED_ROUND)
		walk_round(&w, e);
	if (which & NORN_NEED_SLEEPERS)
		walk_sleepers(&w, e->size, event);
	if (which & NORN_NEED_WORLD)
		walk_world(&w, needs, e);
	for (uint32_t i = which & NORN_NEED_SUBMITS ? e->life : 0; i > needs->base; i = norn_graph_event(needs->graph, i)->other)
		give(&w, i);
	if (which & NORN_NEED_CALLS)
		give(&w, last_call(&w, e->life));
	if (which & NORN_NEED_NOTIFY && !norn_rule_needs_notify(needs, event, need, context))
		return false;
	return !(which & NORN_NEED_HISTORY) || walk_history(&w, e->size, e->other, event);
}

/* ---- states ---- */

enum norn_effect norn_rule_effect(unsigned sync_op)
{
	return sync_op < NORN_SYNC_OPS ? rules[plain_rows[sync_op]].effect : NORN_EFFECT_NONE;
}

bool norn_rule_enabled(const struct norn_rule *rule, uint32_t state)
{
	switch (rule->guard) {
	case NORN_GUARD_NONE:
		return true;
	case NORN_GUARD_FREE:
	case NORN_GUARD_ZERO:
		return state == 0;
	case NORN_GUARD_NO_WRITER:
		return state < NORN_STATE_EXCLUSIVE;
	case NORN_GUARD_HELD:
		return state != 0 && state != NORN_STATE_DESTROYED;
	case NORN_GUARD_WRITER:
		return state == NORN_STATE_EXCLUSIVE;
	case NORN_GUARD_POSITIVE:
		return state > 0;
	default:
		return false;
	}
}

uint32_t norn_rule_apply(const struct norn_rule *rule, uint32_t state, uint32_t value)
{
	switch (rule->effect) {
	case NORN_EFFECT_LOCK:
		return NORN_STATE_EXCLUSIVE;
	case NORN_EFFECT_UNLOCK:
	case NORN_EFFECT_CREATE:
		return 0;
	case NORN_EFFECT_SHARE:
	case NORN_EFFECT_UP:
		return state + 1;
	case NORN_EFFECT_UNSHARE:
	case NORN_EFFECT_DOWN:
		return state - (state != 0);
	case NORN_EFFECT_SET:
		return value;
	case NORN_EFFECT_DESTROY:
		return NORN_STATE_DESTROYED;
	default:
		return state;
	}
}
