/* The flow of values in one function, before it is rewritten: a graph of the operands of each value.
 *
 * A node is an SSA value, a local in memory at some place, or the choice of the path by which a block is reached; its edges lead to
 * its operands, and end in *sources* (trace/facts.h): sites that read or call, and parameters. An edge that passes through a loop's
 * back edge says so: then every time that a source happened counts, not only the latest. (In a reducible function the latest is
 * right everywhere else: what a use sees was computed after its block's dominators were last passed. In one that is not, all times
 * count.)
 *
 * *Roots* are nodes whose sources decide; *numbers* nodes whose sources, should they be addresses, are used as numbers (V4).
 * A block has an *effect* if other code can tell whether it ran. One that only *accesses* variables of this translation unit has
 * none, but a branch to it gives masks to what it depends on. Whatever is not understood makes the function unknown: its sites get
 * no facts. */
#ifndef NORN_INSTRUMENT_FLOW_STATIC_FLOW_H
#define NORN_INSTRUMENT_FLOW_STATIC_FLOW_H

#include "instrument/flow/blocks.h"
#include "instrument/pass.h"

enum norn_flow_node_kind {
	NORN_FLOW_NODE_INNER,
	NORN_FLOW_NODE_SITE, /* index: of the site */
	NORN_FLOW_NODE_PARAMETER, /* index: its number */
};

struct norn_flow_node {
	uint8_t kind; /* enum norn_flow_node_kind */
	bool sourced; /* a source can be reached from here */
	bool decides, numeric;
	bool asserted; /* decides by an assertion */
	bool pointed; /* decides as the base of addresses */
	bool hasty; /* decides otherwise than by tests before it is surely dereferenced */
	bool later; /* decides only after an assertion, other than by assertions */
	bool doubted; /* an assertion that is not told goes by it */
	bool narrow; /* of fewer bytes than an address has */
	bool placeless; /* made of addresses, and the same wherever they lie (one_object.h) */
	bool untold; /* it may come from private memory that is not tracked */
	bool pieces; /* a site that makes several records at a time: the latest is only a part */
	bool untested; /* it has masks of a branch whose outcome its tests do not tell */
	bool masking, masking_often; /* branches with masks depend on it; more than one */
	uint32_t wait; /* of a read that decides: how many sites come before it does (static_flow_wait.c) */
	uint32_t index;
	uint32_t edges; /* the first, 0 = none */
	uint32_t masks; /* 1 + place of its masks, 0 = it has none */
	LLVMValueRef value; /* NULL: it is none */
};

/* A chain of trace/facts.h, from a source. */
#define NORN_CHAIN_ITEMS 24u
struct norn_flow_chain {
	uint32_t node; /* the source; 0: there is none */
	uint32_t items[NORN_CHAIN_ITEMS], count;
	uint32_t depth; /* how many values the walk has passed */
	bool pairs; /* one step may be of two sources, the other one is: */
	uint32_t operand; /* a node, 0: none */
	bool recorded; /* the other one is what the record says that was added */
	uint32_t pair; /* place of that step among the items */
	LLVMValueRef into; /* where the value is stored; NULL: not known */
	bool asserts; /* the test is an assertion's condition, or a part of it; of no other branch */
	bool masks; /* the same, of branches with masks */
	unsigned skips; /* of a branch with masks: 1 + the outcome for which nothing happens in its arms; 0: there is none */
	uint32_t line; /* of a test: of the branch, 1 + its difference from that of the source in zigzag form; 0: not known */
	LLVMValueRef place; /* of a test: the instruction that goes by it */
};

/* An expression of trace/facts.h. */
#define NORN_EXPRESSION_ITEMS 64u
struct norn_expression {
	uint32_t sources[4], source_count; /* nodes */
	uint32_t items[NORN_EXPRESSION_ITEMS], count;
	unsigned depth, top; /* values that were gone through; on the stack */
	LLVMBasicBlockRef block, from; /* of this block's phis: what comes from there; NULL: any */
};

/* Branches in a row, between which nothing is recorded, of which one failure or one other way comes. */
#define NORN_REGION_BLOCKS 8u
struct norn_flow;
struct norn_expression_region {
	uint32_t first;
	LLVMValueRef failure;
	bool (*fails)(const struct norn_flow *flow, uint32_t block, LLVMValueRef failure);
	uint32_t blocks[NORN_REGION_BLOCKS], count; /* that end with them, first among them */
	uint32_t elsewhere; /* where those come to that do not fail */
	bool good; /* that is one place */
};

/* An assertion of trace/facts.h, or another branch that is told in the same way. */
struct norn_assert {
	uint32_t block; /* that ends with the branch */
	uint32_t site; /* after which it is come to */
	LLVMValueRef failure; /* the call that fails, NULL: it is no assertion … */
	uint32_t fails; /* … and its site */
	bool fails_if; /* the condition is this */
	unsigned first; /* bits, by source: it decides by nothing else before this */
	uint32_t region[NORN_REGION_BLOCKS], region_count; /* of several branches: blocks that end with the others */
	bool chooses; /* a switch: if it does not fail, there are several ways, so that it decides otherwise, too */
	struct norn_expression condition;
};

/* A comparison of a value with a constant, or its opposite (negated). */
struct norn_flow_comparison {
	LLVMValueRef value;
	int64_t constant;
	unsigned op; /* enum norn_test */
	bool negated;
};

struct norn_flow_edge {
	uint32_t to, next;
	bool all;
};

/* A value that has an entry of its own in the facts of a site. */
struct norn_use {
	uint32_t site, node;
	uint8_t fact; /* enum norn_fact */
	uint8_t number; /* of an argument */
};

/* Bytes of a variable that may be written. */
struct norn_range {
	uint32_t variable, offset, bytes;
	uint32_t site; /* that does */
};

#define NORN_MASKS_MAX 16u /* of one source; what has more decides */
struct norn_masks {
	struct norn_range ranges[NORN_MASKS_MAX];
	uint32_t count;
};

struct norn_stored {
	uint32_t block;
	struct norn_range range;
};

/* An alloca whose address does not escape (static_flow_local.c). */
struct norn_local {
	LLVMValueRef alloca;
	bool simple; /* only loaded and stored, always whole */
	uint32_t node; /* all values that it may hold at any time, unless simple */
	uint32_t block, value; /* simple: 1 + the block that is being looked at, and what it holds there now */
};

/* Knowledge of a branch's tests: its own, or it goes by other branches alone. */
struct norn_tested {
	uint32_t first, end; /* of its own tests */
	enum { NORN_TESTED_NOT_YET, NORN_TESTED_NOW, NORN_TESTED_ITSELF, NORN_TESTED_BY_OTHERS, NORN_TESTED_NOT } state;
};

struct norn_flow {
	struct norn_pass *pass;
	struct norn_blocks blocks;
	bool unknown;

	struct norn_flow_node *nodes; /* node 0 stands for constants: made of nothing */
	uint32_t node_count, node_room;
	struct norn_flow_edge *edges; /* edge 0 is unused */
	uint32_t edge_count, edge_room;
	struct norn_number_map values, points; /* 1 + node of a value, 1 + index of an instruction's first point */

	struct norn_local *locals;
	uint32_t local_count, local_room;
	struct norn_number_map local_numbers; /* 1 + index of an alloca */
	struct norn_number_map local_ends, local_starts; /* 1 + node of what a simple local holds at a block's end and start */

	uint32_t *conditions; /* by block: node of what its terminator decides on; 0 also if that is a constant */
	uint64_t *spans; /* bits by branch and block: leads_to; NULL: none yet */
	bool *spanned; /* by branch: its bits are there */
	uint32_t *choices; /* by block: 1 + the node that stands for the way by which it is come to, 0 = not made yet */
	bool *effects; /* by block */
	bool *accesses; /* by block: it reads or writes variables of this unit */
	uint32_t *controls; /* by block: 1 + node of what decides, by branches with masks, whether it runs; 0 = not made yet */
	struct norn_stored *stores; /* of blocks with accesses; in order of blocks */
	uint32_t store_count, store_room;
	struct norn_masks *masks;
	uint32_t mask_count, mask_room;
	bool *bounded; /* by header: a loop that ends: the program says so, or it counts */
	struct norn_walk { /* over blocks, one at a time */
		uint32_t *work, count;
		uint32_t *stamps, stamp; /* blocks whose stamp it is were seen */
		uint64_t budget; /* steps that walks may still take */
	} walk;

	struct norn_decision {
		uint32_t node;
		LLVMValueRef place; /* the instruction that it decides by; NULL: not known */
		bool root;
		bool asserts; /* it decides by an assertion that does nothing else */
	} *decided;
	uint32_t decided_count, decided_room;
	LLVMValueRef place; /* of decisions that are found now */
	uint32_t *numbers;
	uint32_t number_count, number_room;
	struct norn_flow_chain *tests;
	uint32_t test_count, test_room;
	struct norn_flow_chain yields; /* the function's result */
	struct norn_assert *asserts;
	uint32_t assert_count, assert_room;
	uint32_t *doubts; /* conditions of assertions that are not told */
	uint32_t doubt_count, doubt_room;
	uint32_t sure_nodes; /* when what they go by was looked for: nodes that were there */
	bool asserting, masking; /* tests that are found are an assertion's, of a branch with masks */
	LLVMValueRef testing; /* the branch whose tests are looked for; NULL: none */
	struct norn_tested *tested; /* by block; NULL: none has been asked for */
	struct norn_number_map decisions; /* 1 + block by whose branch a node of a condition is decided */
	uint32_t *asserted; /* roots of assertions, whose sources decide only thereby */
	uint32_t asserted_count, asserted_room;
	struct norn_written { /* by sites: stores and rmws */
		uint32_t site;
		LLVMValueRef instruction;
	} *written;
	uint32_t written_count, written_room;
	struct norn_give { /* an argument that is a number, of a call */
		uint32_t site, argument;
		LLVMValueRef value;
	} *gives; /* by sites */
	uint32_t give_count, give_room;
	LLVMValueRef *traps; /* divisions that may trap */
	uint32_t trap_count, trap_room;
	struct norn_flow_address { /* of an access, or an argument that is a pointer */
		uint32_t site; /* NORN_NONE: none that is recorded */
		uint32_t argument; /* its number, NORN_NONE: it is none */
		LLVMValueRef pointer, place; /* where it is used */
		uint32_t base; /* the source that it is made of by offsets alone; 0: there is none */
	} *addresses;
	uint32_t address_count, address_room;
	struct norn_use *uses;
	uint32_t use_count, use_room;
};

void norn_flow_init(struct norn_flow *flow, struct norn_pass *pass);
void norn_flow_done(struct norn_flow *flow);

/* ---- nodes ---- */
uint32_t norn_flow_node(struct norn_flow *flow, enum norn_flow_node_kind kind, uint32_t index);
uint32_t norn_flow_value(struct norn_flow *flow, LLVMValueRef value); /* 0 for constants */
void norn_flow_edge(struct norn_flow *flow, uint32_t from, uint32_t to, bool all);
void norn_flow_root(struct norn_flow *flow, uint32_t node);
void norn_flow_decides(struct norn_flow *flow, uint32_t node, LLVMValueRef place); /* or what it is made of, in some way */
void norn_flow_number(struct norn_flow *flow, uint32_t node);
void norn_flow_use(struct norn_flow *flow, uint32_t site, unsigned fact, unsigned number, uint32_t node);
/* Points of an instruction: index of the first in pass->points, NORN_NONE if it has none. */
uint32_t norn_flow_point(const struct norn_flow *flow, LLVMValueRef instruction);
/* Walks: begin; to the blocks to start with; next until NORN_NONE. False: too far, the function has become unknown. */
void norn_walk_begin(struct norn_flow *flow);
bool norn_walk_to(struct norn_flow *flow, uint32_t block);
uint32_t norn_walk_next(struct norn_flow *flow);
/* The way by which a block is come to: conditions of the branches between it and its dominator. */
uint32_t norn_flow_choice(struct norn_flow *flow, uint32_t block);
/* The same for the function's end: which return is taken. */
uint32_t norn_flow_choice_of_return(struct norn_flow *flow);
/* Has this instruction been passed whenever that one is come to? */
bool norn_flow_comes_before(const struct norn_flow *flow, LLVMValueRef instruction, LLVMValueRef then);
bool norn_flow_repeats(const struct norn_flow *flow, uint32_t block); /* may a block run more than once in a frame? */
bool norn_flow_passed_often(
        const struct norn_flow *flow, uint32_t block, uint32_t branch); /* on the way to a block that it leads to */

/* ---- static_flow_local.c ---- */
void norn_local_find(struct norn_flow *flow);
/* Index of the private local at this object, NORN_NONE if it is none. */
uint32_t norn_local_of(const struct norn_flow *flow, LLVMValueRef object);
uint32_t norn_local_load(struct norn_flow *flow, uint32_t local, uint32_t block); /* its value at the present place of the walk */
void norn_local_store(struct norn_flow *flow, uint32_t local, uint32_t block, uint32_t value);

/* ---- static_flow_build.c: nodes, edges, roots, uses and effects of all instructions ---- */
void norn_flow_build(struct norn_flow *flow);
/* ---- static_flow_call.c: the same, of one call ---- */
void norn_flow_call(struct norn_flow *flow, LLVMValueRef call, uint32_t block);
/* Memory that an instruction may touch through a pointer: */
void norn_flow_read_memory(struct norn_flow *flow, uint32_t node, LLVMValueRef pointer, uint32_t block);
void norn_flow_write_memory(struct norn_flow *flow, LLVMValueRef pointer, uint32_t value, uint32_t block, bool recorded);
/* ---- static_flow_decide.c: roots that are branches, and those with masks; then what decides ---- */
void norn_flow_branches(struct norn_flow *flow);
void norn_flow_decide(struct norn_flow *flow);
/* ---- static_flow_loop.c: loops that count are bounded ---- */
void norn_loops_find(struct norn_flow *flow);
/* ---- static_flow_test.c: conditions as tests of one source ---- */
/* Does the branch at the end of this block come out as it did, if tests do? They are added then. */
bool norn_test_branch(struct norn_flow *flow, uint32_t block);
void norn_test_result(struct norn_flow *flow, LLVMValueRef result); /* of the only return */
void norn_flow_trap(struct norn_flow *flow, LLVMValueRef division); /* takes note of it: it may trap */
void norn_test_traps(struct norn_flow *flow); /* whether it does is tested, or its operands decide */
void norn_flow_written(struct norn_flow *flow, uint32_t site, LLVMValueRef instruction); /* takes note of it */
bool norn_test_written(
        struct norn_flow *flow, LLVMValueRef instruction, struct norn_flow_chain *ret_chain); /* as a chain; false: it is none */
uint32_t norn_test_width(LLVMTypeRef type); /* code of a width (trace/facts.h), NORN_NONE: there is none */
/* The outcome of its test if the condition holds: comparisons may be tested the other way round. False: not known. */
bool norn_test_holds(LLVMValueRef condition, const struct norn_flow_chain *test, unsigned *ret_outcome);
bool norn_test_comparison(LLVMValueRef icmp, struct norn_flow_comparison *ret_comparison); /* false: of two values */
bool norn_test_constant(LLVMValueRef value, int64_t *ret_constant);
bool norn_test_is_source(const struct norn_flow *flow, uint32_t node); /* one record tells all of it */
/* The value of a local that only one store can have made; NULL: that is not known. */
LLVMValueRef norn_test_local(const struct norn_flow *flow, uint32_t node);
/* ---- static_flow_expression.c: values as expressions ---- */
/* Pushes the value; the negation of the condition that is on top; "both" of the two that are; whether the value is one of these.
 * False: it cannot be expressed, or is too long. */
bool norn_expression_add(struct norn_flow *flow, LLVMValueRef value, struct norn_expression *expression);
bool norn_expression_negate(struct norn_expression *expression, LLVMValueRef condition);
bool norn_expression_both(struct norn_expression *expression, LLVMValueRef condition);
bool norn_expression_any_case(
        struct norn_flow *flow, LLVMValueRef value, const int64_t *cases, unsigned count, struct norn_expression *expression);
void norn_flow_give(struct norn_flow *flow, uint32_t site, uint32_t argument, LLVMValueRef value); /* takes note of it */
/* Pushes whether the failure is come to. False: it cannot be expressed, or other things are decided. */
bool norn_expression_failing(struct norn_flow *flow, struct norn_expression_region *region, struct norn_expression *expression);
bool norn_expression_is_quiet(const struct norn_flow *flow, uint32_t block); /* nothing is recorded in it */
/* ---- static_flow_assert.c: conditions of assertions as expressions ---- */
void norn_asserts_find(struct norn_flow *flow);
bool norn_assert_ends(const struct norn_flow *flow, uint32_t block); /* an assertion that does nothing else */
/* The branch at the end of this block, which is none: is its condition an expression, made of reads? It is told then. */
bool norn_branch_tell(struct norn_flow *flow, uint32_t block);
/* ---- static_flow_pointer.c: what addresses are made of ---- */
void norn_flow_address(struct norn_flow *flow, uint32_t site, uint32_t argument, LLVMValueRef pointer); /* takes note of it */
void norn_pointers_find(struct norn_flow *flow);
/* Has this source surely been dereferenced whenever the instruction is come to? */
bool norn_pointer_dereferenced(const struct norn_flow *flow, uint32_t source, LLVMValueRef instruction);
void norn_pointers_decide(struct norn_flow *flow); /* what they decide before that */
/* ---- static_flow_wait.c: where in their block reads decide first ---- */
void norn_waits_find(struct norn_flow *flow);
/* ---- static_flow_mask.c: accesses that a branch may decide about without deciding much ---- */
/* Takes note that the block has this access, which is recorded; false if it is no such access: then it has an effect. A load's
 * address is safe. */
bool norn_mask_load(struct norn_flow *flow, LLVMValueRef load, uint32_t site, uint32_t block);
bool norn_mask_store(struct norn_flow *flow, LLVMValueRef store, uint32_t site, uint32_t block);
/* The block, which has accesses, runs or not because of this branch. repeats: which may come to itself again before its ways
 * meet. */
void norn_mask_control(struct norn_flow *flow, uint32_t branch, uint32_t block, bool repeats);
/* The branch's sources get these masks; calls and parameters among them become roots, but for calls that are tested. */
void norn_mask_branch(struct norn_flow *flow, uint32_t branch, const struct norn_masks *masks, bool tested);
bool norn_masks_add(struct norn_masks *masks, const struct norn_range *range); /* false: too many */

#endif
