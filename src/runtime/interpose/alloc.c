/* The malloc family. An allocation is logged after the call, a free before it, so that no other thread can have been given the
 * block in between: an address that is used again is a new variable.
 *
 * A block is as long as there is room in it, however little was asked for: so it is the same block after realloc gave more of it,
 * and a free ends all of it.
 *
 * realloc is the hard one: only the allocator knows whether the block will move, and when it has moved, the old one may be another
 * thread's already. So Norn decides. A size that the block has room for stays in place, and is no event: an allocation would begin
 * another life, with contents that no event wrote. Growth beyond that is an allocation, a recorded copy (the new bytes are the old
 * ones, an analysis must see that) and a free; the new block gets room to grow, or a loop of small steps, which allocators make
 * cheap by growing in place, would become quadratic. Shrinking is left to the allocator, most of which do it in place; if it moves
 * the block, the old one's free is not logged, as it would come too late; the address's next allocation tells as much.
 *
 * Before dlsym has found the real functions, which may want memory itself, a small arena serves. It is never given back. C++'s new
 * and delete, strdup, getline and so on come here by themselves: they call malloc and free by these names. */
#include "runtime/interpose/interpose.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/replay/replay.h"

/* ---- the arena ---- */

#define ARENA_BYTES 65536u
static _Alignas(16) char arena[ARENA_BYTES];
static _Atomic size_t arena_used;

struct arena_head {
	_Alignas(16) size_t bytes;
};

static bool in_arena(const void *block)
{
	return (uintptr_t)block - (uintptr_t)arena < ARENA_BYTES;
}

static void *from_arena(size_t bytes)
{
	size_t whole = sizeof(struct arena_head) + ((bytes + 15) & ~(size_t)15);
	size_t at = bytes > ARENA_BYTES ? ARENA_BYTES : atomic_fetch_add(&arena_used, whole);
	if (at >= ARENA_BYTES || whole > ARENA_BYTES - at) {
		errno = ENOMEM;
		return NULL;
	}
	struct arena_head *head = (struct arena_head *)(arena + at);
	head->bytes = bytes;
	return head + 1;
}

/* The real functions are not there yet: they are being looked up, or this is the call that does it. */
static bool early(void)
{
	if (__builtin_expect(norn_real.malloc_usable_size != NULL, 1))
		return false;
	static __thread bool looking __attribute__((tls_model("initial-exec")));
	if (!looking) {
		looking = true;
		norn_real_resolve();
		looking = false;
	}
	return norn_real.malloc_usable_size == NULL;
}

/* ---- allocating ---- */

static void *allocated(void *block, enum norn_alloc_op op, size_t bytes, uint32_t site)
{
	if (norn_self && block) {
		size_t room = norn_real_usable(block);
		norn_log_alloc(op, block, room > bytes ? room : bytes, site);
	}
	return block;
}

NORN_EXPORT void *malloc(size_t bytes)
{
	uint32_t site = __norn_call_site;
	if (early())
		return from_arena(bytes);
	return allocated(norn_real.malloc(bytes), NORN_ALLOC_MALLOC, bytes, site);
}

NORN_EXPORT void *calloc(size_t count, size_t each)
{
	uint32_t site = __norn_call_site;
	size_t bytes;
	bool overflow = __builtin_mul_overflow(count, each, &bytes);
	if (early())
		return from_arena(overflow ? SIZE_MAX : bytes); /* zero, since never used before */
	return allocated(norn_real.calloc(count, each), NORN_ALLOC_CALLOC, bytes, site);
}

NORN_EXPORT int posix_memalign(void **block, size_t alignment, size_t bytes)
{
	uint32_t site = __norn_call_site;
	int result = REAL(posix_memalign)(block, alignment, bytes);
	if (result == 0)
		allocated(*block, NORN_ALLOC_ALIGNED, bytes, site);
	return result;
}

NORN_EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
	uint32_t site = __norn_call_site;
	return allocated(REAL(aligned_alloc)(alignment, bytes), NORN_ALLOC_ALIGNED, bytes, site);
}

NORN_EXPORT void *memalign(size_t alignment, size_t bytes)
{
	uint32_t site = __norn_call_site;
	return allocated(REAL(memalign)(alignment, bytes), NORN_ALLOC_ALIGNED, bytes, site);
}

NORN_EXPORT void *valloc(size_t bytes)
{
	uint32_t site = __norn_call_site;
	return allocated(REAL(valloc)(bytes), NORN_ALLOC_ALIGNED, bytes, site);
}

NORN_EXPORT void *pvalloc(size_t bytes)
{
	uint32_t site = __norn_call_site;
	return allocated(REAL(pvalloc)(bytes), NORN_ALLOC_ALIGNED, bytes, site);
}

/* ---- freeing ---- */

/* The end of the block is recorded, too: a use lies within. */
static uint32_t begin_free(uint32_t site, void *block)
{
	return __builtin_expect(norn_replaying, 0) ? norn_replay_step(NORN_OPERATION_FREE, site, block, norn_real_usable(block))
	                                           : 0;
}

NORN_EXPORT void free(void *block)
{
	uint32_t site = __norn_call_site;
	if (!block || in_arena(block) || early())
		return;
	uint32_t step = norn_self ? begin_free(site, block) : 0;
	if (norn_self)
		norn_log_free(block, norn_real_usable(block), site);
	norn_real.free(block);
	norn_step_end(step);
}

/* ---- changing the size ---- */

#define KEEP_BYTES 128u /* a block this small stays where it is when it shrinks */
#define GROW_BYTES 512u /* a block this big gets an eighth more than it asked for when it grows */

static void *from_arena_to_heap(void *old, size_t bytes)
{
	size_t had = ((struct arena_head *)old)[-1].bytes;
	void *block = malloc(bytes);
	return block ? memcpy(block, old, had < bytes ? had : bytes) : NULL;
}

static void *grow(void *old, size_t had, size_t bytes, uint32_t site)
{
	size_t room = had < GROW_BYTES ? 0 : bytes / 8;
	int error = errno;
	void *block = room < SIZE_MAX / 2 - bytes ? norn_real.malloc(bytes + room) : NULL;
	if (!block) {
		errno = error;
		return allocated(norn_real.realloc(old, bytes), NORN_ALLOC_REALLOC, bytes, site);
	}
	allocated(block, NORN_ALLOC_REALLOC, bytes, site);
	__norn_copy(block, old, had, site);
	uint32_t step = begin_free(site, old);
	norn_log_free(old, had, site);
	norn_real.free(old);
	norn_step_end(step);
	return block;
}

NORN_EXPORT void *realloc(void *old, size_t bytes)
{
	uint32_t site = __norn_call_site;
	if (!old)
		return early() ? from_arena(bytes) : allocated(norn_real.realloc(NULL, bytes), NORN_ALLOC_MALLOC, bytes, site);
	if (in_arena(old))
		return from_arena_to_heap(old, bytes);
	size_t had = norn_self ? norn_real_usable(old) : 0;
	if (had == 0)
		return allocated(norn_real.realloc(old, bytes), NORN_ALLOC_REALLOC, bytes, site);
	if (bytes == 0) { /* libc frees it; other allocators give an empty block */
		uint32_t step = begin_free(site, old);
		norn_log_free(old, had, site);
		void *empty = norn_real.realloc(old, 0);
		norn_step_end(step);
		return allocated(empty, NORN_ALLOC_REALLOC, 0, site);
	}
	if (bytes > had)
		return grow(old, had, bytes, site);
	if (bytes >= had / 2 || had <= KEEP_BYTES)
		return old;
	void *block = norn_real.realloc(old, bytes);
	return block == old ? old : allocated(block, NORN_ALLOC_REALLOC, bytes, site);
}
