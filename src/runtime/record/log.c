/* Records other than accesses. */
#include "runtime/record/access.h"

#include <x86intrin.h>

#include "runtime/replay/replay.h"
#include "runtime/observe/observe.h"
#include "runtime/watch/watch.h"

/* As much as hooks ask for at once (interpose/signal.c). */
_Static_assert(NORN_SHORT_UNITS >= 3 * NORN_RECORD_UNITS_MAX + 2 * NORN_ROOM, "short buffers are large enough");

bool norn_room(struct norn_slot *self, unsigned units)
{
	struct norn_session *session = norn_session;
	if (norn_watching)
		return false; /* nothing is recorded */
	uint64_t *end = self->base + norn_session_units(session->slot_units, (uint32_t)(self - session->slot));
	bool tick = !atomic_load_explicit(&self->limit, memory_order_relaxed);
	bool watched = tick && norn_observing && norn_observe_enter(self);
	if (atomic_load_explicit(&session->failed, memory_order_relaxed)) {
		self->lost++;
		return false;
	}
	if (self->pos + units + NORN_ROOM > end) {
		norn_flush();
		if (atomic_load_explicit(&session->failed, memory_order_relaxed)) {
			self->lost++;
			return false;
		}
	}
	if (tick && !(watched && session->discard)) {
		bool listens = norn_replaying && norn_replay_wants_accesses(self);
		uint64_t now = __rdtsc();
		if (!watched && !listens)
			atomic_store_explicit(&self->limit, end - NORN_ROOM, memory_order_relaxed);
		if (!listens || norn_replay_stamp(now)) {
			self->pos[0] = now << 8 | NORN_TAG_TIME;
			norn_append(self, 1);
		}
	}
	return true;
}

/* Time and a record of three units, of which the second has the version still to be filled in. */
static void append3(struct norn_slot *self, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t *pos = self->pos;
	pos[0] = a;
	pos[1] = b;
	pos[2] = c;
	norn_append(self, 3);
}

static void append_time(struct norn_slot *self)
{
	self->pos[0] = __rdtsc() << 8 | NORN_TAG_TIME;
	norn_append(self, 1);
}

/* A record that gives the word at object a new version, logged before that version can be seen. */
static void log_stamped(struct norn_slot *self, const void *object, uint64_t head, uint64_t argument, uint32_t site)
{
	struct norn_cell *cell = norn_cell_claim(self, object);
	if (!cell)
		return;
	bool shared = norn_page_shared(self, object);
	uint64_t v = (shared ? norn_cell_lock(cell) : atomic_load_explicit(&cell->version, memory_order_relaxed)) + 2;
	append3(self, (uintptr_t)object << 16 | head, v >> 1 << 32 | site, argument);
	norn_cell_publish(cell, v);
}

void norn_log_sync(enum norn_sync_op op, const void *object, uint64_t argument, uint32_t site)
{
	if (norn_watching) {
		norn_watch_sync(op, object, site);
		return;
	}
	struct norn_slot *self = norn_busy();
	if (self && norn_room(self, NORN_ROOM)) {
		append_time(self);
		log_stamped(self, object, (unsigned)op << 4 | NORN_TAG_SYNC, argument, site);
	}
	norn_idle(self);
}

static _Atomic uint32_t large_frees;
static __thread uint32_t large_frees_seen __attribute__((tls_model("initial-exec")));

void norn_log_large_free(void)
{
	atomic_fetch_add_explicit(&large_frees, 1, memory_order_relaxed);
}

/* Memory beyond the versioned words of a free, and parts of a mapping, are ordered by time stamps. */
static void append_time_of_alloc(struct norn_slot *self, enum norn_alloc_op op)
{
	uint32_t frees = atomic_load_explicit(&large_frees, memory_order_relaxed);
	if (op < NORN_ALLOC_MAP && frees == large_frees_seen)
		return;
	large_frees_seen = frees;
	append_time(self);
}

void norn_log_alloc(enum norn_alloc_op op, const void *block, size_t bytes, uint32_t site)
{
	if (norn_watching) {
		norn_watch_block(false, op, block, bytes, site);
		return;
	}
	struct norn_slot *self = norn_busy();
	if (op == NORN_ALLOC_UNMAP)
		norn_log_large_free();
	if (self && norn_room(self, NORN_ROOM)) {
		append_time_of_alloc(self, op);
		log_stamped(self, block, (unsigned)op << 4 | NORN_TAG_ALLOC, bytes, site);
	}
	norn_idle(self);
}

void norn_log_thread(enum norn_thread_op op, uint32_t thread, uint64_t argument, uint32_t site)
{
	struct norn_slot *self = norn_busy();
	if (self && op == NORN_THREAD_FORK_FAILED)
		self->children--; /* its ordinal is free again */
	if (norn_watching)
		norn_watch_thread(op, thread, argument, site);
	if (self && norn_room(self, NORN_ROOM)) {
		append_time(self);
		append3(self, (unsigned)op << 4 | NORN_TAG_THREAD, (uint64_t)thread << 32 | site, argument);
	}
	norn_idle(self);
}

void norn_log_mark(enum norn_mark_op op, uint32_t name, uint64_t value, uint32_t site)
{
	struct norn_slot *self = norn_busy();
	if (self && norn_room(self, NORN_ROOM)) {
		append_time(self);
		append3(self, (unsigned)op << 4 | NORN_TAG_MARK, (uint64_t)name << 32 | site, value);
	}
	norn_idle(self);
}

void norn_deliver_from_hook(void)
{
	norn_deliver();
}

__attribute__((weak)) void norn_deliver(void)
{
}
