/* Mapped memory: an address that is mapped again is a new variable.
 *
 * A mapping is logged after the call, its end before it, as the malloc family's blocks are, but the end is no free: libc and the
 * loader map memory without being seen, perhaps there, and who uses that uses nothing that is freed. What of a mapping is shared,
 * with other mappings of the same file or with other processes, may be written by code that is seen, elsewhere.
 *
 * mremap moves contents without events: it counts as unknown code, with a mapping that ends and one
 * that begins. */
#undef _FILE_OFFSET_BITS

#include <stdarg.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/interpose/interpose.h"
#include "runtime/sys.h"

/* Files that are mapped and shared, as long as there is room. */
#define FILES 64u
static struct {
	_Atomic uint64_t file; /* device and inode, mixed; 0: none */
	void *memory;
} files[FILES];
static _Atomic uint32_t file_count; /* more than FILES: any file may be mapped */

static uint64_t mix(const struct stat *stat)
{
	return ((uint64_t)stat->st_ino * UINT64_C(0x9e3779b97f4a7c15) ^ stat->st_dev) | 1;
}

bool norn_is_mapped(const struct stat *file)
{
	uint32_t count = atomic_load_explicit(&file_count, memory_order_acquire);
	bool found = count > FILES;
	for (uint32_t i = 0; i < count && i < FILES && !found; i++)
		found = atomic_load_explicit(&files[i].file, memory_order_relaxed) == mix(file);
	return found;
}

static void note_file(const struct stat *file, void *memory)
{
	uint32_t i = atomic_fetch_add(&file_count, 1);
	if (i >= FILES)
		return;
	files[i].memory = memory;
	atomic_store_explicit(&files[i].file, mix(file), memory_order_release);
}

static void forget_file(const void *memory)
{
	uint32_t count = atomic_load_explicit(&file_count, memory_order_acquire);
	for (uint32_t i = 0; i < count && i < FILES; i++)
		if (atomic_load_explicit(&files[i].file, memory_order_relaxed) && files[i].memory == memory)
			atomic_store_explicit(&files[i].file, 0, memory_order_relaxed);
}

static void mapped(void *memory, size_t bytes, bool shared, int fd, uint32_t site)
{
	struct stat stat;
	if (!norn_self || memory == MAP_FAILED)
		return;
	bool file = fd >= 0 && norn_syscall(SYS_fstat, fd, (long)&stat, 0, 0, 0, 0) == 0 && S_ISREG(stat.st_mode);
	bool alias = file && norn_is_mapped(&stat);
	if (file && shared)
		note_file(&stat, memory);
	norn_log_alloc(alias ? NORN_ALLOC_ALIAS : shared ? NORN_ALLOC_SHARED : NORN_ALLOC_MAP, memory, bytes, site);
}

NORN_EXPORT void *mmap(void *memory, size_t bytes, int protection, int flags, int fd, off_t at)
{
	uint32_t site = __norn_call_site;
	void *result = REAL(mmap)(memory, bytes, protection, flags, fd, at);
	mapped(result, bytes, !(flags & MAP_PRIVATE), flags & MAP_ANONYMOUS ? -1 : fd, site);
	return result;
}

NORN_EXPORT void *mmap64(void *memory, size_t bytes, int protection, int flags, int fd, off64_t at)
{
	uint32_t site = __norn_call_site;
	void *result = REAL(mmap64)(memory, bytes, protection, flags, fd, at);
	mapped(result, bytes, !(flags & MAP_PRIVATE), flags & MAP_ANONYMOUS ? -1 : fd, site);
	return result;
}

NORN_EXPORT int munmap(void *memory, size_t bytes)
{
	forget_file(memory);
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
	/* Without an old size it maps the same pages once more. */
	if (norn_self && result != MAP_FAILED)
		norn_log_alloc(had ? NORN_ALLOC_SHARED : NORN_ALLOC_ALIAS, result, bytes, site);
	return result;
}
