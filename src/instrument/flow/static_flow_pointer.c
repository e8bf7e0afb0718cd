/* Addresses that are made of one pointer that was read (V9). See static_flow.h and trace/facts.h.
 *
 * The base of an address is what is left of it when offsets, casts and locals that are always stored before they are loaded are
 * taken off. If that is a read, the result of a call or a parameter, the site that accesses memory there says so, and the source
 * decides by it as a pointer; the offsets decide as they do everywhere. Any other address decides by all that it is made of.
 *
 * A null pointer ends its thread at the first access by it. What a pointer decides only where it has surely been dereferenced is no
 * matter up to there: `v = p->v; free(p);`. */
#include "instrument/flow/static_flow.h"

#include <stdlib.h>
#include <string.h>

#include "instrument/pass_memory.h"
#include "trace/facts.h"

#define DEPTH_MAX 16u
#define POINTERS_MAX 64u /* of a function, that are looked at for what they decide when */

/* Atomic pointers are loaded and stored as whole numbers of the same width. */
static bool is_cast(LLVMValueRef value)
{
	switch (LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : LLVMRet) {
	case LLVMBitCast:
	case LLVMFreeze:
		return true;
	case LLVMIntToPtr:
	case LLVMPtrToInt:
		return norn_test_width(LLVMTypeOf(value)) == norn_test_width(LLVMTypeOf(LLVMGetOperand(value, 0)));
	default:
		return false;
	}
}

/* The node of the source that this pointer is made of, by offsets alone; 0: there is none. */
static uint32_t base_of(struct norn_flow *flow, LLVMValueRef pointer, LLVMValueRef offsets[DEPTH_MAX], unsigned *ret_count)
{
	*ret_count = 0;
	for (unsigned depth = 0; pointer && depth < DEPTH_MAX; depth++) {
		if (!LLVMIsAInstruction(pointer) && !LLVMIsAArgument(pointer))
			return 0;
		uint32_t node = norn_flow_value(flow, pointer);
		if (flow->nodes[node].kind == NORN_FLOW_NODE_SITE)
			return norn_test_is_source(flow, node) ? node : 0;
		if (flow->nodes[node].kind == NORN_FLOW_NODE_PARAMETER)
			return node;
		if (LLVMIsAGetElementPtrInst(pointer)) {
			offsets[(*ret_count)++] = pointer;
			pointer = LLVMGetOperand(pointer, 0);
		} else if (is_cast(pointer)) {
			pointer = LLVMGetOperand(pointer, 0);
		} else if (LLVMIsALoadInst(pointer)) {
			pointer = norn_test_local(flow, node);
		} else {
			return 0;
		}
	}
	return 0;
}

/* Accesses on the way decide, the offsets too; an argument only says what it is made of. */
static void find_pointer(struct norn_flow *flow, struct norn_flow_address *a)
{
	LLVMValueRef offsets[DEPTH_MAX];
	unsigned count = 0;
	flow->place = a->place;
	uint32_t base = a->site == NORN_NONE || flow->blocks.irreducible ? 0 : base_of(flow, a->pointer, offsets, &count);
	if (a->argument != NORN_NONE) {
		if (base)
			norn_flow_use(flow, a->site, NORN_FACT_PASSES, a->argument, base);
		return;
	}
	if (!base) {
		norn_flow_root(flow, norn_flow_value(flow, a->pointer));
		return;
	}
	for (unsigned i = 0; i < count; i++)
		for (int k = 1, n = LLVMGetNumOperands(offsets[i]); k < n; k++)
			norn_flow_root(flow, norn_flow_value(flow, LLVMGetOperand(offsets[i], k)));
	a->base = base;
	flow->nodes[base].pointed = true;
	norn_flow_decides(flow, base, a->place);
	norn_flow_use(flow, a->site, NORN_FACT_ADDRESS, 0, base);
}

void norn_pointers_find(struct norn_flow *flow)
{
	for (uint32_t i = 0; i < flow->address_count && !flow->unknown; i++)
		find_pointer(flow, flow->addresses + i);
	flow->place = NULL;
}

void norn_flow_address(struct norn_flow *flow, uint32_t site, uint32_t argument, LLVMValueRef pointer)
{
	if (flow->address_count == flow->address_room) {
		flow->address_room = flow->address_room * 2 + 32;
		flow->addresses = norn_pass_grow(flow->addresses, flow->address_room * sizeof *flow->addresses);
	}
	flow->addresses[flow->address_count++] = (struct norn_flow_address){site, argument, pointer, flow->place, 0};
}

/* ---- what a pointer decides before it is dereferenced ---- */

/* Accesses that are made whenever they are come to: those of a range may be of no byte. */
static bool is_certain(LLVMValueRef access)
{
	return LLVMIsALoadInst(access) || LLVMIsAStoreInst(access) || LLVMIsAAtomicRMWInst(access) ||
	       LLVMIsAAtomicCmpXchgInst(access);
}

bool norn_pointer_dereferenced(const struct norn_flow *flow, uint32_t source, LLVMValueRef instruction)
{
	for (uint32_t i = 0; instruction && i < flow->address_count; i++) {
		const struct norn_flow_address *a = flow->addresses + i;
		if (a->base == source && is_certain(a->place) && a->place != instruction &&
		        norn_flow_comes_before(flow, a->place, instruction))
			return true;
	}
	return false;
}

/* Can the source be reached from this node? seen: all false; work: room for all nodes. */
static bool is_made_of(const struct norn_flow *flow, uint32_t node, uint32_t source, bool *seen, uint32_t *work)
{
	uint32_t count = 0;
	work[count++] = node;
	seen[node] = true;
	for (uint32_t i = 0; i < count && !seen[source]; i++)
		for (uint32_t e = flow->nodes[work[i]].edges; e; e = flow->edges[e].next)
			if (!seen[flow->edges[e].to]) {
				seen[flow->edges[e].to] = true;
				work[count++] = flow->edges[e].to;
			}
	bool found = seen[source];
	for (uint32_t i = 0; i < count; i++)
		seen[work[i]] = false;
	return found;
}

static bool is_hasty(const struct norn_flow *flow, uint32_t source, bool *seen, uint32_t *work)
{
	for (uint32_t i = 0; i < flow->decided_count; i++) {
		const struct norn_decision *d = flow->decided + i;
		if (d->root && !norn_pointer_dereferenced(flow, source, d->place) && is_made_of(flow, d->node, source, seen, work))
			return true;
	}
	return false;
}

void norn_pointers_decide(struct norn_flow *flow)
{
	bool *seen = calloc(flow->node_count + (size_t)1, sizeof *seen);
	uint32_t *work = malloc((flow->node_count + (size_t)1) * sizeof *work), looked = 0;
	if (!seen || !work)
		abort();
	for (uint32_t n = 1; n < flow->node_count; n++) {
		struct norn_flow_node *node = flow->nodes + n;
		if (node->decides)
			node->hasty = !node->pointed || looked++ >= POINTERS_MAX || is_hasty(flow, n, seen, work);
	}
	free(seen);
	free(work);
}
