#include "finding/own_place.h"

#include <string.h>

bool norn_is_library_file(const char *file)
{
	return strstr(file, "/include/c++/") || (strncmp(file, "/usr/", 5) == 0 && strstr(file, "/include/"));
}

void norn_own_places(const struct norn_trace *trace, uint32_t site, struct norn_own_places *ret_places)
{
	*ret_places = (struct norn_own_places){.begun = false};
	norn_trace_site(trace, site, &ret_places->info);
	ret_places->at = ret_places->info.site ? ret_places->info.site->inlined_at : 0;
}

static bool next_frame(struct norn_own_places *p, struct norn_own_place *ret)
{
	if (!p->begun) {
		p->begun = true;
		*ret = (struct norn_own_place){p->info.function, p->info.file, p->info.line, p->at};
		return p->info.site;
	}
	bool more = p->at && norn_trace_frame(&p->info, &p->at, &ret->function, &ret->file, &ret->line);
	ret->inlined_at = p->at;
	return more;
}

bool norn_own_places_next(struct norn_own_places *places, struct norn_own_place *ret_place)
{
	while (next_frame(places, ret_place))
		if (ret_place->line && *ret_place->function && !norn_is_library_file(ret_place->file))
			return true;
	return false;
}

bool norn_own_place(const struct norn_trace *trace, uint32_t site, struct norn_own_place *ret_place)
{
	struct norn_own_places places;
	norn_own_places(trace, site, &places);
	return norn_own_places_next(&places, ret_place);
}
