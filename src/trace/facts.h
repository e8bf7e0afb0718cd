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
 * An *assertion* is a branch to code that fails: to __assert_fail, abort, a trap, exit with a status other than 0, or a function
 * that the user names. Its condition is an *expression* over sources. The fact belongs to the site of the last event of the thread
 * before the branch: after this event the thread always reaches the branch, and between them there are only other assertions, which
 * pass.
 * A source decides *loosely* if, apart from the assertions whose conditions it is in, it decides no more than some tests.
 *
 * A branch that matters, but is not a test of one source, has the same kind of fact, if its condition is an expression: it must
 * have its recorded result. Its sources decide loosely, too: all that they decide are tests, assertions and such branches.
 *
 * An access to the first page traps: a pointer that is read and then dereferenced must not be null. A source that decides only in
 * this way is a *pointer* (V9).
 *
 * Sound means: too many sources and deciders are allowed, a missing one is an error. */
#ifndef NORN_TRACE_FACTS_H
#define NORN_TRACE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum norn_fact {
	NORN_FACT_END,
	/* Of READ, RMW, CMPXCHG, COPY, BYVAL: the value read decides. Of CALL: its result decides. No items.
	 * Of ENTER: items are the numbers of the parameters that decide. */
	NORN_FACT_DECIDES,
	/* Of WRITE, RMW, CMPXCHG, SET, and COPY from private memory: sources of the value written. An rmw's own old value, and what
	 * a copy reads, come in addition and are not listed. */
	NORN_FACT_VALUE,
	/* Of CALL: number of an argument, then its sources. An argument without an entry is a constant. */
	NORN_FACT_ARGUMENT,
	/* Of ENTER: sources of the function's result, including those that choose between its returns. */
	NORN_FACT_RESULT,
	/* Of READ and RMW with DECIDES: the value decides only branches that at most write these bytes. Items, in groups of four:
	 * number of a variable (its address is in the trace: format.h), first byte in it, bytes, index of a site writing them */
	NORN_FACT_MASKS,
	/* Of READ and WRITE: reads of the same function that control it, by branches with masks. */
	NORN_FACT_CONTROL,
	/* The value is used as a number, even if it is an address: not only for accesses and copies, and in == and != with null,
	 * static memory or the stack (V4). Of READ, RMW, COPY, BYVAL: the value read; of CMPXCHG it is implied. Of CALL: its
	 * result. No items. Of ENTER: items are the numbers of the parameters that are used so. */
	NORN_FACT_NUMBER,
	/* Of READ with DECIDES, and of CALL: the value read, or the result, decides no more than the results of these tests (V8).
	 * Items: one chain (below) after another. */
	NORN_FACT_TESTS,
	/* Of ENTER: the function's result, computed by a chain from one source; for a CALL nothing else. Items: the source, the
	 * chain. */
	NORN_FACT_YIELDS,
	/* Of WRITE and RMW: the value written, computed by a chain from the latest value of one source, a READ (V7); of an RMW the
	 * source is its own site: the value that it reads. Items: the source, the chain, and, if the chain has a step STACK, the
	 * source of its operand: another READ, or ANYTHING: an addend that follows from the recorded values; after that the chain
	 * adds only constants. */
	NORN_FACT_MAKES,
	/* Of READ, WRITE, RMW, CMPXCHG, SET, and COPY from private memory, and of CALL with one pointer: the memory accessed, or
	 * pointed to, lies in a local variable of this frame. Items: how many bytes are accessed, 0 for CALL; how many bytes there
	 * are from the address to the end of the variable. */
	NORN_FACT_FRAME,
	/* Of READ and CALL with DECIDES: the value decides loosely. Items: the tests without the assertions, one chain after
	 * another. Of ENTER: items are the numbers of the parameters that decide only by assertions. */
	NORN_FACT_LOOSE,
	/* The assertions right after the site, in their order. Of ENTER: after the function's entry; of CALL: after its return.
	 * Items of each: the site of the call that fails; a number: bit 0: it fails if the condition is true, bits 1 to 3: how many
	 * sources, from bit 4 on one bit for each source that is LATER by this assertion; the sources; how many items its
	 * expression has; the expression. */
	NORN_FACT_ASSERTS,
	/* Of READ, WRITE, RMW, CMPXCHG, SET, COPY: the address is the value of one source plus an offset that does not depend on
	 * it; of COPY the address that it reads from, if that is recorded. Of a CALL by a pointer: the address of the function;
	 * of one of synchronization: that of the object, which it has one record of.
	 * Items: the source. */
	NORN_FACT_ADDRESS,
	/* Of READ and CALL with DECIDES: the value is a pointer: apart from the accesses whose ADDRESS it is, it decides no more
	 * than these tests (V9). Items: one chain after another. Of ENTER: items are the numbers of the parameters that are
	 * pointers, and decide no test. */
	NORN_FACT_POINTER,
	/* Of CALL: number of an argument, then its source, if the argument is the value of one source plus an offset, as an
	 * ADDRESS. */
	NORN_FACT_PASSES,
	/* Of READ, WRITE, RMW, CMPXCHG, COPY, SET without ADDRESS: sources of the address, of COPY of both addresses. Of CALL of a
	 * function of libc: of its pointer arguments; of a function that creates a thread: of the argument of the thread. No items:
	 * they are not known, or the addresses of variables. */
	NORN_FACT_PLACE,
	/* Of CALL: from the call on the frame needs nothing that it has computed, except from its parameters and constants; the
	 * arguments depend on these only, too (R23). Items: 1 if the parameters are needed, else 0; a number that is the same for
	 * all sites that are copies of one call of the source code, 0: not known. */
	NORN_FACT_FORGETS,
	/* Of CALL: number of an argument that is no pointer; how many sources, the sources; how many items, the items of its
	 * expression. */
	NORN_FACT_GIVES,
	/* Of READ with TESTS: the line of each test's branch, as 1 + the zigzag form of the difference from the line of the read;
	 * 0: not known, or of another file. */
	NORN_FACT_LINES,
	/* Branches that come right after the site, as ASSERTS, but after those. Items, of each: the number of sources, these, how
	 * many items its expression has, the expression. */
	NORN_FACT_BRANCHES,
	/* Of READ with MASKS and one of TESTS: all that it controls comes in the arms of one branch, in no loop, and nothing at all
	 * happens in them for one outcome of the test (V11). Items: that outcome, 0 or 1. */
	NORN_FACT_SKIPS,
	/* Of READ and CALL with DECIDES: but for assertions it decides only after one of them: whoever comes to one of its other
	 * decisions has passed that. Of ENTER: items are the numbers of such parameters. */
	NORN_FACT_LATER,
	/* Of READ, RMW, CMPXCHG, COPY, BYVAL: an assertion whose condition is no expression goes by the value read. Of CALL: by its
	 * result, and what a function of libc reads for it. Of ENTER: items are the numbers of such parameters. */
	NORN_FACT_DOUBTS,
	/* Of a READ of errno: since its function has written that, it has called only functions of libraries whose arguments
	 * decide, so that these may have set it, and nothing else (X8). No items. */
	NORN_FACT_OWN,
	/* Of READ with DECIDES, without MASKS: how many sites follow, by their numbers, that the frame passes one after the other
	 * before what was read decides anything (V1). */
	NORN_FACT_WAITS,
};

#define NORN_ASSERT_SOURCES 4u /* the most sources of an expression */
#define NORN_ASSERT_STACK 8u /* the most values on its stack */

/* A chain computes one value from another, which is first zero-extended. It is the number of its steps, then the steps. A step is
 * op | bits << 4 | wide << 7, and, except for BITS and SIGNED, a constant in zigzag form (site_table.h): one number, or two if it
 * is wide, the lower one first. bits: 0 to 4 stand for 1, 8, 16, 32 and 64, the width of the step's operands and result. In a chain
 * of MAKES one step may be STACK, followed by an op of expressions, whose operands are the value (the lower one) and the chain's
 * operand. */
enum norn_test {
	NORN_TEST_AND,
	NORN_TEST_OR,
	NORN_TEST_XOR,
	NORN_TEST_ADD,
	NORN_TEST_MULTIPLY,
	NORN_TEST_SHIFT_LEFT,
	NORN_TEST_SHIFT_RIGHT,
	NORN_TEST_SHIFT_SIGNED,
	NORN_TEST_BITS, /* keeps the lower bits */
	NORN_TEST_SIGNED, /* extends the lower bits by their sign */
	NORN_TEST_EQUAL, /* this and the following give 1 or 0 */
	NORN_TEST_BELOW, /* unsigned < */
	NORN_TEST_NOT_ABOVE,
	NORN_TEST_LESS, /* signed < */
	NORN_TEST_NOT_GREATER,
	/* In expressions only, which have a stack; other steps change its top. A number follows. If it is even, number / 2 is the
	 * index of a source, of which `bits` bits are pushed. If it is odd, number / 2 is an op on the two values on top, the lower
	 * one taking the place of the value, the upper one that of the constant: AND to SHIFT_SIGNED, EQUAL to NOT_GREATER; STACK:
	 * their difference; or one of norn_stack_op. */
	NORN_TEST_STACK,
};

enum norn_stack_op {
	NORN_STACK_ZERO = 16, /* pushes 0 */
	NORN_STACK_DIVIDE, /* divides the lower one by the one on top; no value if that traps */
	NORN_STACK_DIVIDE_SIGNED,
	NORN_STACK_REMAINDER,
	NORN_STACK_REMAINDER_SIGNED,
	NORN_STACK_SELECT, /* takes three: if the lowest one is 1 the next, if it is 0 the one on top */
};

struct norn_test_step {
	unsigned op, bits;
	uint64_t constant;
};

/* The next step of a chain. If the items end within it, its constant is 0. */
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
	NORN_SOURCE_ALL, /* index: of a site in this table; all its events in this frame */
	NORN_SOURCE_PARAMETER, /* index: number of the parameter of the compiled function, from 0 */
	NORN_SOURCE_ANYTHING, /* everything that the thread has read so far; index 0 */
};
/* The number of a PARAMETER that stands for private memory that is not followed (a thread-local variable). Values stored there
 * decide, so that this source matters only for the question which block a value points into. */
#define NORN_SOURCE_PRIVATE 0xffffu

/* A reader of facts: they begin at p, and end before end. */
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
