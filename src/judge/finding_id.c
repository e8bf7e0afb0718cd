#include "judge/finding_id.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "trace/event.h"

static uint64_t mix(uint64_t h, const char *text)
{
	return norn_fnv(norn_fnv_text(h, text), "\xff", 1);
}

static const char *without_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

void norn_finding_id_text(const struct norn_finding_id *i, char ret_id[NORN_FINDING_ID_BYTES])
{
	static const char *const words[] = {[NORN_BY_MACHINE] = "property",
	        [NORN_BY_LOOP] = "liveness",
	        [NORN_BY_SCOPE] = "scope",
	        [NORN_BY_KNOWLEDGE] = "knowledge"};
	bool machine = i->by == NORN_BY_MACHINE || i->by == NORN_BY_LOOP, placed = !machine || !i->at_end;
	char line[16];
	snprintf(line, sizeof line, "%u", placed ? i->line : 0);
	uint64_t h = mix(mix(NORN_FNV_BEGIN, words[i->by]), i->property);
	if (i->source && i->by != NORN_BY_KNOWLEDGE)
		h = mix(h, without_folder(i->source));
	if (placed)
		h = mix(mix(h, without_folder(i->file)), i->function);
	if (placed && i->by != NORN_BY_SCOPE)
		h = mix(h, norn_event_word(i->event_kind, i->event_op));
	h = mix(h, line);
	if (machine)
		h = mix(h, placed ? "" : "end");
	snprintf(ret_id, NORN_FINDING_ID_BYTES, "%c%08x", i->by == NORN_BY_LOOP ? 'L' : 'P', (unsigned)(h ^ h >> 32));
}
