/* Mapped memory: an address that is mapped again is a new variable.
 *
 * A mapping is logged after the call, its end before it, as the malloc family's blocks are, but the end is no free: libc and the
 * loader map memory without being seen, perhaps there, and who uses that uses nothing that is freed. What of a mapping is shared,
 * with other mappings of the same file or with other processes, may be written by code that is seen, elsewhere.
 *
 * mremap moves contents without events: it counts as unknown code (effects/known_functions.h), with a mapping that ends and one
 * that begins. */
#undef _FILE_OFFSET_BITS

#include <stdarg.h>
#include <sys/mman.h>

#include "runtime/interpose/interpose.h"

static void mapped(void *memory, size_t bytes, bool shared, uint32_t site)
{
	if (norn_self && memory != MAP_FAILED)
		norn_log_alloc(shared ? NORN_ALLOC_SHARED : NORN_ALLOC_MAP, memory, bytes, site);
}

NORN_EXPORT void *mmap(void *memory, size_t bytes, int protection, int flags, int fd, off_t at)
{
	uint32_t site = __norn_call_site;
	void *result = REAL(mmap)(memory, bytes, protection, flags, fd, at);
	mapped(result, bytes, !(flags & MAP_PRIVATE), site);
	return result;
}

NORN_EXPORT void *mmap64(void *memory, size_t bytes, int protection, int flags, int fd, off64_t at)
{
	uint32_t site = __norn_call_site;
	void *result = REAL(mmap64)(memory, bytes, protection, flags, fd, at);
	mapped(result, bytes, !(flags & MAP_PRIVATE), site);
	return result;
}

NORN_EXPORT int munmap(void *memory, size_t bytes)
{
	if (norn_self)
		norn_log_alloc(NORN_ALLOC_UNMAP, memory, bytes, __norn_call_site);
	return REAL(munmap)(memory, bytes);
}

NORN_EXPORT void *mremap(void *memory, size_t had, size_t bytes, int flags, ...)
{
	uint32_t site = __norn_call_site;
	va_list list;
	va_start(list, flags);
	void *to = flags & MREMAP_FIXED ? va_arg(list, void *) : NULL;
	va_end(list);
	if (norn_self && had)
		norn_log_alloc(NORN_ALLOC_UNMAP, memory, had, site);
	void *result = REAL(mremap)(memory, had, bytes, flags, to);
	mapped(result, bytes, true, site);
	return result;
}
