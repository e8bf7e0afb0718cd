/* Threads: numbers and slots. */
#include "runtime/self.h"

#include <errno.h>
#include <pthread.h>

#include "runtime/observe/observe.h"
#include "runtime/record/shadow.h"
#include "runtime/sys.h"
#include "runtime/watch/watch.h"

__thread struct norn_slot *norn_self __attribute__((tls_model("initial-exec")));

/* This thread must not be recorded (any more): it has ended, or there was no slot for it. */
static __thread bool refused __attribute__((tls_model("initial-exec")));
static atomic_bool sandboxed; /* a thread has been withdrawn: those that begin now may be in its sandbox */
static __thread bool attaching __attribute__((tls_model("initial-exec")));

/* The origin of each thread number, filled by the parent before the child starts. */
#define NUMBERS (1u << 22)
struct thread_origin {
	uint32_t parent, ordinal;
};
static _Atomic(struct thread_origin *) origins;

static struct thread_origin *origin_of(uint32_t thread)
{
	struct thread_origin *all = atomic_load_explicit(&origins, memory_order_acquire);
	if (!all) {
		struct thread_origin *none = NULL;
		all = norn_sys_memory(NUMBERS * sizeof *all);
		if (!atomic_compare_exchange_strong(&origins, &none, all)) {
			if (all)
				norn_sys_unmap(all, NUMBERS * sizeof *all);
			all = none;
		}
	}
	return all && thread < NUMBERS ? &all[thread] : NULL;
}

uint32_t norn_thread_number(void)
{
	return norn_self ? norn_self->thread : NORN_NO_THREAD;
}

uint32_t norn_thread_reserve(void)
{
	struct norn_session *session = norn_session;
	if (!session)
		return NORN_NO_THREAD;
	uint32_t thread = atomic_fetch_add(&session->threads, 1);
	struct thread_origin *origin = origin_of(thread);
	if (origin && norn_self) {
		origin->parent = norn_self->thread;
		origin->ordinal = ++norn_self->children;
	}
	return thread;
}

static struct norn_slot *slot_pop(struct norn_session *session)
{
	uint64_t head = atomic_load(&session->free_slots);
	while ((uint32_t)head) {
		struct norn_slot *slot = &session->slot[(uint32_t)head - 1];
		/* The tag in the upper half makes a head that was popped and pushed meanwhile differ. */
		uint64_t next = ((head >> 32) + 1) << 32 | slot->next;
		if (atomic_compare_exchange_weak(&session->free_slots, &head, next))
			return slot;
	}
	return NULL;
}

static void slot_push(struct norn_session *session, struct norn_slot *slot)
{
	uint64_t head = atomic_load(&session->free_slots), next;
	do {
		slot->next = (uint32_t)head;
		next = ((head >> 32) + 1) << 32 | (uint32_t)(slot - session->slot + 1);
	} while (!atomic_compare_exchange_weak(&session->free_slots, &head, next));
}

static struct norn_slot *slot_take(struct norn_session *session)
{
	struct norn_slot *slot = slot_pop(session);
	if (slot)
		return slot;
	uint32_t i = atomic_load(&session->used_slots);
	do {
		if (i >= session->slots)
			return NULL;
	} while (!atomic_compare_exchange_weak(&session->used_slots, &i, i + 1));
	if (norn_session_reserve(i))
		return NULL;
	struct norn_slot *fresh = &session->slot[i];
	fresh->thread = NORN_NO_THREAD; /* first: if the process is killed now, the rest means nothing */
	__asm__ volatile("" ::: "memory");
	fresh->base = norn_session_buffer(session, i);
	fresh->pages = norn_pages_of(i);
	return fresh->pages ? fresh : NULL;
}

/* Asked before the thread is recorded, since libc allocates to answer. */
static bool find_stack(uint32_t thread, void **ret_low, size_t *ret_bytes)
{
	pthread_attr_t attributes;
	/* The main thread's stack grows and is never used by another: nothing to say, and asking would read /proc. */
	if (!thread || pthread_getattr_np(pthread_self(), &attributes))
		return false;
	bool found = !pthread_attr_getstack(&attributes, ret_low, ret_bytes);
	pthread_attr_destroy(&attributes);
	return found;
}

void norn_thread_attach(uint32_t thread, uint32_t parent)
{
	struct norn_session *session = norn_session;
	if (!session || norn_self || refused || attaching || atomic_load_explicit(&session->outdated, memory_order_relaxed))
		return;
	if (atomic_load_explicit(&sandboxed, memory_order_relaxed)) {
		refused = true;
		atomic_fetch_add(&session->lost_threads, 1);
		return;
	}
	attaching = true;
	struct norn_slot *slot = slot_take(session);
	if (!slot) {
		refused = true;
		attaching = false;
		atomic_fetch_add(&session->lost_threads, 1);
		return;
	}
	if (thread == NORN_NO_THREAD)
		thread = atomic_fetch_add(&session->threads, 1);
	void *stack;
	size_t stack_bytes;
	bool stack_known = !norn_watching && find_stack(thread, &stack, &stack_bytes); /* not needed in watch mode */
	struct thread_origin *origin = origin_of(thread);
	slot->pos = slot->base;
	slot->sequence = 0;
	slot->parent = origin && origin->ordinal ? origin->parent : NORN_NO_THREAD;
	slot->ordinal = origin ? origin->ordinal : 0;
	slot->children = slot->depth = slot->busy = slot->pending.any = slot->yielding = 0;
	slot->locked = NULL;
	slot->wait.waiting = NORN_WAITING_NOT;
	slot->lost = 0;
	slot->seen = 0;
	atomic_store_explicit(&slot->limit, NULL, memory_order_relaxed);
	__asm__ volatile("" ::: "memory"); /* last: from here on the recorder takes the slot as it stands */
	slot->thread = thread;
	norn_self = slot;
	attaching = false;
	norn_thread_attached();
	norn_log_thread(NORN_THREAD_BEGIN, thread, parent, 0);
	if (stack_known) {
		norn_log_thread(NORN_THREAD_STACK, thread, (uintptr_t)stack, 0);
		norn_log_thread(NORN_THREAD_STACK, thread, stack_bytes, 0);
	}
}

void norn_thread_detach(void)
{
	struct norn_slot *slot = norn_self;
	if (!slot)
		return;
	norn_log_thread(NORN_THREAD_END, slot->thread, 0, 0);
	norn_flush();
	refused = true;
	norn_self = NULL;
	__asm__ volatile("" ::: "memory");
	atomic_fetch_add(&norn_session->lost_events, slot->lost);
	slot->lost = 0;
	slot->thread = NORN_NO_THREAD;
	slot_push(norn_session, slot);
}

struct norn_slot *norn_thread_pause(void)
{
	struct norn_slot *self = norn_self;
	norn_flush();
	if (norn_observing)
		norn_observe_flush();
	norn_self = NULL;
	return self;
}

void norn_thread_resume(struct norn_slot *self)
{
	norn_self = self;
}

/* Makes no system call. */
void norn_thread_withdraw(struct norn_slot *self)
{
	atomic_store(&sandboxed, true);
	norn_thread_give_up(self);
}

void norn_thread_give_up(struct norn_slot *self)
{
	refused = true;
	if (!self)
		return;
	if (norn_watching)
		norn_watch_withdraw();
	atomic_fetch_add(&norn_session->lost_events, self->lost);
	atomic_fetch_add(&norn_session->lost_threads, 1);
	self->lost = 0;
	self->thread = NORN_NO_THREAD;
	slot_push(norn_session, self);
}

bool norn_thread_is_sandboxed(void)
{
	return refused && atomic_load(&sandboxed);
}

void norn_thread_forget(void)
{
	norn_self = NULL;
	refused = attaching = false;
	struct thread_origin *all = atomic_exchange(&origins, NULL);
	if (all)
		norn_sys_unmap(all, NUMBERS * sizeof *all);
}

struct norn_slot *norn_busy_or_attach(void)
{
	if (!norn_self) {
		if (!norn_session || refused || atomic_load_explicit(&norn_session->outdated, memory_order_relaxed))
			return NULL;
		int saved = errno;
		norn_thread_attach(NORN_NO_THREAD, NORN_NO_THREAD);
		norn_self_begins_outside();
		errno = saved;
	}
	return norn_busy();
}
