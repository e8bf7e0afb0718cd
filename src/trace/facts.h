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
 * that are always the same, are read and written. A source that only such branches depend on decides as well, but its *masks* list
 * the bytes that the branches may write. If no fixed read sees them, the value that it reads does not matter. Sites in the arms say
 * by which reads they are *controlled*: they may happen or not, unless those reads see what they saw. Parameters and results have
 * no masks: they just decide. A source that has both masks and tests decides no more than the branches that its masks are about:
 * these do as they did if the tests come out the same.
 *
 * Where too much flows into a value, its sources decide and are not listed.
 *
 * Whether a call throws an exception is no branch of the function that calls, but one of the function that throws: a throw is an
 * effect. What code that is not instrumented throws is decided by its arguments.
 *
 * The result of a call that entered no instrumented function comes from whatever the call is (effects/user_model.h): its arguments
 * decide.
 *
 * An *assertion* is a branch to code that fails: to __assert_fail, abort, a trap, exit with another status than 0, or a function
 * that the user names. Its condition is an *expression* over sources. The latest event before it of its thread, a record of the
 * site that has the entry, tells that it is come to: nothing else can happen between that and the branch but other assertions,
 * which pass.
 * A source that decides *loosely* decides, up to and without the assertions whose conditions it is in, no more than some tests.
 *
 * An access to the first page traps: a pointer that is read and then dereferenced must not be null. What decides by nothing else is
 * a *pointer* (V9).
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
	/* The value is used as a number, should it be an address: otherwise than for accesses, for == and != with what is no other
	 * block, and as it is (V4). Of READ, RMW, COPY, BYVAL: what was read; of CMPXCHG
	 * that goes without saying. Of CALL: its result. No items.
	 * Of ENTER: items are the numbers of the parameters that are. */
	NORN_FACT_NUMBER,
	/* Of READ with DECIDES, and CALL: what was read, or the result, decides no more than the outcome of these tests (V8). They
	 * may be of other branches, which the one in question goes by alone.
	 * Items: one chain (below) after another. */
	NORN_FACT_TESTS,
	/* Of ENTER: the result is what a chain makes of one source. Items: the source, the chain. */
	NORN_FACT_YIELDS,
	/* Of WRITE and RMW: what is written is what a chain makes of one source that is a READ, its latest (V7). Of an RMW that is
	 * the value that it reads: its own site. Items: the source, the chain. */
	NORN_FACT_MAKES,
	/* Of READ, WRITE, RMW, CMPXCHG, SET, and COPY from private memory, and of CALL with one pointer: what is accessed, or
	 * passed, lies in a local variable of this frame. Items: the bytes accessed, 0 of CALL; the bytes from there to the
	 * variable's end. */
	NORN_FACT_FRAME,
	/* Of READ and CALL with DECIDES: loosely. Items: the tests that are left, one chain after another. */
	NORN_FACT_LOOSE,
	/* Assertions that come right after the site, in their order. Of ENTER: after the function's entry; of CALL: after it has
	 * returned. Items, of each: the site of the call that fails; bits: 1: it fails if the condition is true, the number of
	 * sources << 1; these; how many items its expression has; the expression. */
	NORN_FACT_ASSERTS,
	/* Of READ, WRITE, RMW, CMPXCHG, SET, COPY between private memory and other: the address is what one source says, plus what
	 * does not come from it. Items: the source. */
	NORN_FACT_ADDRESS,
	/* Of READ and CALL with DECIDES: up to the first access that has its ADDRESS of it, and without those, it decides no more
	 * than these tests (V9). Items: one chain after another.
	 * Of ENTER: items are the numbers of the parameters that decide only so, without any test. */
	NORN_FACT_POINTER,
	/* Of CALL: number of an argument, then the source that it is made of as an ADDRESS is. */
	NORN_FACT_PASSES,
	/* Of READ, WRITE, RMW, CMPXCHG, COPY, SET without ADDRESS: sources of the address (of both). Of CALL of a function of libc:
	 * of the pointers that it is given; of one that creates a thread: of what that begins with. None: they are not known, or of
	 * variables. */
	NORN_FACT_PLACE,
};

#define NORN_ASSERT_SOURCES 4u /* of an expression; no more */
#define NORN_ASSERT_STACK 8u /* values that it has at a time; no more */

/* A chain is the number of its steps, then each step: op | bits << 4 | wide << 7, and but for BITS and SIGNED a constant in zigzag
 * form (site_table.h), in two numbers, the lower one first, if it is wide. bits: 0 to 4 for 1, 8, 16, 32 and 64. It makes another
 * value of a value, which is zero-extended at first; each step looks at so many bits, and leaves so many. */
enum norn_test {
	NORN_TEST_AND,
	NORN_TEST_OR,
	NORN_TEST_XOR,
	NORN_TEST_ADD,
	NORN_TEST_MULTIPLY,
	NORN_TEST_SHIFT_LEFT,
	NORN_TEST_SHIFT_RIGHT,
	NORN_TEST_SHIFT_SIGNED,
	NORN_TEST_BITS, /* so many lower bits are left */
	NORN_TEST_SIGNED, /* so many bits are extended by their sign */
	NORN_TEST_EQUAL, /* these give 1 or 0 */
	NORN_TEST_BELOW, /* unsigned < */
	NORN_TEST_NOT_ABOVE,
	NORN_TEST_LESS, /* signed < */
	NORN_TEST_NOT_GREATER,
	/* Of expressions only: steps over a stack, whose top the others change. A number follows, which is no constant: source << 1
	 * pushes so many bits of the source of this place in the list; op << 1 | 1 makes of the two on top what AND to MULTIPLY, or
	 * EQUAL to NOT_GREATER, make of a value, the lower one, and a constant; STACK: their difference. */
	NORN_TEST_STACK,
};

struct norn_test_step {
	unsigned op, bits;
	uint64_t constant;
};

/* The next step of a chain; one that is cut off looks at nothing. */
static inline struct norn_test_step norn_test_step(const uint32_t **items, const uint32_t *end)
{
	uint32_t head = *(*items)++;
	struct norn_test_step step = {head & 15, head >> 4 & 7 ? 4u << (head >> 4 & 7) : 1, 0};
	if (step.op == NORN_TEST_BITS || step.op == NORN_TEST_SIGNED)
		return step;
	uint64_t zigzag = *items < end ? *(*items)++ : 0;
	if (step.op == NORN_TEST_STACK) {
		step.constant = zigzag;
		return step;
	}
	if (head >> 7 & 1 && *items < end)
		zigzag |= (uint64_t)*(*items)++ << 32;
	step.constant = zigzag >> 1 ^ (0 - (zigzag & 1));
	return step;
}

/* A source as an item: index << 2 | kind. */
enum norn_source {
	NORN_SOURCE_LATEST, /* index: of a site in this table */
	NORN_SOURCE_ALL, /* index: the same, every time that it happened in this frame */
	NORN_SOURCE_PARAMETER, /* index: number of the parameter of the compiled function, from 0 */
	NORN_SOURCE_ANYTHING, /* everything that the thread has read so far; index 0 */
};
/* A source that is a parameter of this number is none: it stands for private memory which is not followed (a thread-local
 * variable). What is stored there decides, so it is of no interest but to who asks which block a value points into. */
#define NORN_SOURCE_PRIVATE 0xffffu

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
