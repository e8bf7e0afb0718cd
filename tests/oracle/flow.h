/* Facts for slicing (trace/facts.h), from the tree: a second implementation of what the pass does for C, by rules 1 to 5 of sliced
 * prediction: every branch is kept, unless all that its arms may do is to access shared variables. Each rule can be left out, to
 * see that the tests notice. */
#ifndef NORN_ORACLE_FLOW_H
#define NORN_ORACLE_FLOW_H

#include "causality/dependence_graph.h"
#include "program.h"
#include "trace/site.h"

enum flow_rule {
	FLOW_SYNC = 1, /* a branch with synchronization in an arm decides */
	FLOW_EXIT = 2, /* with exit or assert */
	FLOW_LOOP = 4, /* a loop that depends on a read may not end */
	FLOW_JUMP = 8, /* an early return (break) has all that follows as its scope */
	FLOW_TRAP = 16, /* operands that may trap */
	FLOW_ADDRESS = 32, /* of accesses */
	FLOW_LOCK = 64, /* of locks */
	FLOW_CALL = 128, /* a branch with a call in an arm */
	FLOW_ACCESS = 256, /* a branch with an access in an arm */
	FLOW_PHI = 512, /* who chose a value is among its sources */
	FLOW_RESULT = 1024, /* who chose a return is */
	FLOW_ALL = 2048, /* what comes through a back edge is all instances */
	FLOW_ARGUMENT = 4096, /* values pass into functions */
	FLOW_CAS = 8192, /* whether a compare-and-swap writes depends on what it read and expected */
	FLOW_MASK = 16384, /* what a branch may write are the masks of its reads */
	FLOW_TESTS = 65536, /* simple conditions are tests of what was read; without: they fix it */
	FLOW_WAIT = 131072, /* a read decides where something goes by it; without: after its list of statements */
	FLOW_CONTROL = 32768, /* accesses in a branch that is not kept know who controls them */
};

#define FLOW_BYTES 49152
#define SITE_BASE NORN_SITE_FIRST

struct flow {
	const struct program *program;
	uint8_t bytes[FLOW_BYTES];
	unsigned used;
	uint64_t weaken; /* if not 0: some facts are left out, or say more than is needed, at random */
	uint16_t at[BODIES + STATEMENTS]; /* of sites; 0: none */
	bool controlled[STATEMENTS]; /* they may happen or not */
	/* assertions whose conditions are expressions, of reads that decide no more than tests otherwise; others are branches, or a
	 * read may not change because of what it decides later, as facts do not say where that is */
	bool stated[STATEMENTS];
	uint8_t asked[STATEMENTS][2]; /* of these: the statements whose values they are about */
	bool yields[BODIES]; /* functions whose result is made of one read */
};

static inline uint32_t site_of_body(unsigned body)
{
	return SITE_BASE + body;
}

static inline uint32_t site_of_statement(unsigned statement)
{
	return SITE_BASE + BODIES + statement;
}

/* 0 if the site is that of a function. */
static inline unsigned statement_of_site(uint32_t site)
{
	return site < SITE_BASE + BODIES ? 0 : site - SITE_BASE - BODIES;
}

/* without: rules that are left out. weaken: see above. */
void flow_make(const struct program *program, unsigned without, uint64_t weaken, struct flow *ret_flow);
norn_graph_lookup flow_lookup; /* context: the flow */
norn_graph_initial_word flow_initial_word; /* the same */

#endif
