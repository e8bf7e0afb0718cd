/* Reading a plan: inside the program, from any bytes. */
#include <errno.h>
#include <string.h>

#include "engine/plan_descriptors.h"
#include "monitor/monitor_pack.h"

/* props_count: those that may have monitors. */
static int read_props(struct norn_unpack *in, struct norn_plan *plan)
{
	uint32_t count = plan->props_count;
	plan->props_count = 0;
	if (count > (size_t)(in->end - in->at))
		return -EINVAL;
	plan->props = norn_arena_alloc(&plan->arena, (count + 1ul) * sizeof *plan->props);
	int r = plan->props ? 0 : -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < count; i++) {
		const struct norn_plan_root root = {.spec = &plan->props[i].spec, .modules = plan->module_count};
		plan->props_count++;
		r = norn_decode(in, &plan->arena, &norn_plan_props_descriptor, &root, &plan->props[i]);
	}
	return r;
}

int norn_plan_read(const void *bytes, size_t length, struct norn_plan *ret_plan, struct norn_error *err)
{
	uint64_t sum;
	*ret_plan = (struct norn_plan){0};
	if (length < sizeof NORN_PLAN_MAGIC + sizeof sum || memcmp(bytes, NORN_PLAN_MAGIC, sizeof NORN_PLAN_MAGIC) != 0)
		return norn_error_set(err, -EINVAL, "that is no plan of norn watch");
	memcpy(&sum, (const uint8_t *)bytes + length - sizeof sum, sizeof sum);
	if (sum != norn_plan_sum(bytes, length - sizeof sum))
		return norn_error_set(err, -EINVAL, "the plan of norn watch is damaged");
	struct norn_unpack in = {
	        (const uint8_t *)bytes + sizeof NORN_PLAN_MAGIC, (const uint8_t *)bytes + length - sizeof sum, false};
	uint64_t version = norn_unpack_number(&in);
	if (!in.failed && version != NORN_PLAN_VERSION)
		return norn_error_set(err, -EINVAL,
		        "the plan of norn watch has version %llu, this program's runtime reads %u: build the program again",
		        (unsigned long long)version, NORN_PLAN_VERSION);
	int r = norn_decode(&in, &ret_plan->arena, &norn_plan_head_descriptor, NULL, ret_plan);
	if (r == 0)
		r = read_props(&in, ret_plan);
	else
		ret_plan->props_count = 0; /* none was read */
	if (r == 0 && in.at != in.end)
		r = -EINVAL;
	if (r == 0)
		return 0;
	norn_plan_done(ret_plan);
	return r == -ENOMEM ? norn_error_no_memory(err) : norn_error_set(err, -EINVAL, "the plan of norn watch is damaged");
}

void norn_plan_done(struct norn_plan *plan)
{
	for (uint32_t l = 0; l < plan->props_count; l++)
		for (uint32_t i = 0; plan->props[l].monitors && i < plan->props[l].spec.property_count; i++)
			norn_monitor_drop(plan->props[l].monitors[i]);
	norn_arena_done(&plan->arena);
	*plan = (struct norn_plan){0};
}
