#include "runtime/heap.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/sys.h"

#define SMALL_MAX 4096u /* bytes, head included: beyond, a mapping */
#define LEAST 64u /* a line of the cache, lest what two threads write to share one */
#define CHUNK_BYTES (256u << 10)
#define CLASSES 13u /* powers of two up to SMALL_MAX */

/* Before each block; 16 bytes, so that blocks are aligned like malloc's. */
struct heap_head {
	_Alignas(16) size_t whole; /* bytes, head included: a power of two, or a mapping's length */
};

static struct heap_head *spare[CLASSES]; /* linked through the first bytes of their blocks */
static char *chunk, *chunk_end;

static struct heap_head **link_of(struct heap_head *head)
{
	return (struct heap_head **)(void *)(head + 1);
}

static unsigned class_of(size_t whole)
{
	return whole <= LEAST ? 6 : 64 - (unsigned)__builtin_clzl(whole - 1);
}

static _Atomic uint32_t lock; /* of the two above */

static void enter(void)
{
	for (unsigned waits = 0; atomic_exchange_explicit(&lock, 1, memory_order_acquire); waits++)
		norn_sys_yield(waits);
}

static void leave(void)
{
	atomic_store_explicit(&lock, 0, memory_order_release);
}

static struct heap_head *take_small(unsigned class)
{
	struct heap_head *head = spare[class];
	if (head) {
		spare[class] = *link_of(head);
		return head;
	}
	size_t whole = (size_t)1 << class;
	if ((size_t)(chunk_end - chunk) < whole) {
		char *fresh = norn_sys_memory(CHUNK_BYTES);
		if (!fresh)
			return NULL;
		chunk = fresh; /* the rest of the last chunk is too small to keep */
		chunk_end = fresh + CHUNK_BYTES;
	}
	head = (struct heap_head *)(void *)chunk;
	chunk += whole;
	head->whole = whole;
	return head;
}

static size_t mapping_bytes(size_t bytes)
{
	return (bytes + sizeof(struct heap_head) + 4095) & ~(size_t)4095;
}

void *norn_heap_malloc(size_t bytes)
{
	if (bytes > PTRDIFF_MAX)
		return NULL;
	struct heap_head *head;
	if (bytes + sizeof *head <= SMALL_MAX) {
		enter();
		head = take_small(class_of(bytes + sizeof *head));
		leave();
	} else {
		head = norn_sys_memory(mapping_bytes(bytes));
		if (head)
			head->whole = mapping_bytes(bytes);
	}
	return head ? head + 1 : NULL;
}

void *norn_heap_calloc(size_t count, size_t each)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, each, &bytes))
		return NULL;
	void *block = norn_heap_malloc(bytes);
	if (block && bytes + sizeof(struct heap_head) <= SMALL_MAX) /* mappings are zeroed */
		memset(block, 0, bytes);
	return block;
}

void norn_heap_free(void *block)
{
	if (!block)
		return;
	struct heap_head *head = (struct heap_head *)block - 1;
	if (head->whole > SMALL_MAX) {
		norn_sys_unmap(head, head->whole);
		return;
	}
	unsigned class = class_of(head->whole);
	enter();
	*link_of(head) = spare[class];
	spare[class] = head;
	leave();
}

static void *remap(struct heap_head *head, size_t whole)
{
	long moved = norn_syscall(SYS_mremap, (long)head, (long)head->whole, (long)whole, MREMAP_MAYMOVE, 0, 0);
	if (moved < 0 && moved > -4096)
		return NULL;
	head = (struct heap_head *)moved;
	head->whole = whole;
	return head + 1;
}

void *norn_heap_realloc(void *block, size_t bytes)
{
	if (!block)
		return norn_heap_malloc(bytes);
	if (bytes > PTRDIFF_MAX)
		return NULL;
	struct heap_head *head = (struct heap_head *)block - 1;
	size_t room = head->whole - sizeof *head;
	if (head->whole > SMALL_MAX && bytes + sizeof *head > SMALL_MAX)
		return remap(head, mapping_bytes(bytes));
	if (bytes <= room && head->whole <= SMALL_MAX)
		return block;
	void *other = norn_heap_malloc(bytes);
	if (!other)
		return NULL;
	memcpy(other, block, bytes < room ? bytes : room);
	norn_heap_free(block);
	return other;
}
