/* From a thread's buffer to the trace file, by the steps of trace/session.h. */
#include "runtime/self.h"

#include <errno.h>

#include "runtime/sys.h"
#include "trace/codec/block.h"

/* Workspaces for building blocks: one is enough for each thread that flushes at the same time. Each has a stack, too, as the
 * thread's own may be a signal handler's small one. */
#define WORKSPACES 64u
#define STACK_BYTES (256ul << 10)

static struct {
	_Atomic uint32_t taken;
	struct norn_workspace *workspace;
	char *stack; /* its upper end */
} pool[WORKSPACES];

static struct norn_workspace *take(unsigned *ret_i)
{
	for (unsigned tries = 0;; tries++) {
		unsigned i = tries % WORKSPACES;
		if (i == WORKSPACES - 1)
			norn_sys_yield(tries / WORKSPACES);
		if (atomic_exchange_explicit(&pool[i].taken, 1, memory_order_acquire))
			continue; /* pairs with give_back */
		if (!pool[i].workspace) {
			size_t bytes = norn_workspace_bytes(norn_session->slot_units);
			char *memory = norn_sys_memory(STACK_BYTES + bytes);
			pool[i].stack = memory + STACK_BYTES;
			pool[i].workspace = memory ? norn_workspace_init(memory + STACK_BYTES, bytes) : NULL;
		}
		*ret_i = i;
		return pool[i].workspace;
	}
}

static void give_back(unsigned i)
{
	atomic_store_explicit(&pool[i].taken, 0, memory_order_release);
}

void norn_flush_reset(void)
{
	for (unsigned i = 0; i < WORKSPACES; i++) {
		if (atomic_load(&pool[i].taken))
			pool[i].workspace = NULL; /* left by a thread of the parent amid its work: its memory is given up */
		give_back(i);
	}
}

/* Calls f(argument) on another stack. */
static void call_on(char *stack, void (*f)(void *), void *argument)
{
	__asm__ volatile("movq %%rsp, %%rbx\n\tmovq %0, %%rsp\n\tcallq *%1\n\tmovq %%rbx, %%rsp"
	        : "+r"(stack), "+r"(f), "+D"(argument)
	        :
	        : "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
	        "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
}

static void fail(struct norn_slot *self, int error)
{
	int32_t none = 0;
	atomic_compare_exchange_strong(&norn_session->failed, &none, error);
	self->lost += (uint64_t)(self->pos - self->base) / 2; /* records were not counted: a read is two units */
}

struct events_block {
	struct norn_workspace *workspace;
	const struct norn_slot *self;
	const uint8_t *block;
	size_t bytes;
};

static void build_events(void *argument)
{
	struct events_block *e = argument;
	const struct norn_slot *self = e->self;
	const struct norn_block_id id = {self->thread, self->parent, self->ordinal, self->sequence};
	e->bytes = norn_block_events(e->workspace, &id, self->base, (unsigned)(self->pos - self->base), &e->block);
}

/* Steps (b) to (d) of trace/session.h. No signal may end them halfway: others wait for what was reserved to be put. */
static int write_out(struct norn_slot *self, const uint8_t *block, size_t bytes)
{
	uint32_t records = ((const struct norn_block_header *)(const void *)block)->records;
	self->flush_units = (unsigned)(self->pos - self->base);
	self->flush_thread = self->thread;
	self->flush_parent = self->parent;
	self->flush_ordinal = self->ordinal;
	self->flush_sequence = self->sequence;
	atomic_store_explicit(&self->flush_offset, 0, memory_order_release);
	atomic_store_explicit(&self->flushing, 1, memory_order_release);
	uint64_t mask = norn_sys_block(), offset = atomic_fetch_add(&norn_session->file_end, bytes);
	atomic_store_explicit(&self->flush_offset, offset, memory_order_release);
	int error = norn_window_put(block, bytes, offset, records);
	norn_sys_unblock(mask);
	return error;
}

static int write_events(struct norn_slot *self)
{
	unsigned i;
	struct events_block e = {.workspace = take(&i), .self = self};
	int result = -ENOMEM;
	if (e.workspace) {
		call_on(pool[i].stack, build_events, &e);
		result = e.bytes ? write_out(self, e.block, e.bytes) : 0;
	}
	give_back(i);
	return result;
}

void norn_flush(void)
{
	struct norn_slot *self = norn_self;
	if (!self || self->pos == self->base)
		return;
	self->busy++;
	self->yielding = 1; /* no page is in use here: other threads need not wait for the disk */
	int error = norn_session->discard ? 0 : write_events(self);
	if (error)
		fail(self, -error);
	self->pos = self->base;
	self->seen = 0;
	self->sequence++;
	atomic_store_explicit(&self->flushing, 0, memory_order_release);
	self->yielding = 0;
	self->busy--;
}

void norn_write_block(unsigned kind, const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
	unsigned i;
	struct norn_session *session = norn_session;
	if (!session || !session->trace[0] || atomic_load(&session->failed))
		return;
	struct norn_workspace *workspace = take(&i);
	int error = -ENOMEM;
	if (workspace) {
		const uint8_t *block;
		int whole;
		size_t bytes = norn_block_other(workspace, kind, a, a_bytes, b, b_bytes, &block, &whole);
		uint64_t span = norn_block_span((const struct norn_block_header *)(const void *)block);
		uint64_t mask = norn_sys_block(), offset = atomic_fetch_add(&session->file_end, span);
		static const uint8_t zeros[8];
		error = norn_window_put(block, bytes, offset, 0);
		if (!whole && !error)
			error = norn_window_put(a, a_bytes, offset + bytes, 0);
		if (!whole && !error)
			error = norn_window_put(b, b_bytes, offset + bytes + a_bytes, 0);
		if (!whole && !error)
			error = norn_window_put(zeros, span - bytes - a_bytes - b_bytes, offset + bytes + a_bytes + b_bytes, 0);
		norn_sys_unblock(mask);
	}
	give_back(i);
	int32_t none = 0;
	if (error)
		atomic_compare_exchange_strong(&session->failed, &none, -error);
}
