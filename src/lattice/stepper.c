#include "lattice/stepper.h"

static uint64_t start(const void *context)
{
	return norn_monitor_start(context);
}

static uint64_t step(const void *context, uint64_t state, uint64_t letter)
{
	return norn_monitor_step(context, state, letter);
}

static bool violated(const void *context, uint64_t state)
{
	return norn_monitor_violated(context, state);
}

static bool settled(const void *context, uint64_t state)
{
	return norn_monitor_settled(context, state);
}

/* A belief that stays open for ever may still be settled by the end. */
static bool settled_whatever_the_end(const void *context, uint64_t state)
{
	return norn_monitor_settled(context, state) && norn_monitor_verdict(context, state) != NORN_VERDICT_OPEN;
}

static bool possible(const void *context, uint64_t letter)
{
	return norn_monitor_possible(context, letter);
}

static bool final(const void *context, uint64_t state, uint64_t last)
{
	return norn_monitor_final(context, state, last) == NORN_VERDICT_FALSE;
}

static bool final_forbid(const void *context, uint64_t state, uint64_t last)
{
	return norn_monitor_final(context, state, last) == NORN_VERDICT_MATCH;
}

struct norn_stepper norn_stepper_of(const struct norn_monitor *monitor, const struct norn_property *property, bool ended)
{
	bool ends = ended && property->end != NORN_END_OPEN;
	return (struct norn_stepper){
	        .context = monitor,
	        .start = start,
	        .step = step,
	        .violated = violated,
	        .settled = ends ? settled_whatever_the_end : settled,
	        .possible = possible,
	        .final = !ends                                  ? NULL
	                 : property->logic == NORN_LOGIC_FORBID ? final_forbid
	                                                        : final,
	};
}
