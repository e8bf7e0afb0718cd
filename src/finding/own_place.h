/* Own places: where a program's own code is when an event comes about in a library's header (std::lock_guard, std::atomic): the
 * first caller outside of it. */
#ifndef NORN_FINDING_OWN_PLACE_H
#define NORN_FINDING_OWN_PLACE_H

#include "trace/reader.h"

struct norn_own_place {
	const char *function, *file; /* the trace's texts */
	unsigned line;
	uint32_t inlined_at; /* of its function: tells one inlined call from another */
};

/* Is the file a header of an installed library? */
bool norn_is_library_file(const char *file);
/* The first place, from the inside out, of the site and of what it was inlined into; false: all of them are a library's, or
 * unknown. */
bool norn_own_place(const struct norn_trace *trace, uint32_t site, struct norn_own_place *ret_place);

/* The same without libraries, one after the other: of the site itself, then of what it was inlined into. */
struct norn_own_places {
	struct norn_site_info info;
	uint32_t at;
	bool begun;
};
void norn_own_places(const struct norn_trace *trace, uint32_t site, struct norn_own_places *ret_places);
bool norn_own_places_next(struct norn_own_places *places, struct norn_own_place *ret_place);

#endif
