/* Calls of functions without hooks that are looked up when they are made: those through pointers, and those that a user's model
 * describes. The work of the pass for a call whose callee it knows (instrument/call/) is done here, by an image of the entries
 * (effects/effects_image.h): resources and memory become records at the site of the call.
 *
 * A function is known by its address, which must be that of a symbol, in its default version, of a library that the table is about
 * and that was there when the program began; or by its name, if a model has it. The types of the call must be the entry's. */
#ifndef NORN_RUNTIME_INTERPOSE_KNOWN_CALLS_H
#define NORN_RUNTIME_INTERPOSE_KNOWN_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* A call: `types` is those of the result and the arguments (effects/effects.h), and if its callee has a name, a colon and the name.
 * arguments: as numbers, signed; what is no number, nor a pointer, is 0. Before the first are NORN_KNOWN_CALL_ROOM numbers more:
 * how many arguments there are, and two that belong to this call until it returns. */
#define NORN_KNOWN_CALL_ROOM 3
struct norn_known_call {
	const void *target;
	const char *types;
	uint64_t *arguments;
	uint32_t site;
};

/* Before the call: 1 + the number of its row; 0: the worst must be assumed. Its changes and reads are recorded. */
uint32_t norn_known_call_begin(const struct norn_known_call *call);
/* The row is a model's: nothing that its function does within is recorded. */
bool norn_known_call_is_modelled(uint32_t row);
uint64_t *norn_known_call_room(const struct norn_known_call *call); /* the last of these numbers, which is the caller's */
/* After it. */
void norn_known_call_end(const struct norn_known_call *call, uint32_t row, uint64_t result);

/* The model of this session, if there is one. */
void norn_known_calls_start(const char *directory);
void norn_known_calls_fork_child(void);

#endif
