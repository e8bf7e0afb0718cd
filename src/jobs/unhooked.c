#include "jobs/unhooked.h"

#include <stdio.h>
#include <string.h>

#include "finding/completeness.h"
#include "program/unhooked_units.h"

#define SHOWN 5u

struct unit_list {
	char text[512];
};

static void make_list(struct unit_list *list, char *const *names, uint32_t count)
{
	list->text[0] = 0;
	for (uint32_t i = 0; i < count && i < SHOWN; i++) {
		size_t used = strlen(list->text);
		snprintf(list->text + used, sizeof list->text - used, "%s%s", used ? ", " : "", names[i]);
	}
	size_t used = strlen(list->text);
	if (count > SHOWN)
		snprintf(list->text + used, sizeof list->text - used, " and %u more", count - SHOWN);
}

static void say(const char *object, const struct norn_unhooked_units *u, struct norn_findings *findings)
{
	struct unit_list list;
	const char *name = basename(object);
	if (u->hooked == 0 && (u->units.count || u->functions.count)) {
		norn_findings_partial(findings, NORN_REASON_HOOKS, 1, "build it by norn cc",
		        "%s has no hooks: what it does to memory is not seen", name);
		return;
	}
	if (u->units.count) {
		make_list(&list, u->units.items, u->units.count);
		bool one = u->units.count == 1;
		norn_findings_partial(findings, NORN_REASON_HOOKS, u->units.count,
		        one ? "build it by norn cc" : "build them by norn cc",
		        "%s of %s %s no hooks: what %s to memory is not seen", list.text, name, one ? "has" : "have",
		        one ? "it does" : "they do");
	}
	if (u->functions.count) {
		make_list(&list, u->functions.items, u->functions.count);
		norn_findings_partial(findings, NORN_REASON_HOOKS, u->functions.count, "build their sources by norn cc",
		        "functions of %s have no hooks, nor debugging information that names their units (%s): what they do to "
		        "memory is not seen",
		        name, list.text);
	}
}

struct models {
	const struct norn_effects_model *const *items;
	uint32_t count;
};

static bool knows(const void *context, const char *name)
{
	const struct models *models = context;
	for (uint32_t i = 0; i < models->count; i++)
		if (norn_effects_model_find(models->items[i], name))
			return true;
	return false;
}

void norn_unhooked_say(const struct norn_trace *trace, const struct norn_effects_model *const *models, uint32_t model_count,
        struct norn_findings *findings)
{
	const struct models known = {models, model_count};
	uint32_t at = 0;
	for (const char *object; (object = norn_trace_info_next(trace, "object", &at));) {
		struct norn_unhooked_units units;
		if (norn_unhooked_units_find(object, knows, &known, &units))
			say(object, &units, findings);
		norn_unhooked_units_done(&units);
	}
}
