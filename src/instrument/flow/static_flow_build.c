/* From instructions to the graph. See static_flow.h. */
#include "instrument/flow/static_flow.h"

#include "instrument/flow/one_object.h"

#include "instrument/access/access_hooks.h"
#include "instrument/access/escape_analysis.h"
#include "trace/facts.h"

#include <string.h>

#define OBJECTS_MAX 64

/* ---- memory ---- */

static unsigned objects_of(struct norn_flow *flow, LLVMValueRef pointer, LLVMValueRef *objects)
{
	unsigned count = norn_shim_objects(pointer, objects, OBJECTS_MAX);
	if (count > OBJECTS_MAX) {
		flow->unknown = true;
		return 0;
	}
	return count;
}

void norn_flow_read_memory(struct norn_flow *flow, uint32_t node, LLVMValueRef pointer, uint32_t block)
{
	LLVMValueRef objects[OBJECTS_MAX];
	unsigned count = objects_of(flow, pointer, objects);
	for (unsigned i = 0; i < count; i++) {
		uint32_t local = norn_local_of(flow, objects[i]);
		if (local != NORN_NONE)
			norn_flow_edge(flow, node, norn_local_load(flow, local, block), false);
		else if (flow->nodes[node].kind != NORN_FLOW_NODE_SITE &&
		         !(LLVMIsAGlobalVariable(objects[i]) && LLVMIsGlobalConstant(objects[i])))
			flow->nodes[node].untold = true;
	}
}

/* Values stored to private memory that is no local (a thread-local variable) are not followed: they decide, so that values loaded
 * from there need not. */
void norn_flow_write_memory(struct norn_flow *flow, LLVMValueRef pointer, uint32_t value, uint32_t block, bool recorded)
{
	LLVMValueRef objects[OBJECTS_MAX];
	unsigned count = objects_of(flow, pointer, objects);
	for (unsigned i = 0; i < count; i++) {
		uint32_t local = norn_local_of(flow, objects[i]);
		if (local != NORN_NONE) {
			norn_local_store(flow, local, block, value);
		} else if (!recorded) {
			norn_flow_root(flow, value);
			norn_flow_number(flow, value);
			flow->effects[block] = true;
		}
	}
}

/* A variable, or a place in it that is always the same: an access there cannot trap. */
static bool is_safe_address(LLVMValueRef pointer)
{
	for (;;) {
		bool gep = LLVMIsAGetElementPtrInst(pointer) ||
		           (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr);
		if (!gep)
			return LLVMIsAAllocaInst(pointer) || norn_shim_is_byval(pointer) ||
			       (LLVMIsAGlobalVariable(pointer) && LLVMGetLinkage(pointer) != LLVMExternalWeakLinkage);
		for (int i = 1, n = LLVMGetNumOperands(pointer); i < n; i++)
			if (!LLVMIsAConstantInt(LLVMGetOperand(pointer, i)))
				return false;
		pointer = LLVMGetOperand(pointer, 0);
	}
}

static void address(struct norn_flow *flow, LLVMValueRef pointer, uint32_t point, uint32_t block)
{
	norn_flow_address(flow, point == NORN_NONE ? NORN_NONE : flow->pass->points[point].site, NORN_NONE, pointer);
	if (point != NORN_NONE && !is_safe_address(pointer))
		norn_flow_use(flow, flow->pass->points[point].site, NORN_FACT_PLACE, 0, norn_flow_value(flow, pointer));
	if (!is_safe_address(pointer))
		flow->effects[block] = true;
}

/* The node of an instruction that reads memory: a source if it is recorded. */
static uint32_t reader(struct norn_flow *flow, LLVMValueRef instruction, uint32_t point, uint32_t block)
{
	uint32_t node = norn_flow_value(flow, instruction);
	if (point != NORN_NONE) {
		flow->nodes[node].kind = NORN_FLOW_NODE_SITE;
		flow->nodes[node].index = flow->pass->points[point].site;
		flow->nodes[node].pieces = !norn_access_is_scalar(flow->pass, LLVMTypeOf(instruction));
		bool load = flow->pass->points[point].action == NORN_ACT_LOAD;
		if (!load || !is_safe_address(LLVMGetOperand(instruction, 0)) ||
		        !norn_mask_load(flow, instruction, flow->pass->points[point].site, block))
			flow->effects[block] = true;
	}
	return node;
}

static void build_load(struct norn_flow *flow, LLVMValueRef load, uint32_t block)
{
	LLVMValueRef pointer = LLVMGetOperand(load, 0);
	uint32_t point = norn_flow_point(flow, load), node = reader(flow, load, point, block);
	if (point == NORN_NONE && norn_may_be_shared(flow->pass, pointer) && !norn_shim_is_vtable_access(load))
		flow->unknown = true; /* of a type that has no hook */
	norn_flow_read_memory(flow, node, pointer, block);
	address(flow, pointer, point, block);
}

static void build_store(struct norn_flow *flow, LLVMValueRef store, uint32_t block)
{
	uint32_t value = norn_flow_value(flow, LLVMGetOperand(store, 0)), point = norn_flow_point(flow, store);
	LLVMValueRef pointer = LLVMGetOperand(store, 1);
	if (point != NORN_NONE) {
		uint32_t site = flow->pass->points[point].site;
		norn_flow_use(flow, site, NORN_FACT_VALUE, 0, value);
		if (flow->pass->points[point].action == NORN_ACT_STORE)
			norn_flow_written(flow, site, store);
		if (flow->pass->points[point].action != NORN_ACT_STORE || !norn_mask_store(flow, store, site, block))
			flow->effects[block] = true;
	}
	norn_flow_write_memory(flow, pointer, value, block, point != NORN_NONE);
	address(flow, pointer, point, block);
}

/* A compare-and-swap writes or not by the value that it reads, and the one that it expects. */
static void build_rmw(struct norn_flow *flow, LLVMValueRef rmw, uint32_t block)
{
	bool compares = LLVMIsAAtomicCmpXchgInst(rmw);
	LLVMValueRef pointer = LLVMGetOperand(rmw, 0);
	uint32_t value = norn_flow_value(flow, LLVMGetOperand(rmw, compares ? 2 : 1)), point = norn_flow_point(flow, rmw);
	uint32_t node = reader(flow, rmw, point, block);
	if (point != NORN_NONE)
		norn_flow_use(flow, flow->pass->points[point].site, NORN_FACT_VALUE, 0, value);
	if (point != NORN_NONE && !compares)
		norn_flow_written(flow, flow->pass->points[point].site, rmw);
	if (compares) {
		norn_flow_root(flow, norn_flow_value(flow, LLVMGetOperand(rmw, 1)));
		norn_flow_root(flow, node);
		norn_flow_number(flow, norn_flow_value(flow, LLVMGetOperand(rmw, 1)));
	}
	if (!compares && LLVMGetAtomicRMWBinOp(rmw) != LLVMAtomicRMWBinOpXchg) {
		norn_flow_number(flow, value);
		norn_flow_number(flow, node); /* the value read by a compare-and-swap always is one */
	}
	norn_flow_read_memory(flow, node, pointer, block);
	norn_flow_write_memory(flow, pointer, value, block, point != NORN_NONE);
	norn_flow_write_memory(flow, pointer, node, block, true);
	address(flow, pointer, point, block);
}

/* ---- the others ---- */

static bool one_value(LLVMValueRef phi)
{
	LLVMValueRef first = NULL;
	for (unsigned i = 0, n = LLVMCountIncoming(phi); i < n; i++) {
		LLVMValueRef value = LLVMGetIncomingValue(phi, i);
		if (value != phi && first && value != first)
			return false;
		if (value != phi)
			first = value;
	}
	return true;
}

static void build_phi(struct norn_flow *flow, LLVMValueRef phi, uint32_t block)
{
	uint32_t node = norn_flow_value(flow, phi);
	for (unsigned i = 0, n = LLVMCountIncoming(phi); i < n; i++) {
		uint32_t from = norn_blocks_find(&flow->blocks, LLVMGetIncomingBlock(phi, i));
		if (from != NORN_NONE)
			norn_flow_edge(flow, node, norn_flow_value(flow, LLVMGetIncomingValue(phi, i)),
			        norn_blocks_dominates(&flow->blocks, block, from));
	}
	if (!one_value(phi))
		norn_flow_edge(flow, node, norn_flow_choice(flow, block), false);
}

static bool is_place_apart(LLVMValueRef value)
{
	return LLVMIsAConstant(value) || LLVMIsAAllocaInst(value);
}

/* Would this operand, should it be an address, be used as a number? Not where only a place comes of it, or the same address, or
 * whether it is that of a block at all. */
static bool is_number(LLVMValueRef instruction, int operand)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMGetElementPtr:
		return operand != 0;
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMIntToPtr:
	case LLVMPtrToInt:
	case LLVMFreeze:
	case LLVMSelect:
	case LLVMExtractValue:
	case LLVMInsertValue:
		return false;
	case LLVMAdd: /* a place in the same object */
		return !LLVMIsAConstantInt(LLVMGetOperand(instruction, 1 - operand));
	case LLVMICmp: {
		LLVMIntPredicate predicate = LLVMGetICmpPredicate(instruction);
		return (predicate != LLVMIntEQ && predicate != LLVMIntNE) ||
		       !is_place_apart(LLVMGetOperand(instruction, 1 - operand));
	}
	default:
		return true;
	}
}

static void build_plain(struct norn_flow *flow, LLVMValueRef instruction)
{
	uint32_t node = norn_flow_value(flow, instruction);
	bool one_object = norn_flow_is_of_one_object(flow, instruction);
	flow->nodes[node].placeless = one_object;
	for (int i = 0, n = LLVMGetNumOperands(instruction); i < n; i++) {
		uint32_t operand = norn_flow_value(flow, LLVMGetOperand(instruction, i));
		norn_flow_edge(flow, node, operand, false);
		if (!one_object && is_number(instruction, i))
			norn_flow_number(flow, operand);
	}
}

/* Traps: division by zero, or of the lowest number by -1. */
static void build_division(struct norn_flow *flow, LLVMValueRef division, uint32_t block)
{
	LLVMValueRef divisor = LLVMGetOperand(division, 1);
	build_plain(flow, division);
	if (LLVMIsAConstantInt(divisor) && LLVMGetIntTypeWidth(LLVMTypeOf(divisor)) <= 64) {
		long long by = LLVMConstIntGetSExtValue(divisor);
		if (by != 0 && by != -1)
			return;
	}
	norn_flow_trap(flow, division);
	flow->effects[block] = true;
}

static void build_alloca(struct norn_flow *flow, LLVMValueRef alloca, uint32_t block)
{
	LLVMValueRef size = LLVMGetOperand(alloca, 0);
	if (LLVMIsAConstant(size))
		return;
	norn_flow_root(flow, norn_flow_value(flow, size));
	flow->effects[block] = true;
}

/* Whether a call throws, and what, is decided where that happens: by code that we see, whose throw is an effect, or by what code
 * that we do not see is given, all of which decides. Here it is no branch. */
static void build_exception(struct norn_flow *flow, LLVMValueRef i, uint32_t block)
{
	flow->effects[block] = true;
	if (LLVMIsAInvokeInst(i)) {
		norn_flow_call(flow, i, block);
	} else if (LLVMIsALandingPadInst(i)) {
		uint32_t node = norn_flow_value(flow, i);
		flow->nodes[node].untold = true;
	}
}

static void build_instruction(struct norn_flow *flow, LLVMValueRef i, uint32_t block)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMLoad:
		build_load(flow, i, block);
		break;
	case LLVMStore:
		build_store(flow, i, block);
		break;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		build_rmw(flow, i, block);
		break;
	case LLVMPHI:
		build_phi(flow, i, block);
		break;
	case LLVMCall:
		norn_flow_call(flow, i, block);
		break;
	case LLVMInvoke:
	case LLVMLandingPad:
	case LLVMResume:
		build_exception(flow, i, block);
		break;
	case LLVMAlloca:
		build_alloca(flow, i, block);
		break;
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMURem:
	case LLVMSRem:
		build_division(flow, i, block);
		break;
	case LLVMIndirectBr:
		norn_flow_root(flow, flow->conditions[block]);
		break;
	case LLVMUnreachable:
		flow->effects[block] = true;
		break;
	case LLVMSwitch:
		norn_flow_number(flow, norn_flow_value(flow, LLVMGetOperand(i, 0)));
		break;
	case LLVMBr:
	case LLVMRet:
		break;
	case LLVMFence: /* an event, which happens or not */
		flow->effects[block] |= !LLVMIsAtomicSingleThread(i);
		break;
	case LLVMCallBr:
	case LLVMCleanupRet:
	case LLVMCatchRet:
	case LLVMCatchPad:
	case LLVMCleanupPad:
	case LLVMCatchSwitch:
	case LLVMVAArg:
	case LLVMUserOp1:
	case LLVMUserOp2:
		flow->unknown = true;
		break;
	default: /* arithmetic, comparisons, casts, addresses, select, parts of vectors and structs, freeze */
		build_plain(flow, i);
	}
}

static bool one_successor(const struct norn_blocks *blocks, const struct norn_basic_block *b)
{
	for (uint32_t k = 1; k < b->successor_count; k++)
		if (blocks->successors[b->successors + k] != blocks->successors[b->successors])
			return false;
	return true;
}

static void find_conditions(struct norn_flow *flow)
{
	for (uint32_t i = 0; i < flow->blocks.count; i++) {
		const struct norn_basic_block *b = flow->blocks.all + i;
		if (one_successor(&flow->blocks, b) || LLVMIsAInvokeInst(b->terminator))
			continue;
		/* The operand that a branch, a switch and an indirectbr look at is the first. */
		flow->conditions[i] = norn_flow_value(flow, LLVMGetOperand(b->terminator, 0));
	}
}

static void build_result(struct norn_flow *flow)
{
	uint32_t node = norn_flow_node(flow, NORN_FLOW_NODE_INNER, 0), returns = 0;
	LLVMValueRef result = NULL;
	for (uint32_t i = 0; i < flow->blocks.count; i++) {
		LLVMValueRef end = flow->blocks.all[i].terminator;
		if (!LLVMIsAReturnInst(end))
			continue;
		if (LLVMGetNumOperands(end) == 0)
			return;
		result = LLVMGetOperand(end, 0);
		returns++;
		norn_flow_edge(flow, node, norn_flow_value(flow, LLVMGetOperand(end, 0)), false);
	}
	norn_flow_edge(flow, node, norn_flow_choice_of_return(flow), false);
	norn_flow_use(flow, flow->pass->entry, NORN_FACT_RESULT, 0, node);
	if (returns == 1 && !flow->unknown)
		norn_test_result(flow, result);
}

void norn_flow_build(struct norn_flow *flow)
{
	find_conditions(flow);
	norn_local_find(flow);
	for (uint32_t b = 0; b < flow->blocks.count && !flow->unknown; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(flow->blocks.all[b].block); i; i = LLVMGetNextInstruction(i)) {
			flow->place = i;
			build_instruction(flow, i, b);
		}
	flow->place = NULL;
	build_result(flow);
}
