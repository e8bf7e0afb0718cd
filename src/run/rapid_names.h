/* Names in a text, as consecutive numbers. The table owns copies.
 *
 * Beside base/table.h, since the speed of reading a text depends on it: a name of up to 16 bytes is found with one look into
 * memory, which can be announced. */
#ifndef NORN_RUN_RAPID_NAMES_H
#define NORN_RUN_RAPID_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct norn_rapid_names {
	struct norn_rapid_slot *slots;
	uint32_t capacity, count;
	const char **strings; /* by number: room for capacity of them */
	struct norn_arena arena;
};

void norn_rapid_names_done(struct norn_rapid_names *names); /* an all-zero one is empty */
/* This name will be asked for soon: its slot is fetched. */
void norn_rapid_names_expect(const struct norn_rapid_names *names, const char *name, size_t length);
/* Its number. 16 bytes from name on can be read, whatever its length. */
uint32_t norn_rapid_names_get(struct norn_rapid_names *names, const char *name, size_t length);

#endif
