/* An allocator of the program's own, with a lock around it: in the program itself (-DWHOLE), or as a library that heap_user.c is linked with. */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ARENA (64ul << 20)
#define CLASSES 26u

struct head {
	_Alignas(16) size_t bytes; /* of the block */
	struct head *next; /* while it is free */
};
static _Alignas(4096) char arena[ARENA];
static size_t used;
static struct head *spare[CLASSES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int heap_calls;

static unsigned class_of(size_t bytes)
{
	unsigned class = 5;
	while (((size_t)1 << class) < bytes)
		class ++;
	return class;
}

void *malloc(size_t bytes)
{
	unsigned class = class_of(bytes);
	if (class >= CLASSES) {
		errno = ENOMEM;
		return NULL;
	}
	pthread_mutex_lock(&lock);
	struct head *h = spare[class];
	heap_calls++;
	if (h) {
		spare[class] = h->next;
	} else if (used + sizeof *h + ((size_t)1 << class) <= ARENA) {
		h = (struct head *)(arena + used);
		used += sizeof *h + ((size_t)1 << class);
		h->bytes = (size_t)1 << class;
	}
	pthread_mutex_unlock(&lock);
	if (!h)
		errno = ENOMEM;
	return h ? h + 1 : NULL;
}

void free(void *block)
{
	if (!block)
		return;
	struct head *h = (struct head *)block - 1;
	unsigned class = class_of(h->bytes);
	pthread_mutex_lock(&lock);
	heap_calls++;
	h->next = spare[class];
	spare[class] = h;
	pthread_mutex_unlock(&lock);
}

void *calloc(size_t count, size_t each)
{
	size_t bytes;
	void *block = __builtin_mul_overflow(count, each, &bytes) ? NULL : malloc(bytes);
	return block ? memset(block, 0, bytes) : NULL;
}

void *realloc(void *block, size_t bytes)
{
	void *other = malloc(bytes);
	if (other && block) {
		size_t had = ((struct head *)block - 1)->bytes;
		memcpy(other, block, had < bytes ? had : bytes);
		free(block);
	}
	return other;
}

/* Blocks lie 32 bytes behind each other's ends: no more is promised. */
void *aligned_alloc(size_t alignment, size_t bytes)
{
	return alignment <= 16 ? malloc(bytes) : NULL;
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
	*block = aligned_alloc(alignment, bytes);
	return *block ? 0 : ENOMEM;
}

size_t malloc_usable_size(void *block)
{
	return block ? ((struct head *)block - 1)->bytes : 0;
}

#ifdef WHOLE
#include "heap_user.c"
#endif
