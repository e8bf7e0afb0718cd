#include "trace/event.h"

#include "trace/record.h"

#define COUNT(names) (sizeof(names) / sizeof *(names))

static const char *const kinds[NORN_EVENT_KINDS] = {
        [NORN_EVENT_READ] = "read",
        [NORN_EVENT_WRITE] = "write",
        [NORN_EVENT_RMW] = "rmw",
        [NORN_EVENT_EXTERNAL] = "external",
        [NORN_EVENT_SYNC] = "sync",
        [NORN_EVENT_THREAD] = "thread",
        [NORN_EVENT_ENTER] = "enter",
        [NORN_EVENT_LEAVE] = "leave",
        [NORN_EVENT_ALLOC] = "alloc",
        [NORN_EVENT_FREE] = "free",
        [NORN_EVENT_MARK] = "mark",
        [NORN_EVENT_LOST] = "lost",
};

static const char *const sync_ops[NORN_SYNC_OPS] = {
        [NORN_SYNC_ACQUIRE] = "acquire",
        [NORN_SYNC_RELEASE] = "release",
        [NORN_SYNC_ACQUIRE_SHARED] = "acquire-shared",
        [NORN_SYNC_RELEASE_SHARED] = "release-shared",
        [NORN_SYNC_TRY_FAILED] = "try-failed",
        [NORN_SYNC_WAIT_BEGIN] = "wait-begin",
        [NORN_SYNC_WAIT_END] = "wait-end",
        [NORN_SYNC_WAIT_TIMEOUT] = "wait-timeout",
        [NORN_SYNC_SIGNAL] = "signal",
        [NORN_SYNC_BROADCAST] = "broadcast",
        [NORN_SYNC_SEM_INIT] = "sem-init",
        [NORN_SYNC_SEM_POST] = "sem-post",
        [NORN_SYNC_SEM_WAIT] = "sem-wait",
        [NORN_SYNC_SEM_TRY_FAILED] = "sem-try-failed",
        [NORN_SYNC_BARRIER_INIT] = "barrier-init",
        [NORN_SYNC_BARRIER_ARRIVE] = "barrier-arrive",
        [NORN_SYNC_BARRIER_LEAVE] = "barrier-leave",
        [NORN_SYNC_ONCE_BEGIN] = "once-begin",
        [NORN_SYNC_ONCE_END] = "once-end",
        [NORN_SYNC_ONCE_PASS] = "once-pass",
        [NORN_SYNC_CREATE] = "create",
        [NORN_SYNC_DESTROY] = "destroy",
        [NORN_SYNC_SEND] = "send",
        [NORN_SYNC_RECEIVE] = "receive",
};

static const char *const thread_ops[NORN_THREAD_OPS] = {
        [NORN_THREAD_FORK] = "fork",
        [NORN_THREAD_FORK_FAILED] = "fork-failed",
        [NORN_THREAD_BEGIN] = "begin",
        [NORN_THREAD_STACK] = "stack",
        [NORN_THREAD_END] = "end",
        [NORN_THREAD_JOIN] = "join",
        [NORN_THREAD_DETACH] = "detach",
        [NORN_THREAD_EXIT] = "exit",
        [NORN_THREAD_NAME] = "name",
        [NORN_THREAD_SIGNAL] = "signal",
        [NORN_THREAD_SIGNAL_END] = "signal-end",
        [NORN_THREAD_CALL] = "call",
        [NORN_THREAD_BACK] = "back",
        [NORN_THREAD_FENCE] = "fence",
};

static const char *const mark_ops[NORN_MARK_OPS] = {
        [NORN_MARK_EVENT] = "event",
        [NORN_MARK_SET] = "set",
        [NORN_MARK_ATOMIC_BEGIN] = "atomic-begin",
        [NORN_MARK_ATOMIC_END] = "atomic-end",
};

static const char *name_of(const char *const *names, unsigned count, unsigned i)
{
	return i < count && names[i] ? names[i] : "?";
}

const char *norn_event_kind_name(unsigned kind)
{
	return name_of(kinds, COUNT(kinds), kind);
}

const char *norn_sync_op_name(unsigned op)
{
	return name_of(sync_ops, COUNT(sync_ops), op);
}

const char *norn_thread_op_name(unsigned op)
{
	return name_of(thread_ops, COUNT(thread_ops), op);
}

const char *norn_mark_op_name(unsigned op)
{
	return name_of(mark_ops, COUNT(mark_ops), op);
}

const char *norn_event_word(unsigned kind, unsigned op)
{
	switch (kind) {
	case NORN_EVENT_ENTER:
		return "call";
	case NORN_EVENT_LEAVE:
		return "return";
	case NORN_EVENT_SYNC:
		return op == NORN_SYNC_ACQUIRE || op == NORN_SYNC_ACQUIRE_SHARED   ? "lock"
		       : op == NORN_SYNC_RELEASE || op == NORN_SYNC_RELEASE_SHARED ? "unlock"
		                                                                   : norn_sync_op_name(op);
	case NORN_EVENT_THREAD:
		return op == NORN_THREAD_BEGIN ? "start" : op == NORN_THREAD_JOIN ? "join" : "exit";
	case NORN_EVENT_MARK:
		return op == NORN_MARK_SET ? "set" : "note";
	case 0:
		return "start";
	default:
		return norn_event_kind_name(kind);
	}
}
