/* See fact.h. */
#include "instrument/flow/fact.h"
#include "instrument/access/access_hooks.h"
#include "instrument/call/callee.h"
#include "instrument/pass_memory.h"

#include "instrument/flow/frame_need.h"
#include "instrument/flow/static_flow.h"
#include "trace/facts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SOURCES_MAX 48u /* of one value; what has more, or is further away, decides */
#define STEPS_MAX 2000u

/* ---- the sources of a value ---- */

struct fact_sources {
	uint32_t items[SOURCES_MAX], count;
	/* stamps by node: seen as the latest, as all */
	uint32_t *stamps[2], stamp;
	struct fact_step {
		uint32_t node;
		bool all;
	} *work;
	uint32_t work_count;
};

static void go(struct fact_sources *s, uint32_t node, bool all)
{
	if (s->stamps[all][node] == s->stamp || s->stamps[1][node] == s->stamp)
		return;
	s->stamps[all][node] = s->stamp;
	s->work[s->work_count++] = (struct fact_step){node, all};
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* In order, each once; all times of a site make its latest unnecessary. */
static void tidy(struct fact_sources *s)
{
	qsort(s->items, s->count, sizeof *s->items, compare);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		uint32_t item = s->items[i];
		bool again = i + 1 < s->count && (s->items[i + 1] == item || ((item & 3) == NORN_SOURCE_LATEST &&
		                                                                     s->items[i + 1] == (item | NORN_SOURCE_ALL)));
		if (!again)
			s->items[kept++] = item;
	}
	s->count = kept;
}

/* False: too many, or too far away. */
static bool collect(const struct norn_flow *flow, struct fact_sources *s, uint32_t node)
{
	s->count = s->work_count = 0;
	s->stamp++;
	go(s, node, flow->blocks.irreducible);
	for (uint32_t steps = 0; s->work_count; steps++) {
		struct fact_step at = s->work[--s->work_count];
		const struct norn_flow_node *n = flow->nodes + at.node;
		if (steps == STEPS_MAX || (n->kind != NORN_FLOW_NODE_INNER && s->count == SOURCES_MAX))
			return false;
		if (n->kind == NORN_FLOW_NODE_SITE)
			s->items[s->count++] = n->index << 2 | (at.all || n->pieces ? NORN_SOURCE_ALL : NORN_SOURCE_LATEST);
		else if (n->kind == NORN_FLOW_NODE_PARAMETER)
			s->items[s->count++] = n->index << 2 | NORN_SOURCE_PARAMETER;
		if (n->untold) {
			if (s->count == SOURCES_MAX)
				return false;
			s->items[s->count++] = NORN_SOURCE_PRIVATE << 2 | NORN_SOURCE_PARAMETER;
		}
		for (uint32_t e = n->edges; e; e = flow->edges[e].next)
			go(s, flow->edges[e].to, at.all || flow->edges[e].all);
	}
	tidy(s);
	return true;
}

/* ---- entries ---- */

struct fact_bytes {
	uint8_t *data;
	size_t count, room;
};

static void put(struct fact_bytes *b, uint32_t number)
{
	if (b->count + 8 > b->room) {
		b->room = b->room * 2 + 256;
		b->data = norn_pass_grow(b->data, b->room);
	}
	for (; number > 127; number >>= 7)
		b->data[b->count++] = number | 128;
	b->data[b->count++] = number;
}

static void put_use(struct fact_bytes *b, const struct norn_use *use, const struct fact_sources *s)
{
	bool argument = use->fact == NORN_FACT_ARGUMENT || use->fact == NORN_FACT_PASSES;
	if (!s->count)
		return;
	put(b, use->fact);
	put(b, s->count + argument);
	if (argument)
		put(b, use->number);
	for (uint32_t i = 0; i < s->count; i++)
		put(b, s->items[i]);
}

static int by_site(const void *a, const void *b)
{
	const struct norn_use *x = a, *y = b;
	if (x->site != y->site)
		return (x->site > y->site) - (x->site < y->site);
	return x->fact != y->fact ? x->fact - y->fact : x->number - y->number;
}

static int by_call(const void *a, const void *b)
{
	const struct norn_give *x = a, *y = b;
	if (x->site != y->site)
		return (x->site > y->site) - (x->site < y->site);
	return (x->argument > y->argument) - (x->argument < y->argument);
}

/* What is known of a site, beside the values that flow into it. */
struct site_facts {
	bool decides, numeric, tested;
	bool effects; /* by tests of branches that have effects */
	bool asserted, loose; /* decides by assertions, only by those and tests */
	bool pointed; /* decides as the base of addresses */
	bool hasty; /* decides otherwise than by tests before it is surely dereferenced */
	bool own; /* reads errno, which only what decides may have set */
	bool later; /* decides by other things than assertions only after one of them */
	bool doubted; /* assertions that are not told go by it */
	uint32_t waits; /* 1 + how many sites come before it decides; 0: not known */
	uint32_t masks; /* 1 + place of its masks, 0 = none. With tested: either will do */
	uint32_t frame_bytes, frame_room; /* FRAME; room 0: none */
	LLVMValueRef written; /* the store or rmw, NULL = not known */
};

struct fact_writer {
	struct norn_flow *flow;
	struct fact_sources sources;
	struct fact_bytes bytes;
	uint32_t first; /* site: the function's entry */
	struct site_facts *sites; /* from first on */
	struct norn_call_need *needs; /* the same */
	uint32_t use, give; /* the next */
};

#define VISITS 64u

/* Is a difference or comparison of addresses among what this is made of? */
static bool is_made_of_places(const struct norn_flow *flow, uint32_t node)
{
	uint32_t seen[VISITS] = {node}, count = node != 0;
	for (uint32_t i = 0; i < count; i++) {
		if (flow->nodes[seen[i]].placeless)
			return true;
		for (uint32_t e = flow->nodes[seen[i]].edges; e && count < VISITS; e = flow->edges[e].next) {
			uint32_t to = flow->edges[e].to, k = 0;
			while (k < count && seen[k] != to)
				k++;
			if (k == count)
				seen[count++] = to;
		}
	}
	return false;
}

/* A value that too much flows into: its sources decide, so that no list of them is needed. The same of an argument that is made
 * of a difference of addresses, as a list would not tell that it is none itself. */
static void shorten(struct fact_writer *w)
{
	struct norn_flow *flow = w->flow;
	for (uint32_t i = 0; i < flow->use_count; i++)
		if ((flow->uses[i].fact == NORN_FACT_ARGUMENT && is_made_of_places(flow, flow->uses[i].node)) ||
		        !collect(flow, &w->sources, flow->uses[i].node)) {
			if (flow->uses[i].fact != NORN_FACT_PLACE) { /* whose sources decide */
				norn_flow_root(flow, flow->uses[i].node);
				norn_flow_number(flow, flow->uses[i].node);
			}
			flow->uses[i].node = 0;
		}
}

static int by_place(const void *a, const void *b)
{
	const struct norn_range *x = a, *y = b;
	if (x->variable != y->variable)
		return x->variable < y->variable ? -1 : 1;
	return x->offset != y->offset ? (x->offset < y->offset ? -1 : 1) : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static void put_masks(struct fact_bytes *b, struct norn_masks *masks)
{
	qsort(masks->ranges, masks->count, sizeof *masks->ranges, by_place);
	put(b, NORN_FACT_MASKS);
	put(b, masks->count * 4);
	for (uint32_t i = 0; i < masks->count; i++) {
		put(b, masks->ranges[i].variable);
		put(b, masks->ranges[i].offset);
		put(b, masks->ranges[i].bytes);
		put(b, masks->ranges[i].site);
	}
}

/* Of the sources that control a site, only reads that do not decide are listed. */
static void drop_deciders(const struct fact_writer *w, struct fact_sources *s)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		bool site = (s->items[i] & 3) != NORN_SOURCE_PARAMETER;
		uint32_t of = (s->items[i] >> 2) - w->first;
		if (site && !w->sites[of].decides && !w->sites[of].asserted && (!w->sites[of].tested || w->sites[of].masks) &&
		        !w->sites[of].pointed)
			s->items[kept++] = s->items[i];
	}
	s->count = kept;
}

static bool is_numeric_parameter(const struct norn_flow_node *node)
{
	return node->kind == NORN_FLOW_NODE_PARAMETER && node->numeric && !node->narrow;
}

/* Of the sources that are wide enough for an address. */
static void put_numbers(struct fact_writer *w, uint32_t site)
{
	const struct norn_flow *flow = w->flow;
	uint32_t count = 0;
	for (uint32_t n = 0; n < flow->node_count && site == w->first; n++)
		count += is_numeric_parameter(flow->nodes + n);
	bool numeric = w->sites[site - w->first].numeric && flow->pass->table.sites[site].kind != NORN_SITE_CMPXCHG;
	if (!count && !numeric)
		return;
	put(&w->bytes, NORN_FACT_NUMBER);
	put(&w->bytes, count);
	for (uint32_t n = 0; n < flow->node_count && count; n++)
		if (is_numeric_parameter(flow->nodes + n))
			put(&w->bytes, flow->nodes[n].index);
}

static bool is_test_of(const struct norn_flow *flow, const struct norn_flow_chain *test, uint32_t site)
{
	return flow->nodes[test->node].kind == NORN_FLOW_NODE_SITE && flow->nodes[test->node].index == site;
}

/* Of a LOOSE source assertions are no tests, of a POINTER what is tested when it has surely been dereferenced. */
static bool is_told(const struct norn_flow *flow, const struct norn_flow_chain *test, uint32_t site, enum norn_fact fact)
{
	return is_test_of(flow, test, site) && !(fact == NORN_FACT_LOOSE && test->asserts) &&
	       !(fact == NORN_FACT_POINTER && norn_pointer_dereferenced(flow, test->node, test->place));
}

static void put_tests(struct fact_writer *w, uint32_t site, enum norn_fact fact)
{
	const struct norn_flow *flow = w->flow;
	uint32_t count = 0;
	for (uint32_t i = 0; i < flow->test_count; i++)
		if (is_told(flow, flow->tests + i, site, fact))
			count += flow->tests[i].count;
	put(&w->bytes, fact);
	put(&w->bytes, count);
	for (uint32_t i = 0; i < flow->test_count; i++)
		if (is_told(flow, flow->tests + i, site, fact))
			for (uint32_t k = 0; k < flow->tests[i].count; k++)
				put(&w->bytes, flow->tests[i].items[k]);
}

/* Its sources, how many items it has, and these. */
static void put_expression(struct fact_writer *w, const struct norn_expression *x)
{
	for (uint32_t i = 0; i < x->source_count; i++) {
		const struct norn_flow_node *n = w->flow->nodes + x->sources[i];
		put(&w->bytes, n->index << 2 | (n->kind == NORN_FLOW_NODE_PARAMETER ? NORN_SOURCE_PARAMETER : NORN_SOURCE_LATEST));
	}
	put(&w->bytes, x->count);
	for (uint32_t i = 0; i < x->count; i++)
		put(&w->bytes, x->items[i]);
}

static void put_lines(struct fact_writer *w, uint32_t site)
{
	const struct norn_flow *flow = w->flow;
	uint32_t count = 0;
	for (uint32_t i = 0; i < flow->test_count; i++)
		count += is_test_of(flow, flow->tests + i, site);
	put(&w->bytes, NORN_FACT_LINES);
	put(&w->bytes, count);
	for (uint32_t i = 0; i < flow->test_count; i++)
		if (is_test_of(flow, flow->tests + i, site))
			put(&w->bytes, flow->tests[i].line);
}

/* The outcome of its only test for which its branch does nothing, if no other branch depends on it. */
static void put_skips(struct fact_writer *w, uint32_t site)
{
	const struct norn_flow *flow = w->flow;
	const struct norn_flow_chain *only = NULL;
	uint32_t count = 0;
	for (uint32_t i = 0; i < flow->test_count; i++)
		if (is_test_of(flow, flow->tests + i, site)) {
			only = flow->tests + i;
			count++;
		}
	if (count != 1 || !only->skips || !only->masks || flow->nodes[only->node].masking_often)
		return;
	put(&w->bytes, NORN_FACT_SKIPS);
	put(&w->bytes, 1);
	put(&w->bytes, only->skips - 1);
}

/* ASSERTS, or BRANCHES, that come after the site. */
static void put_asserts(struct fact_writer *w, uint32_t site, enum norn_fact fact)
{
	const struct norn_flow *flow = w->flow;
	bool asserts = fact == NORN_FACT_ASSERTS;
	uint32_t count = 0;
	for (int fill = 0; fill < 2; fill++) {
		for (uint32_t i = 0; i < flow->assert_count; i++) {
			const struct norn_assert *a = flow->asserts + i;
			if (a->site != site || (a->failure != NULL) != asserts)
				continue;
			if (!fill) {
				count += (asserts ? 3 : 2) + a->condition.source_count + a->condition.count;
				continue;
			}
			if (asserts)
				put(&w->bytes, a->fails);
			put(&w->bytes,
			        asserts ? a->fails_if | a->condition.source_count << 1 | a->first << 4 : a->condition.source_count);
			put_expression(w, &a->condition);
		}
		if (!count)
			return;
		if (!fill) {
			put(&w->bytes, fact);
			put(&w->bytes, count);
		}
	}
}

static void put_yields(struct fact_writer *w)
{
	const struct norn_flow *flow = w->flow;
	const struct norn_flow_chain *yields = &flow->yields;
	if (!yields->node)
		return;
	put(&w->bytes, NORN_FACT_YIELDS);
	put(&w->bytes, yields->count + 1);
	put(&w->bytes, flow->nodes[yields->node].index << 2 | NORN_SOURCE_LATEST);
	for (uint32_t i = 0; i < yields->count; i++)
		put(&w->bytes, yields->items[i]);
}

/* A source that decides keeps its recorded value, so its expressions are never evaluated for another one. */
static void put_makes(struct fact_writer *w, uint32_t site)
{
	struct norn_flow_chain chain;
	LLVMValueRef instruction = w->sites[site - w->first].written;
	if (!instruction || !norn_test_written(w->flow, instruction, &chain))
		return;
	uint32_t source = w->flow->nodes[chain.node].index;
	if (w->sites[source - w->first].decides && !w->sites[source - w->first].later)
		return;
	put(&w->bytes, NORN_FACT_MAKES);
	put(&w->bytes, chain.count + 1 + (chain.operand || chain.recorded));
	put(&w->bytes, source << 2 | NORN_SOURCE_LATEST);
	for (uint32_t i = 0; i < chain.count; i++)
		put(&w->bytes, chain.items[i]);
	if (chain.operand)
		put(&w->bytes, w->flow->nodes[chain.operand].index << 2 | NORN_SOURCE_LATEST);
	else if (chain.recorded)
		put(&w->bytes, NORN_SOURCE_ANYTHING);
}

/* The call's arguments that are numbers, as expressions. */
static void put_gives(struct fact_writer *w, uint32_t site)
{
	struct norn_flow *flow = w->flow;
	for (; w->give < flow->give_count && flow->gives[w->give].site <= site; w->give++) {
		struct norn_expression x = {0};
		const struct norn_give *g = flow->gives + w->give;
		if (g->site != site || flow->blocks.irreducible || !norn_expression_add(flow, g->value, &x))
			continue;
		put(&w->bytes, NORN_FACT_GIVES);
		put(&w->bytes, 3 + x.source_count + x.count);
		put(&w->bytes, g->argument);
		put(&w->bytes, x.source_count);
		put_expression(w, &x);
	}
}

/* ---- locals of this frame ---- */

static bool is_null(LLVMValueRef value)
{
	return LLVMIsAConstant(value) && LLVMIsNull(value);
}

/* The only pointer that a call is given; NULL: there is none, or there are more. */
static LLVMValueRef only_pointer(LLVMValueRef call)
{
	LLVMValueRef only = NULL;
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMValueRef value = LLVMGetOperand(call, i);
		if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMPointerTypeKind || is_null(value))
			continue;
		if (only)
			return NULL;
		only = value;
	}
	return only;
}

static LLVMValueRef accessed(const struct norn_point *point)
{
	LLVMValueRef i = point->instruction;
	switch (point->action) {
	case NORN_ACT_LOAD:
		return LLVMIsALoadInst(i) ? LLVMGetOperand(i, 0) : NULL;
	case NORN_ACT_STORE:
		return LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 1) : NULL;
	case NORN_ACT_ATOMIC:
		return LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) || LLVMIsALoadInst(i) ? LLVMGetOperand(i, 0)
		       : LLVMIsAStoreInst(i)                                                        ? LLVMGetOperand(i, 1)
		                                                                                    : NULL;
	case NORN_ACT_SET:
	case NORN_ACT_COPY_OUT:
		return LLVMIsAMemSetInst(i) || LLVMIsAMemCpyInst(i) || LLVMIsAMemMoveInst(i) ? LLVMGetOperand(i, 0) : NULL;
	case NORN_ACT_CALL:
		return LLVMIsACallInst(i) || LLVMIsAInvokeInst(i) ? only_pointer(i) : NULL;
	default:
		return NULL;
	}
}

static uint64_t local_bytes(const struct norn_pass *pass, LLVMValueRef alloca)
{
	LLVMValueRef count = LLVMGetOperand(alloca, 0);
	uint64_t each = LLVMABISizeOfType(pass->layout, LLVMGetAllocatedType(alloca));
	return LLVMIsAConstantInt(count) ? LLVMConstIntGetZExtValue(count) * each : 0;
}

static void find_frames(struct fact_writer *w)
{
	const struct norn_pass *pass = w->flow->pass;
	for (size_t i = 0; i < pass->point_count; i++) {
		const struct norn_point *point = pass->points + i;
		const struct norn_site *site = pass->table.sites + point->site;
		LLVMValueRef pointer = accessed(point);
		int64_t offset = 0;
		LLVMValueRef base = pointer ? norn_shim_constant_offset(pointer, &offset) : NULL;
		if (!base || !LLVMIsAAllocaInst(base) || (point->action != NORN_ACT_CALL && !site->size))
			continue;
		uint64_t bytes = local_bytes(pass, base);
		if (offset >= 0 && (uint64_t)offset < bytes && bytes - (uint64_t)offset <= INT32_MAX) {
			struct site_facts *f = w->sites + (point->site - w->first);
			f->frame_bytes = point->action == NORN_ACT_CALL ? 0 : site->size;
			f->frame_room = (uint32_t)(bytes - (uint64_t)offset);
		}
	}
}

static void put_frame(struct fact_writer *w, uint32_t site)
{
	const struct site_facts *f = w->sites + (site - w->first);
	if (!f->frame_room)
		return;
	put(&w->bytes, NORN_FACT_FRAME);
	put(&w->bytes, 2);
	put(&w->bytes, f->frame_bytes);
	put(&w->bytes, f->frame_room);
}

static void put_needs(struct fact_writer *w, uint32_t site)
{
	const struct norn_call_need *call = w->needs + (site - w->first);
	if (call->need == NORN_FRAME_NEEDS_LOCALS)
		return;
	put(&w->bytes, NORN_FACT_FORGETS);
	put(&w->bytes, 2);
	put(&w->bytes, call->need == NORN_FRAME_NEEDS_PARAMETERS);
	put(&w->bytes, call->origin);
}

/* Those that decide; only as pointers; only by assertions; otherwise only after one. */
static void put_parameters(struct fact_writer *w, enum norn_fact fact)
{
	const struct norn_flow *flow = w->flow;
	uint32_t count = 0;
	for (int fill = 0; fill < 2; fill++) {
		for (uint32_t n = 0; n < flow->node_count; n++) {
			const struct norn_flow_node *node = flow->nodes + n;
			bool otherwise = node->decides || node->asserted;
			bool is = fact == NORN_FACT_DECIDES   ? otherwise || node->pointed
			          : fact == NORN_FACT_POINTER ? node->pointed && !node->hasty && !node->asserted
			          : fact == NORN_FACT_LATER   ? node->later && (node->decides || node->pointed)
			          : fact == NORN_FACT_DOUBTS  ? node->doubted
			                                      : node->asserted && !node->decides && !node->pointed;
			if (node->kind == NORN_FLOW_NODE_PARAMETER && is)
				fill ? put(&w->bytes, node->index) : (void)count++;
		}
		if (!count)
			return;
		if (!fill) {
			put(&w->bytes, fact);
			put(&w->bytes, count);
		}
	}
}

/* A fact without items. */
static void put_bare(struct fact_writer *w, enum norn_fact fact)
{
	put(&w->bytes, fact);
	put(&w->bytes, 0);
}

/* Of the function's entry: of its parameters. */
static void put_entry_deciders(struct fact_writer *w)
{
	put_parameters(w, NORN_FACT_DECIDES);
	put_parameters(w, NORN_FACT_POINTER);
	put_parameters(w, NORN_FACT_LOOSE);
	put_parameters(w, NORN_FACT_LATER);
	put_parameters(w, NORN_FACT_DOUBTS);
}

static void put_deciders(struct fact_writer *w, uint32_t site)
{
	const struct norn_flow *flow = w->flow;
	const struct site_facts *f = w->sites + (site - w->first);
	bool decides = f->decides || f->pointed || f->asserted, tested = f->tested && !decides;
	bool only = !f->decides && !f->pointed; /* by tests, masks and assertions */
	assert(!f->masks || f->decides || !(f->pointed || f->asserted));
	if (decides || f->masks || tested)
		put_bare(w, NORN_FACT_DECIDES);
	if (f->doubted)
		put_bare(w, NORN_FACT_DOUBTS);
	if (f->own)
		put_bare(w, NORN_FACT_OWN);
	if ((decides || tested) && !f->masks && f->waits > 1) {
		put(&w->bytes, NORN_FACT_WAITS);
		put(&w->bytes, 1);
		put(&w->bytes, f->waits - 1);
	}
	if (f->later && !only)
		put_bare(w, NORN_FACT_LATER);
	if (tested)
		put_tests(w, site, NORN_FACT_TESTS);
	if (tested && flow->pass->table.sites[site].kind == NORN_SITE_READ)
		put_lines(w, site);
	if (f->loose && only)
		put_tests(w, site, NORN_FACT_LOOSE);
	if (f->pointed && !f->hasty && !f->asserted && !f->masks)
		put_tests(w, site, NORN_FACT_POINTER);
	if (only && f->masks)
		put_masks(&w->bytes, flow->masks + f->masks - 1);
	if (only && f->masks && tested)
		put_skips(w, site);
}

static void put_site(struct fact_writer *w, uint32_t site)
{
	struct norn_flow *flow = w->flow;
	w->bytes.count = 0;
	if (site == w->first)
		put_entry_deciders(w);
	else
		put_deciders(w, site);
	put_numbers(w, site);
	if (site == w->first)
		put_yields(w);
	put_makes(w, site);
	put_frame(w, site);
	put_needs(w, site);
	put_asserts(w, site, NORN_FACT_ASSERTS);
	put_asserts(w, site, NORN_FACT_BRANCHES);
	put_gives(w, site);
	bool copies = flow->pass->table.sites[site].kind == NORN_SITE_COPY; /* it has two */
	bool based = false; /* the base of its address is said: all of its sources need not be */
	for (; w->use < flow->use_count && flow->uses[w->use].site == site; w->use++)
		if (flow->uses[w->use].node && !(based && flow->uses[w->use].fact == NORN_FACT_PLACE)) {
			based |= flow->uses[w->use].fact == NORN_FACT_ADDRESS && !copies;
			collect(flow, &w->sources, flow->uses[w->use].node);
			if (flow->uses[w->use].fact == NORN_FACT_CONTROL)
				drop_deciders(w, &w->sources);
			put_use(&w->bytes, flow->uses + w->use, &w->sources);
		}
	put(&w->bytes, NORN_FACT_END);
	flow->pass->table.sites[site].facts = norn_site_builder_facts(&flow->pass->table, w->bytes.data, w->bytes.count);
}

/* A read of which masks tell only some branches, and tests only others, just decides. */
static void note_tests(struct fact_writer *w)
{
	struct norn_flow *flow = w->flow;
	for (uint32_t i = 0; i < flow->test_count; i++) {
		const struct norn_flow_chain *test = flow->tests + i;
		const struct norn_flow_node *n = flow->nodes + test->node;
		uint32_t site = n->index - w->first;
		w->sites[site].tested = true;
		w->sites[site].effects |= !test->masks;
		w->sites[site].loose |= test->asserts;
		if (n->masks && n->untested && !test->masks)
			norn_flow_root(flow, test->node);
	}
}

#define LOOK_BACK 256u /* instructions before a read of errno */

/* May the call set errno by nothing but what decides? */
static bool sets_errno_by_arguments(const struct norn_flow *flow, LLVMValueRef call)
{
	struct norn_callee callee = norn_callee_of(flow->pass, call);
	const struct norn_effects *effects = norn_callee_effects(call);
	size_t length;
	const char *name = callee.function ? LLVMGetValueName2(callee.function, &length) : "";
	if (callee.intrinsic) /* others may become calls */
		return strncmp(name, "llvm.dbg.", 9) == 0 || strncmp(name, "llvm.lifetime.", 14) == 0 ||
		       strncmp(name, "llvm.mem", 8) == 0;
	if (!callee.function || callee.announced || callee.named || callee.here || !effects || effects->calls)
		return false;
	return callee.known == NORN_CALLEE_KNOWN || (callee.known == NORN_CALLEE_PURE && !(effects->flags & NORN_EFFECTS_ERRNO));
}

/* Has the function written errno before this read of it, and called nothing since that may set it otherwise? */
static bool is_own_errno(const struct norn_flow *flow, LLVMValueRef read)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(read);
	LLVMValueRef at = LLVMGetPreviousInstruction(read);
	for (unsigned looked = 0; looked < LOOK_BACK; looked++) {
		if (!at) {
			uint32_t number = norn_blocks_find(&flow->blocks, block);
			const struct norn_basic_block *b = number == NORN_NONE ? NULL : flow->blocks.all + number;
			if (!b || b->predecessor_count != 1)
				return false;
			at = flow->blocks.all[flow->blocks.predecessors[b->predecessors]].terminator;
			block = LLVMGetInstructionParent(at);
		}
		if (LLVMIsAStoreInst(at) && norn_access_is_errno(LLVMGetOperand(at, 1)))
			return true;
		if ((LLVMIsACallInst(at) || LLVMIsAInvokeInst(at)) && !norn_access_is_errno(at) &&
		        !sets_errno_by_arguments(flow, at))
			return false;
		at = LLVMGetPreviousInstruction(at);
	}
	return false;
}

static void note_site(struct fact_writer *w, const struct norn_flow_node *n)
{
	struct site_facts *f = w->sites + (n->index - w->first);
	/* Of what decides more than its masks say, tests tell what the branches with masks do. */
	bool more = n->asserted || n->pointed || f->effects, masked = n->masks && (n->untested || !more);
	f->decides |= n->decides || (masked && (n->asserted || n->pointed));
	f->tested &= !(masked && n->untested);
	f->asserted |= n->asserted;
	f->loose |= n->asserted;
	f->pointed |= n->pointed;
	f->hasty |= n->hasty;
	if (!f->waits || n->wait < f->waits)
		f->waits = n->wait + 1;
	f->later |= n->later;
	f->doubted |= n->doubted;
	f->own |= w->flow->pass->table.sites[n->index].flags & NORN_SITE_ERRNO && n->value && LLVMIsALoadInst(n->value) &&
	          is_own_errno(w->flow, n->value);
	f->numeric |= n->numeric && !n->narrow;
	if (masked)
		f->masks = n->masks;
}

static void write_facts(struct norn_flow *flow)
{
	struct norn_pass *pass = flow->pass;
	norn_flow_branches(flow);
	uint32_t sites = pass->table.site_count - pass->entry, nodes = flow->node_count;
	struct fact_writer w = {.flow = flow, .first = pass->entry, .sites = calloc(sites + (size_t)1, sizeof *w.sites)};
	for (int i = 0; i < 2; i++)
		w.sources.stamps[i] = calloc(nodes + (size_t)1, sizeof *w.sources.stamps[i]);
	w.sources.work = calloc(nodes * (size_t)2 + 1, sizeof *w.sources.work);
	if (!w.sites || !w.sources.stamps[0] || !w.sources.stamps[1] || !w.sources.work)
		abort();
	for (uint32_t i = 0; i < flow->written_count; i++)
		w.sites[flow->written[i].site - w.first].written = flow->written[i].instruction;
	find_frames(&w);
	w.needs = norn_frame_need_find(pass, &flow->blocks, w.first);
	if (flow->give_count)
		qsort(flow->gives, flow->give_count, sizeof *flow->gives, by_call);
	shorten(&w);
	note_tests(&w);
	norn_flow_decide(flow);
	if (!flow->unknown) {
		for (uint32_t n = 0; n < nodes; n++)
			if (flow->nodes[n].kind == NORN_FLOW_NODE_SITE)
				note_site(&w, flow->nodes + n);
		if (flow->use_count)
			qsort(flow->uses, flow->use_count, sizeof *flow->uses, by_site);
		for (uint32_t site = w.first; site < pass->table.site_count; site++)
			put_site(&w, site);
	}
	free(w.sites);
	free(w.needs);
	free(w.sources.stamps[0]);
	free(w.sources.stamps[1]);
	free(w.sources.work);
	free(w.bytes.data);
}

void norn_fact_find(struct norn_pass *pass)
{
	if (pass->level < NORN_INSTRUMENT_LEVEL_SHARED || pass->table.site_count >= NORN_PASS_SITES_MAX)
		return;
	struct norn_flow flow;
	norn_flow_init(&flow, pass);
	norn_flow_build(&flow);
	if (!flow.unknown)
		write_facts(&flow);
	norn_flow_done(&flow);
}
