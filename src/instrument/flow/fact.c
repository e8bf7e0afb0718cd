/* See fact.h. */
#include "instrument/flow/fact.h"
#include "instrument/grow.h"

#include "instrument/flow/static_flow.h"
#include "trace/facts.h"

#include <stdlib.h>
#include <string.h>

#define SOURCES_MAX 48u /* of one value; what has more, or is further away, decides */
#define STEPS_MAX 2000u

/* ---- the sources of a value ---- */

struct sources {
	uint32_t items[SOURCES_MAX], count;
	/* stamps by node: seen as the latest, as all */
	uint32_t *stamps[2], stamp;
	struct step {
		uint32_t node;
		bool all;
	} *work;
	uint32_t work_count;
};

static void go(struct sources *s, uint32_t node, bool all)
{
	if (s->stamps[all][node] == s->stamp || s->stamps[1][node] == s->stamp)
		return;
	s->stamps[all][node] = s->stamp;
	s->work[s->work_count++] = (struct step){node, all};
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* In order, each once; all times of a site make its latest unnecessary. */
static void tidy(struct sources *s)
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
static bool collect(const struct norn_flow *flow, struct sources *s, uint32_t node)
{
	s->count = s->work_count = 0;
	s->stamp++;
	go(s, node, flow->blocks.irreducible);
	for (uint32_t steps = 0; s->work_count; steps++) {
		struct step at = s->work[--s->work_count];
		const struct norn_flow_node *n = flow->nodes + at.node;
		if (steps == STEPS_MAX || (n->kind != NORN_FLOW_NODE_INNER && s->count == SOURCES_MAX))
			return false;
		if (n->kind == NORN_FLOW_NODE_SITE)
			s->items[s->count++] = n->index << 2 | (at.all || n->pieces ? NORN_SOURCE_ALL : NORN_SOURCE_LATEST);
		else if (n->kind == NORN_FLOW_NODE_PARAMETER)
			s->items[s->count++] = n->index << 2 | NORN_SOURCE_PARAMETER;
		for (uint32_t e = n->edges; e; e = flow->edges[e].next)
			go(s, flow->edges[e].to, at.all || flow->edges[e].all);
	}
	tidy(s);
	return true;
}

/* ---- entries ---- */

struct bytes {
	uint8_t *data;
	size_t count, room;
};

static void put(struct bytes *b, uint32_t number)
{
	if (b->count + 8 > b->room) {
		b->room = b->room * 2 + 256;
		b->data = norn_pass_grow(b->data, b->room);
	}
	for (; number > 127; number >>= 7)
		b->data[b->count++] = number | 128;
	b->data[b->count++] = number;
}

static void put_use(struct bytes *b, const struct norn_use *use, const struct sources *s)
{
	bool argument = use->fact == NORN_FACT_ARGUMENT;
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

struct writer {
	struct norn_flow *flow;
	struct sources sources;
	struct bytes bytes;
	uint32_t first; /* site: the function's entry */
	bool *decides; /* by site, from first on */
	uint32_t *masks; /* the same: 1 + place of its masks, 0 = none */
	uint32_t use; /* the next */
};

/* A value that too much flows into: its sources decide, so that no list of them is needed. */
static void shorten(struct writer *w)
{
	struct norn_flow *flow = w->flow;
	for (uint32_t i = 0; i < flow->use_count; i++)
		if (!collect(flow, &w->sources, flow->uses[i].node)) {
			norn_flow_root(flow, flow->uses[i].node);
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

static void put_masks(struct bytes *b, struct norn_masks *masks)
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

/* Of those that control a site only reads that do not decide anyway. */
static void drop_deciders(const struct writer *w, struct sources *s)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		bool site = (s->items[i] & 3) != NORN_SOURCE_PARAMETER;
		if (site && !w->decides[(s->items[i] >> 2) - w->first])
			s->items[kept++] = s->items[i];
	}
	s->count = kept;
}

static void put_deciders(struct writer *w, uint32_t site)
{
	const struct norn_flow *flow = w->flow;
	if (site != w->first) {
		uint32_t masks = w->masks[site - w->first];
		if (w->decides[site - w->first] || masks) {
			put(&w->bytes, NORN_FACT_DECIDES);
			put(&w->bytes, 0);
		}
		if (!w->decides[site - w->first] && masks)
			put_masks(&w->bytes, flow->masks + masks - 1);
		return;
	}
	uint32_t count = 0;
	for (int fill = 0; fill < 2; fill++) {
		for (uint32_t n = 0; n < flow->node_count; n++)
			if (flow->nodes[n].kind == NORN_FLOW_NODE_PARAMETER && flow->nodes[n].decides)
				fill ? put(&w->bytes, flow->nodes[n].index) : (void)count++;
		if (!count)
			return;
		if (!fill) {
			put(&w->bytes, NORN_FACT_DECIDES);
			put(&w->bytes, count);
		}
	}
}

static void put_site(struct writer *w, uint32_t site)
{
	struct norn_flow *flow = w->flow;
	w->bytes.count = 0;
	put_deciders(w, site);
	for (; w->use < flow->use_count && flow->uses[w->use].site == site; w->use++)
		if (flow->uses[w->use].node) {
			collect(flow, &w->sources, flow->uses[w->use].node);
			if (flow->uses[w->use].fact == NORN_FACT_CONTROL)
				drop_deciders(w, &w->sources);
			put_use(&w->bytes, flow->uses + w->use, &w->sources);
		}
	put(&w->bytes, NORN_FACT_END);
	flow->pass->table.sites[site].facts = norn_site_builder_facts(&flow->pass->table, w->bytes.data, w->bytes.count);
}

static void write_facts(struct norn_flow *flow)
{
	struct norn_pass *pass = flow->pass;
	norn_flow_branches(flow);
	uint32_t sites = pass->table.site_count - pass->entry, nodes = flow->node_count;
	struct writer w = {.flow = flow,
	        .first = pass->entry,
	        .decides = calloc(sites + (size_t)1, sizeof *w.decides),
	        .masks = calloc(sites + (size_t)1, sizeof *w.masks)};
	for (int i = 0; i < 2; i++)
		w.sources.stamps[i] = calloc(nodes + (size_t)1, sizeof *w.sources.stamps[i]);
	w.sources.work = calloc(nodes * (size_t)2 + 1, sizeof *w.sources.work);
	if (!w.decides || !w.masks || !w.sources.stamps[0] || !w.sources.stamps[1] || !w.sources.work)
		abort();
	shorten(&w);
	norn_flow_decide(flow);
	if (!flow->unknown) {
		for (uint32_t n = 0; n < nodes; n++)
			if (flow->nodes[n].kind == NORN_FLOW_NODE_SITE) {
				w.decides[flow->nodes[n].index - w.first] |= flow->nodes[n].decides;
				if (flow->nodes[n].masks)
					w.masks[flow->nodes[n].index - w.first] = flow->nodes[n].masks;
			}
		if (flow->use_count)
			qsort(flow->uses, flow->use_count, sizeof *flow->uses, by_site);
		for (uint32_t site = w.first; site < pass->table.site_count; site++)
			put_site(&w, site);
	}
	free(w.decides);
	free(w.masks);
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
