#include "lattice/stepper.h"

#include <assert.h>

#include "monitor/ptltl.h"

static_assert(NORN_ATOMS_MAX <= 62 && NORN_PTLTL_BITS_MAX + 2 <= 62, "letters and states leave bits 62 and 63");

static uint64_t own(uint64_t word)
{
	return word & ~NORN_STEPPER_UNMADE;
}

static uint64_t start(const void *context)
{
	return norn_monitor_start(context) | NORN_STEPPER_UNMADE;
}

static uint64_t step(const void *context, uint64_t state, uint64_t letter)
{
	return norn_monitor_step(context, own(state), own(letter)) | (state & letter & NORN_STEPPER_UNMADE);
}

static bool violated(const void *context, uint64_t state)
{
	return !(state & NORN_STEPPER_UNMADE) && norn_monitor_violated(context, state);
}

static bool settled(const void *context, uint64_t state)
{
	return norn_monitor_settled(context, own(state)) && !norn_monitor_violated(context, own(state));
}

/* A belief that stays open for ever may still be settled by the end. */
static bool settled_whatever_the_end(const void *context, uint64_t state)
{
	return settled(context, state) && norn_monitor_verdict(context, own(state)) != NORN_VERDICT_OPEN;
}

static bool possible(const void *context, uint64_t letter)
{
	return norn_monitor_possible(context, own(letter));
}

static bool final(const void *context, uint64_t state, uint64_t last)
{
	return norn_monitor_ends_badly(context, own(state), own(last));
}

/* An instance that nothing has made does not end. */
static bool final_of_made(const void *context, uint64_t state, uint64_t last)
{
	return !(state & NORN_STEPPER_UNMADE) && final(context, state, last);
}

struct norn_stepper norn_stepper_of(const struct norn_monitor *monitor, const struct norn_property *property, bool ended)
{
	/* If it is violated by nothing, a run without positions violates it at its end. */
	bool ends = ended && (property->end != NORN_END_OPEN || norn_monitor_violated(monitor, norn_monitor_start(monitor)));
	return (struct norn_stepper){
	        .context = monitor,
	        .start = start,
	        .step = step,
	        .violated = violated,
	        .settled = ends ? settled_whatever_the_end : settled,
	        .possible = possible,
	        .final = !ends                 ? NULL
	                 : property->key_count ? final_of_made
	                                       : final,
	};
}
