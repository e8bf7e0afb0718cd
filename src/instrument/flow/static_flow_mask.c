/* Masks. See static_flow.h.
 *
 * A write that may happen or not matters little if it can neither trap nor touch anything but a few bytes that are known
 * beforehand: scalars in variables that are defined in this module, at constant offsets. The linker must find the variable wherever
 * this module's code is: what may be dropped with a section (comdat) or be replaced by another module's (weak) does not count. */
#include "instrument/flow/static_flow.h"
#include "instrument/pass_memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Comdat.h>

#include "instrument/access/access_hooks.h"
#include "trace/facts.h"

#define STEPS_MAX 2000u

static bool is_certain(LLVMValueRef variable)
{
	LLVMLinkage linkage = LLVMIsAGlobalVariable(variable) ? LLVMGetLinkage(variable) : LLVMExternalWeakLinkage;
	bool known = linkage == LLVMExternalLinkage || linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage ||
	             linkage == LLVMCommonLinkage;
	return known && !LLVMIsDeclaration(variable) && !LLVMIsThreadLocal(variable) && !LLVMIsGlobalConstant(variable) &&
	       !LLVMGetComdat(variable) && LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) == 0;
}

/* The variable that these bytes lie in, and where; NULL: unknown. */
static LLVMValueRef find_place(const struct norn_flow *flow, LLVMValueRef pointer, LLVMTypeRef type, struct norn_range *ret_range)
{
	int64_t offset;
	LLVMValueRef variable = norn_shim_constant_offset(pointer, &offset);
	if (!norn_access_is_scalar(flow->pass, type) || !is_certain(variable))
		return NULL;
	uint64_t bytes = LLVMStoreSizeOfType(flow->pass->layout, type);
	uint64_t room = LLVMABISizeOfType(flow->pass->layout, LLVMGlobalGetValueType(variable));
	if (offset < 0 || bytes > room || (uint64_t)offset > room - bytes || room > UINT32_MAX)
		return NULL;
	*ret_range = (struct norn_range){.offset = (uint32_t)offset, .bytes = (uint32_t)bytes};
	return variable;
}

static uint32_t control_of(struct norn_flow *flow, uint32_t block)
{
	if (!flow->controls[block])
		flow->controls[block] = norn_flow_node(flow, NORN_FLOW_NODE_INNER, 0) + 1;
	return flow->controls[block] - 1;
}

static void note(struct norn_flow *flow, uint32_t site, uint32_t block)
{
	flow->accesses[block] = true;
	norn_flow_use(flow, site, NORN_FACT_CONTROL, 0, control_of(flow, block));
}

bool norn_mask_load(struct norn_flow *flow, LLVMValueRef load, uint32_t site, uint32_t block)
{
	if (!norn_access_is_scalar(flow->pass, LLVMTypeOf(load)))
		return false;
	note(flow, site, block);
	return true;
}

bool norn_mask_store(struct norn_flow *flow, LLVMValueRef store, uint32_t site, uint32_t block)
{
	struct norn_range range;
	LLVMValueRef variable = find_place(flow, LLVMGetOperand(store, 1), LLVMTypeOf(LLVMGetOperand(store, 0)), &range);
	if (!variable)
		return false;
	range.variable = norn_pass_variable(flow->pass, variable);
	range.site = site;
	note(flow, site, block);
	if (flow->store_count == flow->store_room) {
		flow->store_room = flow->store_room * 2 + 32;
		flow->stores = norn_pass_grow(flow->stores, flow->store_room * sizeof *flow->stores);
	}
	flow->stores[flow->store_count++] = (struct norn_stored){block, range};
	return true;
}

void norn_mask_control(struct norn_flow *flow, uint32_t branch, uint32_t block, bool repeats)
{
	bool often = repeats || flow->blocks.irreducible || norn_flow_passed_often(flow, block, branch);
	norn_flow_edge(flow, control_of(flow, block), flow->conditions[branch], often);
}

bool norn_masks_add(struct norn_masks *masks, const struct norn_range *range)
{
	for (uint32_t i = 0; i < masks->count; i++)
		if (memcmp(masks->ranges + i, range, offsetof(struct norn_range, site)) == 0)
			return true;
	if (masks->count == NORN_MASKS_MAX)
		return false;
	masks->ranges[masks->count++] = *range;
	return true;
}

/* ---- the sources of a branch ---- */

static bool reads_scalar(const struct norn_flow *flow, const struct norn_flow_node *node)
{
	const struct norn_site *site = flow->pass->table.sites + node->index;
	return node->kind == NORN_FLOW_NODE_SITE && !node->pieces && (site->kind == NORN_SITE_READ || site->kind == NORN_SITE_RMW);
}

static bool give(struct norn_flow *flow, uint32_t node, const struct norn_masks *masks)
{
	struct norn_flow_node *n = flow->nodes + node;
	if (!n->masks) {
		if (flow->mask_count == flow->mask_room) {
			flow->mask_room = flow->mask_room * 2 + 16;
			flow->masks = norn_pass_grow(flow->masks, flow->mask_room * sizeof *flow->masks);
		}
		flow->masks[flow->mask_count] = (struct norn_masks){.count = 0};
		n->masks = ++flow->mask_count;
	}
	for (uint32_t i = 0; i < masks->count; i++)
		if (!norn_masks_add(flow->masks + n->masks - 1, masks->ranges + i))
			return false;
	return true;
}

/* Takes note of a source of the branch. False: it just decides. */
static bool mask_source(struct norn_flow *flow, uint32_t node, const struct norn_masks *masks, bool tested)
{
	flow->nodes[node].untested |= !tested;
	flow->nodes[node].masking_often |= flow->nodes[node].masking;
	flow->nodes[node].masking = true;
	if (reads_scalar(flow, flow->nodes + node))
		return give(flow, node, masks);
	for (uint32_t i = 0; i < flow->test_count && tested; i++)
		if (flow->tests[i].node == node)
			return true;
	return false;
}

void norn_mask_branch(struct norn_flow *flow, uint32_t branch, const struct norn_masks *masks, bool tested)
{
	uint32_t *work = malloc((flow->node_count + (size_t)1) * sizeof *work), count = 0, steps = 0;
	bool *seen = calloc(flow->node_count + (size_t)1, sizeof *seen);
	if (!work || !seen)
		abort();
	work[count++] = flow->conditions[branch];
	seen[flow->conditions[branch]] = true;
	for (; count; steps++) {
		uint32_t node = work[--count];
		if (steps == STEPS_MAX) {
			norn_flow_root(flow, flow->conditions[branch]);
			break;
		}
		if (flow->nodes[node].kind != NORN_FLOW_NODE_INNER && !mask_source(flow, node, masks, tested))
			norn_flow_root(flow, node);
		for (uint32_t e = flow->nodes[node].edges; e; e = flow->edges[e].next)
			if (!seen[flow->edges[e].to]) {
				seen[flow->edges[e].to] = true;
				work[count++] = flow->edges[e].to;
			}
	}
	free(work);
	free(seen);
}
