/* True if a violation was observed for certain: the merged order is that of the run only where causality or the times say so. */
#include <string.h>

#include "base/bisect.h"
#include "predict/search.h"

#define STEPS_LOOKED_AT 200u

/* The projected position of the event with that number; NULL: none. */
static const struct norn_projected *find_kept(const struct norn_property_search *s, uint64_t number)
{
	uint32_t low = NORN_BISECT(0, s->kept.count, i, s->kept.items[i]->number < number);
	return low < s->kept.count && s->kept.items[low]->number == number ? s->kept.items[low] : NULL;
}

/* Is it open which of two events came first? a is the earlier one in the merged order. */
static bool is_open(const struct norn_property_search *s, const struct norn_projected *a, const struct norn_projected *b)
{
	const struct norn_position *x = a->position, *y = b->position;
	if (a->thread == b->thread || (y->time > x->time && y->time - x->time >= s->resolution))
		return false;
	for (uint32_t i = 0; i < b->entries; i++)
		if (b->clock[i].thread == a->thread)
			return b->clock[i].count < a->nth;
	return true;
}

/* Is it certain that b, later in the merged order, came after all these steps? */
static bool came_after(const struct norn_property_search *s, const struct norn_projected *const *steps, uint32_t count,
        const struct norn_projected *b)
{
	for (uint32_t i = 0; i < count; i++)
		if (is_open(s, steps[i], b))
			return false;
	return true;
}

/* Does the position concern the instance that the finding is about? */
static bool is_about(const struct norn_searched_property *property, const struct norn_position *p, const char *key,
        struct norn_findings *findings)
{
	struct norn_value keys[NORN_KEYS_MAX];
	if (!norn_influence_has(&property->influence, p))
		return false;
	bool named = false;
	for (uint32_t h = 0; h < p->hit_count; h++)
		if (property->influence.events[p->hits[h].event] && norn_view_keys(property->view, &p->hits[h], keys)) {
			named = true;
			if (strcmp(norn_keys_text(property->property, keys, findings), key) == 0)
				return true;
		}
	return !named; /* then it concerns all */
}

/* Was its witness observed in this order, and nothing before it that the merged order has later? Of long ones only the end is
 * looked at. */
static bool is_certain(const struct norn_property_search *s, const struct norn_searched_property *property,
        const struct norn_finding *finding, struct norn_findings *findings)
{
	const struct norn_projected *steps[STEPS_LOOKED_AT];
	uint32_t count = 0;
	uint32_t first = finding->witness_count > STEPS_LOOKED_AT ? finding->witness_count - STEPS_LOOKED_AT : 0;
	for (uint32_t j = first; j < finding->witness_count; j++) {
		const struct norn_projected *b = find_kept(s, finding->witness[j].number);
		if (!b)
			continue;
		if (!came_after(s, steps, count, b))
			return false;
		steps[count++] = b;
	}
	for (uint32_t b = count ? steps[count - 1]->index + 1 : UINT32_MAX; b < s->kept.count; b++)
		if (!came_after(s, steps, count, s->kept.items[b]) &&
		        is_about(property, s->kept.items[b]->position, finding->key, findings))
			return false;
	return true;
}

bool norn_certain(const struct norn_property_search *s, const struct norn_searched_property *property)
{
	struct norn_findings *findings = s->findings;
	bool certain = true;
	for (uint32_t i = 0; i < findings->count; i++) {
		struct norn_finding *finding = &findings->list[i];
		const struct norn_decl *decl = property->property->decl;
		if (strcmp(finding->status, "observed") != 0 || strcmp(finding->property, property->property->name) != 0 || !decl ||
		        strcmp(finding->definition_file, norn_sources_name(s->sources, decl->span.file)) != 0)
			continue;
		finding->causality = "mvc";
		if (is_certain(s, property, finding, findings))
			continue;
		certain = false;
		finding->doubted = true;
		finding->status = "predicted";
	}
	return certain;
}

void norn_certain_after_all(
        const struct norn_searched_property *property, const struct norn_value *keys, struct norn_findings *findings)
{
	const char *key = norn_keys_text(property->property, keys, findings);
	for (uint32_t i = 0; i < findings->count; i++) {
		struct norn_finding *finding = &findings->list[i];
		if (finding->doubted && strcmp(finding->property, property->property->name) == 0 && strcmp(finding->key, key) == 0)
			finding->status = "observed";
	}
}
