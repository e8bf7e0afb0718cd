/* The interface of a monitor to the lattice: a machine whose state is one word.
 *
 * A verdict is there from the first position on that makes the instance: an expression may match, or a formula be false, when
 * nothing has happened yet, and events that name no keys may come before the instance that they concern. The state keeps whether
 * that position has come.
 *
 * context must outlive the stepper; all functions are pure, and any thread may call them. norn_stepper_of makes one of a
 * monitor. */
#ifndef NORN_LATTICE_STEPPER_H
#define NORN_LATTICE_STEPPER_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/monitor.h"

/* Of a letter: the position does not make the instance. Of a state: none has made it yet. */
#define NORN_STEPPER_UNMADE (UINT64_C(1) << 63)
/* Of a letter, alone: what the instance is about is freed. It ends as at the end of the run, and nothing concerns it any more. */
#define NORN_STEPPER_ENDS (UINT64_C(1) << 62)

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

/* monitor, made of property, must outlive it. ended: the run is whole, so that its end may be judged. */
struct norn_stepper norn_stepper_of(const struct norn_monitor *monitor, const struct norn_property *property, bool ended);

#endif
