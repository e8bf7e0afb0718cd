/* Facts for slicing: what the pass knows about the flow of values between the sites of one function.
 *
 * The facts of a site lie at its offset in the table's facts area (site.h). They are a sequence of entries, each
 *
 *   kind (enum norn_fact), count, count items          all of them unsigned LEB128 numbers
 *
 * and end with NORN_FACT_END alone. An entry of an unknown kind is skipped. A site whose offset is 0 has no facts: then nothing is
 * known, which means that whatever it reads decides, and that what it writes comes from everything that its thread has read.
 *
 * A value comes from *sources*: places of the same compiled function where something is read from memory that may be shared,
 * returned by a call, or passed in. A source stands for the latest time that it happened in this frame before the use, or for all
 * times where it comes through a loop's back edge; a source that did not happen in this frame adds nothing (who chose between
 * values is among their sources).
 *
 * A source *decides* if its value may have an influence on what its thread does later, other than through values that are stored,
 * passed or returned: by a branch with an effect in either arm, by the address or length of an access, by an operand that may trap,
 * by a loop that may not end, by an argument of code that Norn cannot see. Values passed to functions that may be instrumented, and
 * results, are followed from frame to frame by the reader of the trace.
 *
 * A branch has an effect if in either arm, before its ways meet again, there is any site, a call, a trap, an endless loop, or a
 * loop that may not end. So every event of a run in which the deciding reads see what they saw happens as it did; only values of
 * writes may differ.
 *
 * Some branches do little: all that may happen in their arms, taken or not, is that variables of this translation unit, at places
 * that are always the same, are read and written. What a source has to do only with such branches, it decides as well, but its
 * *masks* say what it may bring about: these bytes may be written, or not. Where no fixed read sees them, what
 * it reads does not matter. Sites in the arms say by which reads they are
 * *controlled*: they may happen or not, unless those reads see what they saw. Parameters and results have no masks: they just
 * decide.
 *
 * Where too much flows into a value, its sources decide and are not listed.
 *
 * The result of a call that entered no instrumented function comes from whatever the call is (effects/user_model.h): its arguments
 * decide.
 *
 * Sound means: too many sources and deciders are allowed, a missing one is an error. */
#ifndef NORN_TRACE_FACTS_H
#define NORN_TRACE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum norn_fact {
	NORN_FACT_END,
	/* Of READ, RMW, CMPXCHG, COPY, BYVAL: what was read decides. Of CALL: its result does. No items.
	 * Of ENTER: items are the numbers of the parameters that decide. */
	NORN_FACT_DECIDES,
	/* Of WRITE, RMW, CMPXCHG, SET, and COPY from private memory: sources of the value written. An rmw's own old value, and what
	 * a copy reads, come in addition and are not listed. */
	NORN_FACT_VALUE,
	/* Of CALL: number of an argument, then its sources. An argument without an entry is a constant. */
	NORN_FACT_ARGUMENT,
	/* Of ENTER: sources of what the function returns, those that choose between its returns included. */
	NORN_FACT_RESULT,
	/* Of READ and RMW that decide: only for branches that may do no more than write these. Items, by fours: number of a
	 * variable (its address is in the trace: format.h), first byte in it, bytes, index of a site that writes them. */
	NORN_FACT_MASKS,
	/* Of READ and WRITE: reads of the same function that decide, by branches with masks, whether it happens. */
	NORN_FACT_CONTROL,
};

/* A source as an item: index << 2 | kind. */
enum norn_source {
	NORN_SOURCE_LATEST, /* index: of a site in this table */
	NORN_SOURCE_ALL, /* index: the same, every time that it happened in this frame */
	NORN_SOURCE_PARAMETER, /* index: number of the parameter of the compiled function, from 0 */
	NORN_SOURCE_ANYTHING, /* everything that the thread has read so far; index 0 */
};

/* Goes through the facts at p, which end before end. */
struct norn_facts {
	const uint8_t *p, *end;
};

/* One number; false at the end of the bytes. */
static inline bool norn_facts_number(struct norn_facts *facts, uint32_t *ret_number)
{
	uint32_t n = 0;
	for (unsigned shift = 0; facts->p < facts->end && shift < 32; shift += 7) {
		uint8_t byte = *facts->p++;
		n |= (uint32_t)(byte & 127) << shift;
		if (byte < 128) {
			*ret_number = n;
			return true;
		}
	}
	return false;
}

/* The head of the next entry; its items are the next *ret_count numbers. False after the last, and where the bytes are damaged. */
static inline bool norn_facts_next(struct norn_facts *facts, uint32_t *ret_kind, uint32_t *ret_count)
{
	return norn_facts_number(facts, ret_kind) && *ret_kind != NORN_FACT_END && norn_facts_number(facts, ret_count);
}

#endif
