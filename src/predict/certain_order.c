/* Was it really observed? What the merged order shows happened in that order only where causality or the times say so. */
#include <string.h>

#include "predict/search_state.h"

#define STEPS_LOOKED_AT 200u

/* Where the position with that number is kept; UINT32_MAX: nowhere. */
static uint32_t find_kept(const struct norn_property_search *f, uint64_t number)
{
	uint32_t low = 0, high = f->kept_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (f->kept[middle]->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->kept_count && f->kept[low]->number == number ? low : UINT32_MAX;
}

/* Can nobody tell which of two positions came first? Both are payloads, a the earlier one in the merged order. */
static bool is_open(
        const struct norn_property_search *f, const struct norn_computation *all, const uint32_t *seats, uint32_t a, uint32_t b)
{
	const struct norn_position *x = f->kept[a], *y = f->kept[b];
	if (x->thread == y->thread || (y->time > x->time && y->time - x->time >= f->resolution))
		return false;
	uint32_t i = 0;
	while (all->numbers[i] != x->thread)
		i++;
	return all->clocks[(size_t)seats[b] * all->threads + i] <= seats[a] - all->first[i];
}

/* Is it certain that b, later in the merged order, came after all these steps? */
static bool came_after(const struct norn_property_search *f, const struct norn_computation *all, const uint32_t *seats,
        const uint32_t *steps, uint32_t count, uint32_t b)
{
	for (uint32_t i = 0; i < count; i++)
		if (is_open(f, all, seats, steps[i], b))
			return false;
	return true;
}

/* Does the position concern the instance that the finding is about? */
static bool is_about(
        const struct norn_search_state *a, const struct norn_position *p, const char *key, struct norn_findings *findings)
{
	struct norn_value keys[NORN_KEYS_MAX];
	if (!norn_influence_has(&a->concern, p))
		return false;
	bool named = false;
	for (uint32_t h = 0; h < p->hit_count; h++)
		if (a->concern.events[p->hits[h].event] && norn_view_keys(a->view, &p->hits[h], keys)) {
			named = true;
			if (strcmp(norn_keys_text(a->property, keys, findings), key) == 0)
				return true;
		}
	return !named; /* then it concerns all */
}

/* Was its witness seen in this order, and nothing before it that the merged order has later? Of long ones only the end is looked at. */
static bool is_certain(const struct norn_property_search *f, const struct norn_search_state *a, const struct norn_computation *all,
        const uint32_t *seats, const struct norn_finding *finding, struct norn_findings *findings)
{
	uint32_t steps[STEPS_LOOKED_AT], count = 0, last = 0;
	uint32_t first = finding->witness_count > STEPS_LOOKED_AT ? finding->witness_count - STEPS_LOOKED_AT : 0;
	for (uint32_t j = first; j < finding->witness_count; j++) {
		uint32_t b = find_kept(f, finding->witness[j].number);
		if (b == UINT32_MAX || seats[b] == UINT32_MAX)
			continue;
		if (!came_after(f, all, seats, steps, count, b))
			return false;
		steps[count++] = b;
		last = b;
	}
	for (uint32_t b = last + 1; count && b < f->kept_count; b++)
		if (seats[b] != UINT32_MAX && !came_after(f, all, seats, steps, count, b) &&
		        is_about(a, f->kept[b], finding->key, findings))
			return false;
	return true;
}

bool norn_certain(const struct norn_property_search *f, const struct norn_search_state *a, const struct norn_computation *all,
        const uint32_t *seats, struct norn_findings *findings)
{
	bool certain = true;
	for (uint32_t i = 0; i < findings->count; i++) {
		struct norn_finding *finding = &findings->list[i];
		const struct norn_decl *decl = a->property->decl;
		if (strcmp(finding->status, "observed") != 0 || strcmp(finding->property, a->property->name) != 0 || !decl ||
		        strcmp(finding->definition_file, norn_sources_name(f->sources, decl->span.file)) != 0)
			continue;
		finding->causality = "mvc";
		if (is_certain(f, a, all, seats, finding, findings))
			continue;
		certain = false;
		finding->doubted = true;
		finding->status = "predicted";
	}
	return certain;
}

void norn_certain_after_all(const struct norn_search_state *a, const struct norn_value *keys, struct norn_findings *findings)
{
	const char *key = norn_keys_text(a->property, keys, findings);
	for (uint32_t i = 0; i < findings->count; i++) {
		struct norn_finding *finding = &findings->list[i];
		if (finding->doubted && strcmp(finding->property, a->property->name) == 0 && strcmp(finding->key, key) == 0)
			finding->status = "observed";
	}
}
