/* Mapped memory: an address that is mapped again is a new variable.
 *
 * A mapping is logged after the call, its end before it, as the malloc family's blocks are. What is used there after the end is not
 * freed memory, though: libc and the loader map memory without being seen, perhaps there. A part of a mapping that is
 * shared, with other mappings of the same file or with other processes, may be written by code that is seen, elsewhere.
 *
 * mremap moves contents without events: it counts as unknown code, with a mapping that ends and one that begins. One that begins
 * where the other was, logged next and at the same site, says that nothing was unmapped; so it is after a call that failed. */
#undef _FILE_OFFSET_BITS

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>

#include "effects/effects.h"
#include "runtime/hooks.h"
#include "runtime/interpose/interpose.h"
#include "runtime/replay/replay.h"
#include "runtime/sys.h"
#include "runtime/watch/watch.h"

/* Files and segments (shmget) that are mapped and shared, as long as there is room. */
#define FILES 64u
static struct {
	_Atomic uint64_t file; /* device and inode, mixed; of a segment: its number; 0: none */
	const void *memory;
	size_t bytes; /* of a segment */
} files[FILES];
static _Atomic uint32_t file_count; /* more than FILES: any file may be mapped */

static uint64_t mix(const struct stat *stat)
{
	return ((uint64_t)stat->st_ino * UINT64_C(0x9e3779b97f4a7c15) ^ stat->st_dev) | 1;
}

/* Another number than a file has, or the same: then one counts as mapped that is not. */
static uint64_t mix_segment(int segment)
{
	return ((uint64_t)(uint32_t)segment << 32 ^ UINT64_C(0x7368676d73656721)) | 1;
}

static bool is_mapped(uint64_t file)
{
	uint32_t count = atomic_load_explicit(&file_count, memory_order_acquire);
	bool found = count > FILES;
	for (uint32_t i = 0; i < count && i < FILES && !found; i++)
		found = atomic_load_explicit(&files[i].file, memory_order_relaxed) == file;
	return found;
}

bool norn_is_mapped(const struct stat *file)
{
	return is_mapped(mix(file));
}

static void note_file(uint64_t file, const void *memory, size_t bytes)
{
	uint32_t i = atomic_fetch_add(&file_count, 1);
	if (i >= FILES)
		return;
	files[i].memory = memory;
	files[i].bytes = bytes;
	atomic_store_explicit(&files[i].file, file, memory_order_release);
}

/* Gives the bytes of a segment there. */
static size_t forget_file(const void *memory)
{
	uint32_t count = atomic_load_explicit(&file_count, memory_order_acquire);
	size_t bytes = 0;
	for (uint32_t i = 0; i < count && i < FILES; i++)
		if (atomic_load_explicit(&files[i].file, memory_order_acquire) && files[i].memory == memory) {
			bytes = files[i].bytes;
			atomic_store_explicit(&files[i].file, 0, memory_order_relaxed);
		}
	return bytes;
}

/* All shared mappings that there have been lie in between. */
static _Atomic uintptr_t shared_begin = UINTPTR_MAX, shared_end;

bool norn_memory_is_shared(const void *memory)
{
	return (uintptr_t)memory >= atomic_load_explicit(&shared_begin, memory_order_relaxed) &&
	       (uintptr_t)memory < atomic_load_explicit(&shared_end, memory_order_relaxed);
}

static void note_shared(const void *memory, size_t bytes)
{
	uintptr_t begin = (uintptr_t)memory, end = begin + bytes < begin ? UINTPTR_MAX : begin + bytes;
	uintptr_t first = atomic_load(&shared_begin), last = atomic_load(&shared_end);
	while (begin < first && !atomic_compare_exchange_weak(&shared_begin, &first, begin))
		;
	while (end > last && !atomic_compare_exchange_weak(&shared_end, &last, end))
		;
}

static void mapped(void *memory, size_t bytes, bool shared, int fd, uint32_t site)
{
	struct stat stat;
	if (shared && memory != MAP_FAILED)
		note_shared(memory, bytes);
	if (!norn_self || memory == MAP_FAILED)
		return;
	bool file = fd >= 0 && norn_syscall(SYS_fstat, fd, (long)&stat, 0, 0, 0, 0) == 0 && S_ISREG(stat.st_mode);
	bool alias = file && norn_is_mapped(&stat);
	if (file && shared)
		note_file(mix(&stat), memory, 0);
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

/* The end of a mapping is about to come. The result is for norn_step_end, when it has. */
static uint32_t begin_unmap(const void *memory, size_t bytes, uint32_t site)
{
	if (!norn_self)
		return 0;
	uint32_t step = __builtin_expect(norn_replaying, 0) ? norn_replay_step(NORN_OPERATION_FREE, site, memory, bytes) : 0;
	norn_log_alloc(NORN_ALLOC_UNMAP, memory, bytes, site);
	return step;
}

/* It has not: what is there is as it was, for all that is known. */
static void still_mapped(const void *memory, size_t bytes, uint32_t site)
{
	int error = errno;
	if (norn_self)
		norn_log_alloc(NORN_ALLOC_SHARED, memory, bytes, site);
	errno = error;
}

NORN_EXPORT int munmap(void *memory, size_t bytes)
{
	uint32_t site = __norn_call_site;
	forget_file(memory);
	uint32_t step = begin_unmap(memory, bytes, site);
	int result = REAL(munmap)(memory, bytes);
	if (result != 0)
		still_mapped(memory, bytes, site);
	norn_step_end(step);
	return result;
}

/* Comes before all later accesses: another thread may find out by a handler of SIGSEGV, or by input, that they are possible. */
static void protects(const void *memory, size_t bytes, uint32_t site)
{
	if (!norn_self || norn_watching)
		return;
	__norn_changes(1u << NORN_EFFECTS_FILES, 0, site);
	norn_log_alloc(NORN_ALLOC_PROTECT, memory, bytes, site);
}

NORN_EXPORT int mprotect(void *memory, size_t bytes, int protection)
{
	protects(memory, bytes, __norn_call_site);
	return REAL(mprotect)(memory, bytes, protection);
}

NORN_EXPORT int pkey_mprotect(void *memory, size_t bytes, int protection, int key)
{
	protects(memory, bytes, __norn_call_site);
	return REAL(pkey_mprotect)(memory, bytes, protection, key);
}

NORN_EXPORT void *mremap(void *memory, size_t had, size_t bytes, int flags, ...)
{
	uint32_t site = __norn_call_site;
	va_list list;
	va_start(list, flags);
	void *to = flags & MREMAP_FIXED ? va_arg(list, void *) : NULL;
	va_end(list);
	uint32_t step = had ? begin_unmap(memory, had, site) : 0;
	void *result = REAL(mremap)(memory, had, bytes, flags, to);
	/* Without an old size it maps the same pages once more. */
	if (result != MAP_FAILED)
		note_shared(result, bytes);
	if (result == MAP_FAILED && had)
		still_mapped(memory, had, site);
	else if (norn_self && result != MAP_FAILED)
		norn_log_alloc(had ? NORN_ALLOC_SHARED : NORN_ALLOC_ALIAS, result, bytes, site);
	norn_step_end(step);
	return result;
}

/* A segment that is attached twice is the same bytes at two addresses. */
NORN_EXPORT void *shmat(int segment, const void *wanted, int flags)
{
	uint32_t site = __norn_call_site;
	void *memory = REAL(shmat)(segment, wanted, flags);
	struct shmid_ds stat;
	if (memory != MAP_FAILED)
		note_shared(memory, SIZE_MAX); /* its size is asked for below */
	if (!norn_self || memory == MAP_FAILED || norn_syscall(SYS_shmctl, segment, IPC_STAT, (long)&stat, 0, 0, 0) != 0)
		return memory;
	bool alias = is_mapped(mix_segment(segment));
	note_file(mix_segment(segment), memory, stat.shm_segsz);
	norn_log_alloc(alias ? NORN_ALLOC_ALIAS : NORN_ALLOC_SHARED, memory, stat.shm_segsz, site);
	return memory;
}

NORN_EXPORT int shmdt(const void *memory)
{
	uint32_t site = __norn_call_site;
	size_t bytes = forget_file(memory);
	uint32_t step = bytes ? begin_unmap(memory, bytes, site) : 0;
	int result = REAL(shmdt)(memory);
	norn_step_end(step);
	return result;
}
