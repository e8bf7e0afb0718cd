/* See libraries.h. */
#include "runtime/interpose/libraries.h"

#include <string.h>

#define LIBRARIES 64u
struct norn_library norn_libraries[LIBRARIES];
unsigned norn_library_count;

static void note_segment(struct norn_library *library, const ElfW(Phdr) * segment)
{
	uintptr_t low = library->base + segment->p_vaddr;
	if (segment->p_type == PT_DYNAMIC)
		library->dynamic = (const ElfW(Dyn) *)low;
	if (segment->p_type != PT_LOAD || segment->p_flags & PF_W || library->constant_count == NORN_LIBRARY_CONSTANTS)
		return;
	library->constants[library->constant_count].low = low;
	library->constants[library->constant_count++].high = low + segment->p_memsz;
}

static int note_library(struct dl_phdr_info *info, size_t size, void *unused)
{
	static const char *const names[] = {
	        "/libc.so.6", "/libm.so.6", "/libnorn.so", "/libpthread.so.0", "/librt.so.1", "/libdl.so.2", "/libstdc++.so.6"};
	if (norn_library_count == LIBRARIES)
		return 1;
	struct norn_library *library = norn_libraries + norn_library_count;
	*library = (struct norn_library){.base = info->dlpi_addr};
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		note_segment(library, info->dlpi_phdr + i);
	const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
	for (unsigned i = 0; slash && i < sizeof names / sizeof *names; i++)
		library->known |= strcmp(slash, names[i]) == 0;
	library->own = slash && strcmp(slash, "/libnorn.so") == 0;
	norn_library_count += library->dynamic != NULL;
	return 0;
}

__attribute__((constructor(102))) static void note_libraries(void)
{
	dl_iterate_phdr(note_library, NULL);
}

bool norn_is_constant(const void *memory)
{
	uintptr_t at = (uintptr_t)memory;
	for (unsigned i = 0; i < norn_library_count; i++)
		for (unsigned k = 0; k < norn_libraries[i].constant_count; k++)
			if (at >= norn_libraries[i].constants[k].low && at < norn_libraries[i].constants[k].high)
				return true;
	return false;
}
