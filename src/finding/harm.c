#include "finding/harm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

const char *norn_harm_name(enum norn_harm harm)
{
	static const char *const names[NORN_HARMS] = {[NORN_HARM_FAILURE] = "failure",
	        [NORN_HARM_NULL] = "null-dereference",
	        [NORN_HARM_MEMORY] = "memory",
	        [NORN_HARM_DEADLOCK] = "deadlock",
	        [NORN_HARM_LOST_UPDATE] = "lost-update",
	        [NORN_HARM_OTHER] = "other"};
	return names[harm];
}

/* 1 + that of each kind, as far as the kind tells. */
static const unsigned char by_kind[NORN_FINDING_KINDS] = {
        [NORN_FINDING_CRASH] = 1 + NORN_HARM_FAILURE,
        [NORN_FINDING_ASSERTION] = 1 + NORN_HARM_FAILURE,
        [NORN_FINDING_PROPERTY] = 1 + NORN_HARM_FAILURE,
        [NORN_FINDING_LIVENESS] = 1 + NORN_HARM_FAILURE,
        [NORN_FINDING_NULL] = 1 + NORN_HARM_NULL,
        [NORN_FINDING_USE_AFTER_FREE] = 1 + NORN_HARM_MEMORY,
        [NORN_FINDING_DOUBLE_FREE] = 1 + NORN_HARM_MEMORY,
        [NORN_FINDING_USE_AFTER_RETURN] = 1 + NORN_HARM_MEMORY,
        [NORN_FINDING_DEADLOCK] = 1 + NORN_HARM_DEADLOCK,
        [NORN_FINDING_RACE] = 1 + NORN_HARM_OTHER,
        [NORN_FINDING_ATOMICITY] = 1 + NORN_HARM_OTHER,
};

enum norn_harm norn_finding_harm(const struct norn_finding *f)
{
	assert(by_kind[f->kind]);
	const char *then = f->aftermath_kind ? f->aftermath_kind : "none"; /* it was confirmed: the program showed it */
	if (by_kind[f->kind] > 1 + NORN_HARM_DEADLOCK && strcmp(then, "none") != 0)
		return strcmp(then, "hang") == 0 ? NORN_HARM_DEADLOCK : NORN_HARM_FAILURE;
	if (f->kind == NORN_FINDING_RACE && f->consequence_kind >= NORN_CONSEQUENCE_LOST_UPDATE)
		return NORN_HARM_LOST_UPDATE;
	if (f->kind == NORN_FINDING_ATOMICITY && f->atomic && *f->atomic)
		return NORN_HARM_FAILURE; /* the program says that it is to be atomic */
	return by_kind[f->kind] - 1u;
}

static bool is_suspected(const struct norn_finding *f)
{
	return strcmp(f->status, "suspected") == 0;
}

void norn_findings_sort(struct norn_findings *f)
{
	struct norn_finding *sorted = norn_must_alloc(f->count, sizeof *sorted);
	uint32_t count = 0;
	for (unsigned suspected = 0; suspected < 2; suspected++)
		for (unsigned harm = 0; harm < NORN_HARMS; harm++)
			for (uint32_t i = 0; i < f->count; i++)
				if (is_suspected(&f->list[i]) == suspected && norn_finding_harm(&f->list[i]) == harm)
					sorted[count++] = f->list[i];
	assert(count == f->count);
	if (count)
		memcpy(f->list, sorted, count * sizeof *sorted);
	free(sorted);
}

uint32_t norn_findings_only_harmful(struct norn_findings *f)
{
	uint32_t kept = 0, before = f->count;
	for (uint32_t i = 0; i < before; i++)
		if (norn_finding_harm(&f->list[i]) != NORN_HARM_OTHER)
			f->list[kept++] = f->list[i];
	f->count = kept;
	return before - kept;
}
