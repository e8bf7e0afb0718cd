#include "runtime/real.h"

#include <dlfcn.h>

struct norn_real norn_real;
static bool usable_known; /* malloc_usable_size belongs to the same allocator as malloc */

static bool same_object(void *a, void *b)
{
	Dl_info where_a, where_b;
	return dladdr(a, &where_a) && dladdr(b, &where_b) && where_a.dli_fbase == where_b.dli_fbase;
}

size_t norn_real_usable(void *block)
{
	return usable_known ? norn_real.malloc_usable_size(block) : 0;
}

/* dlsym may allocate on the way: the allocation functions come first, and alloc.c serves them from its own arena until then. */
__attribute__((constructor(101))) void norn_real_resolve(void)
{
	if (atomic_load_explicit(&norn_real.ready, memory_order_acquire))
		return;
#define PLAIN(result, name, parameters) norn_real.name = (result(*) parameters)dlsym(RTLD_NEXT, #name);
#define VERSIONED(result, name, parameters) norn_real.name = (result(*) parameters)dlvsym(RTLD_NEXT, #name, "GLIBC_2.3.2");
	NORN_REAL_ALLOC(PLAIN)
	usable_known = same_object((void *)norn_real.malloc, (void *)norn_real.malloc_usable_size);
	NORN_REAL_THREAD(PLAIN)
	NORN_REAL_LOCK(PLAIN)
	NORN_REAL_WAIT(PLAIN)
	NORN_REAL_PROCESS(PLAIN)
	NORN_REAL_IO(PLAIN)
	NORN_REAL_STREAM(PLAIN)
	NORN_REAL_TEXT(PLAIN)
	NORN_REAL_MAP(PLAIN)
	NORN_REAL_COND(VERSIONED)
#undef PLAIN
#undef VERSIONED
	atomic_store_explicit(&norn_real.ready, true, memory_order_release);
}
