/* Writing a plan: in the command. */
#include <errno.h>

#include "base/must.h"
#include "engine/plan_descriptors.h"
#include "judge/property_terms.h"

/* Limits of monitors inside a program. */
static int check_limits(const struct norn_spec *spec, struct norn_error *err)
{
	if (spec->type_count > NORN_PLAN_TYPES_MAX)
		return norn_error_set(err, -E2BIG, "there are %u thread types; a watched program has room for %u", spec->type_count,
		        NORN_PLAN_TYPES_MAX);
	for (uint32_t e = 0; e < spec->event_count; e++)
		for (uint32_t i = 0; i < spec->events[e].selector_count; i++)
			if (spec->events[e].selectors[i].slots_total > NORN_HIT_SLOTS)
				return norn_error_set(err, -E2BIG, "event %s names %u values; a watched program has room for %u",
				        spec->events[e].name, spec->events[e].selectors[i].slots_total, NORN_HIT_SLOTS);
	for (uint32_t p = 0; p < spec->property_count; p++)
		if (spec->properties[p].key_count > NORN_KEYS_MAX)
			return norn_error_set(err, -E2BIG, "property %s has %u keys; a watched program has room for %u",
			        spec->properties[p].name, spec->properties[p].key_count, NORN_KEYS_MAX);
	return 0;
}

void norn_plan_begin(struct norn_pack *pack, const struct norn_plan *plan)
{
	norn_pack_bytes(pack, NORN_PLAN_MAGIC, sizeof NORN_PLAN_MAGIC);
	norn_pack_number(pack, NORN_PLAN_VERSION);
	norn_encode(pack, &norn_plan_head_descriptor, NULL, plan);
}

int norn_plan_props(struct norn_pack *pack, const struct norn_sources *sources, const struct norn_spec *spec,
        struct norn_monitor **monitors, struct norn_error *err)
{
	const struct norn_plan_root root = {.spec = spec, .modules = UINT32_MAX};
	struct norn_plan_props props = {.spec = *spec, .monitors = monitors};
	struct norn_pack parts[NORN_ENGINES] = {0};
	int r = check_limits(spec, err);
	for (unsigned i = 0; i < NORN_ENGINES && r == 0; i++) {
		if (norn_online_planners[i])
			r = norn_online_planners[i](sources, spec, &parts[i], err);
		props.parts[i] = (struct norn_plan_part){(const char *)parts[i].bytes, parts[i].length};
		pack->failed |= parts[i].failed;
	}
	if (r == 0)
		norn_encode(pack, &norn_plan_props_descriptor, &root, &props);
	for (unsigned i = 0; i < NORN_ENGINES; i++)
		norn_pack_done(&parts[i]);
	return r;
}

int norn_plan_end(struct norn_pack *pack, struct norn_error *err)
{
	uint64_t sum = norn_plan_sum(pack->bytes, pack->failed ? 0 : pack->length);
	norn_pack_bytes(pack, &sum, sizeof sum);
	if (pack->failed)
		norn_out_of_memory();
	if (pack->length > NORN_PLAN_BYTES_MAX)
		return norn_error_set(err, -E2BIG, "the monitors take %zu MiB; a watched program has room for %u",
		        pack->length >> 20, NORN_PLAN_BYTES_MAX >> 20);
	return 0;
}
