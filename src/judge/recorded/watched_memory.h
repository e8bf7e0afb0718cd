/* The memory of the recorded run as far as a binding watches it, in the observed order: which ranges an event touches, what it
 * leaves in their spots, and whether an external write has really changed them. */
#ifndef NORN_JUDGE_RECORDED_WATCHED_MEMORY_H
#define NORN_JUDGE_RECORDED_WATCHED_MEMORY_H

#include "judge/recorded/binding.h"
#include "judge/recorded/position.h"
#include "trace/event.h"

struct norn_watched_memory {
	const struct norn_binding *binding;
	struct norn_place_values values;
	uint32_t *ranges, range_count, range_room; /* touched by the last event, each once */
	struct norn_change *changes; /* of spots by it, each once */
	uint32_t change_count, change_room;
};

void norn_watched_memory_init(struct norn_watched_memory *memory, const struct norn_binding *binding);
void norn_watched_memory_done(struct norn_watched_memory *memory);

/* Fills ranges with those that these bytes overlap. */
void norn_watched_memory_touch(struct norn_watched_memory *memory, uint64_t address, uint64_t size);
/* Fills ranges and changes, and moves on. For events of every kind. */
void norn_watched_memory_step(struct norn_watched_memory *memory, const struct norn_event *event);
/* The value last written to a place that is many: one change more. */
void norn_watched_memory_set(struct norn_watched_memory *memory, uint32_t place, bool known, uint64_t raw);

#endif
