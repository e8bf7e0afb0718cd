/* The interface of a monitor to the lattice: a machine whose state is one word.
 *
 * context must outlive the stepper; all functions are pure, and any thread may call them. norn_stepper_of makes one of a
 * monitor. */
#ifndef NORN_LATTICE_STEPPER_H
#define NORN_LATTICE_STEPPER_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/monitor.h"

struct norn_stepper {
	const void *context;
	uint64_t (*start)(const void *context); /* before any position */
	uint64_t (*step)(const void *context, uint64_t state, uint64_t letter);
	bool (*violated)(const void *context, uint64_t state);
	/* No continuation violates, nor does the end of the run. NULL: one never knows. */
	bool (*settled)(const void *context, uint64_t state);
	/* Can a position have this letter? NULL: any. */
	bool (*possible)(const void *context, uint64_t letter);
	/* Does it violate that the run ends here? last is the letter of the last position. NULL: the end means nothing. */
	bool (*final)(const void *context, uint64_t state, uint64_t last);
};

/* monitor, made of property, must outlive it. ended: the run is whole, so that its end may be judged by end=finite and
 * end=stutter. */
struct norn_stepper norn_stepper_of(const struct norn_monitor *monitor, const struct norn_property *property, bool ended);

#endif
