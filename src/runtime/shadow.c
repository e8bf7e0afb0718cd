#include "runtime/shadow.h"

#include "runtime/sys.h"

_Atomic(char *) norn_chunks[NORN_CHUNKS];

#define CHUNK_BYTES (2ul << NORN_CHUNK_SHIFT)

struct norn_cell *norn_cell_get(const void *addr)
{
	struct norn_cell *cell = norn_cell_peek(addr);
	if (cell)
		return cell;
	char *chunk = norn_sys_memory(CHUNK_BYTES);
	if (!chunk)
		return NULL;
	char *none = NULL;
	_Atomic(char *) *slot = &norn_chunks[(uintptr_t)addr >> NORN_CHUNK_SHIFT & (NORN_CHUNKS - 1)];
	if (!atomic_compare_exchange_strong(slot, &none, chunk))
		norn_sys_unmap(chunk, CHUNK_BYTES); /* another thread was first */
	return norn_cell_peek(addr);
}

uint64_t norn_cell_lock(struct norn_cell *cell)
{
	uint64_t v;
	for (unsigned spins = 0; !norn_cell_try(cell, &v); spins++) {
		/* A holder is inside a hook: a few dozen instructions, unless it was descheduled. */
		if (spins % 128 == 127)
			norn_sys_yield();
		else
			__builtin_ia32_pause();
	}
	return v;
}
