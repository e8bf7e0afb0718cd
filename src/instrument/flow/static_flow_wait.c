/* How far a thread comes after a read before what it read decides anything. See static_flow.h and trace/facts.h.
 *
 * Only the read's own block is looked at: from the read on, the thread passes its sites one after the other, up to the first
 * instruction that goes by the value, or to the block's end. What decides in another block does so after that; so does what decides
 * before the read in its own block, when a loop has come round. */
#include "instrument/flow/static_flow.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_MAX (1u << 22) /* edges that are gone through for one function */

struct wait_search {
	struct norn_flow *flow;
	LLVMValueRef *first; /* by node: the first instruction of its block after it that goes by it, NULL: none */
	bool *at_once; /* by node */
	uint32_t *stamps, stamp, *work;
	uint64_t steps;
};

/* Does the instruction come after that one, which is in the same block? */
static bool follows(LLVMValueRef instruction, LLVMValueRef that)
{
	while (that && that != instruction)
		that = LLVMGetNextInstruction(that);
	return that;
}

/* The source decides by the instruction at this place. */
static void note_place(struct wait_search *s, uint32_t source, LLVMValueRef place)
{
	LLVMValueRef value = s->flow->nodes[source].value;
	if (!place || !value || !LLVMIsAInstruction(value) || place == value)
		s->at_once[source] = true;
	else if (LLVMGetInstructionParent(place) == LLVMGetInstructionParent(value) && follows(place, value) &&
	         (!s->first[source] || follows(s->first[source], place)))
		s->first[source] = place;
}

/* All sources that the decision is made of. False: it takes too long. */
static bool note_decision(struct wait_search *s, const struct norn_decision *d)
{
	const struct norn_flow *flow = s->flow;
	uint32_t count = 0;
	s->work[count++] = d->node;
	s->stamps[d->node] = ++s->stamp;
	while (count) {
		uint32_t n = s->work[--count];
		if (flow->nodes[n].kind == NORN_FLOW_NODE_SITE)
			note_place(s, n, d->place);
		for (uint32_t e = flow->nodes[n].edges; e; e = flow->edges[e].next) {
			uint32_t to = flow->edges[e].to;
			if (++s->steps > STEPS_MAX)
				return false;
			if (s->stamps[to] == s->stamp)
				continue;
			s->stamps[to] = s->stamp;
			s->work[count++] = to;
		}
	}
	return true;
}

/* How many sites come one after the other from the one of the read on, before the instruction `until`, or the block's end. */
static uint32_t count_sites(const struct norn_flow *flow, uint32_t site, LLVMValueRef read, LLVMValueRef until)
{
	const struct norn_pass *pass = flow->pass;
	uint32_t last = site;
	for (LLVMValueRef i = read; i && i != until && !LLVMIsATerminatorInst(i); i = LLVMGetNextInstruction(i)) {
		uint32_t point = norn_flow_point(flow, i);
		for (; point < pass->point_count && pass->points[point].instruction == i; point++) {
			uint32_t next = pass->points[point].site;
			if (next != last && next != last + 1)
				return last - site;
			last = next;
		}
	}
	return last - site;
}

static void find_waits(struct wait_search *s)
{
	struct norn_flow *flow = s->flow;
	for (uint32_t i = 0; i < flow->decided_count; i++)
		if (!note_decision(s, flow->decided + i))
			return;
	for (uint32_t n = 1; n < flow->node_count; n++) {
		struct norn_flow_node *node = flow->nodes + n;
		if (node->kind != NORN_FLOW_NODE_SITE || s->at_once[n] || node->pieces || !node->value ||
		        !LLVMIsALoadInst(node->value))
			continue;
		node->wait = count_sites(flow, node->index, node->value, s->first[n]);
	}
}

void norn_waits_find(struct norn_flow *flow)
{
	size_t nodes = flow->node_count + (size_t)1;
	struct wait_search s = {.flow = flow,
	        .first = calloc(nodes, sizeof *s.first),
	        .at_once = calloc(nodes, sizeof *s.at_once),
	        .stamps = calloc(nodes, sizeof *s.stamps),
	        .work = malloc(nodes * sizeof *s.work)};
	if (!s.first || !s.at_once || !s.stamps || !s.work)
		abort();
	if (!flow->blocks.irreducible)
		find_waits(&s);
	free(s.first);
	free(s.at_once);
	free(s.stamps);
	free(s.work);
}
