/* Hidden writes: writes of code without hooks to the spots of a binding, found by a pass over the whole run before it is judged.
 *
 * Code without hooks writes unseen; a later access notices. In between, from the last recorded access that still found the old
 * value on, the value is not known: the spot *fades*, byte by byte. And a pointer may come to lead to an object that was written
 * before: objects must be watched from the start. So, if there are pointers, or external writes to what is watched, the run is
 * merged once more beforehand. Memory: what is watched, and one entry per external write to it. */
#ifndef NORN_JUDGE_RECORDED_HIDDEN_WRITES_H
#define NORN_JUDGE_RECORDED_HIDDEN_WRITES_H

#include "base/vector.h"
#include "judge/recorded/binding.h"

struct norn_fade {
	uint64_t after; /* number of the event in the merged order, from 1; 0: the start */
	uint32_t spot;
	uint8_t bytes; /* mask */
};

struct norn_hidden_writes {
	NORN_VECTOR(struct norn_fade) fades; /* in order */
};

/* The binding learns where pointers lead to. patience: see norn_merge_patience. */
int norn_hidden_writes_find(struct norn_binding *binding, struct norn_trace *trace, unsigned patience,
        struct norn_hidden_writes *ret_hidden_writes, struct norn_error *err);
void norn_hidden_writes_done(struct norn_hidden_writes *hidden_writes);

#endif
