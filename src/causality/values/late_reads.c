/* Late reads (V1): when what was read decides, if not at once. The pass says for how many sites after it a read decides nothing;
 * where a parameter or result turns out to decide, the event that shows it is the decision's, as it comes before all that goes by
 * it. */
#include <assert.h>

#include "base/must.h"
#include "causality/values/value_flow_state.h"

/* The read, which is not the last event of its thread, is decided when the thread comes to the event that is being added. */
static void decide_now(struct norn_value_flow *flow, uint32_t read)
{
	assert(read < flow->now && (!flow->decisions.count || flow->decisions.items[flow->decisions.count - 1].event <= flow->now));
	norn_must_push(&flow->decisions, (struct norn_graph_decision){.event = flow->now, .read = read});
	*(uint32_t *)norn_must_map_put(&flow->decision_of, read) = flow->now;
}

static void end_wait(struct norn_value_flow *flow, struct flow_thread *t, uint32_t i)
{
	decide_now(flow, t->waits.items[i].read);
	t->waits.items[i] = t->waits.items[--t->waits.count];
}

void norn_late_reads_wait(struct flow_thread *t, const struct norn_site_plan *plan, uint32_t read, uint32_t site)
{
	norn_must_push(&t->waits,
	        (struct flow_wait){
	                .read = read, .depth = t->depth, .function = plan->site.entry, .first = site, .last = site + plan->waits});
}

void norn_late_reads_decide(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t read)
{
	struct flow_thread *t = flow->threads + events[read].thread;
	bool later = read < flow->now && events[read].thread == events[flow->now].thread;
	uint32_t i = 0;
	while (i < t->waits.count && t->waits.items[i].read != read)
		i++;
	if (i < t->waits.count && later)
		end_wait(flow, t, i);
	else if (i < t->waits.count) /* at once, then */
		t->waits.items[i] = t->waits.items[--t->waits.count];
	else if (later && !(events[read].flags & NORN_GRAPH_DECIDES) && events[read].kind == NORN_EVENT_READ)
		decide_now(flow, read);
}

/* Does the wait go on when its thread comes to this site of the innermost frame? */
static bool waits_on(const struct flow_thread *t, const struct flow_wait *w, uint32_t entry, uint32_t site)
{
	if (!t->depth || !entry || entry != t->frames[t->depth - 1].function->number)
		return false; /* frames do not fit */
	return entry == w->function ? site > w->first && site <= w->last : t->depth > w->depth;
}

void norn_value_flow_step(struct norn_value_flow *flow, uint32_t number, const struct norn_event *e)
{
	flow->now = number;
	struct flow_thread *t = e->thread < flow->thread_count ? flow->threads + e->thread : NULL;
	if (!t || !t->waits.count)
		return;
	bool enters = e->kind == NORN_EVENT_ENTER, leaves = e->kind == NORN_EVENT_LEAVE;
	uint32_t site = enters ? e->call_site : e->site;
	const struct norn_site_plan *plan = norn_site_plan_get(flow, site);
	uint32_t entry = leaves ? e->site : plan->site.entry;
	/* What is passed may decide in the callee. */
	bool passes = enters && (!plan->facts || plan->argument_count || plan->pass_count || plan->give_count);
	for (uint32_t i = t->waits.count; i-- > 0;) {
		const struct flow_wait *w = t->waits.items + i;
		if (passes || (leaves && t->depth <= w->depth) || !waits_on(t, w, entry, site))
			end_wait(flow, t, i);
	}
}

const struct norn_graph_decision *norn_value_flow_decisions(const struct norn_value_flow *flow, uint32_t *ret_count)
{
	*ret_count = flow->decisions.count;
	return flow->decisions.items;
}

uint32_t norn_value_flow_decision(const struct norn_value_flow *flow, uint32_t read)
{
	const uint32_t *event = norn_map_get(&flow->decision_of, read);
	return event ? *event : 0;
}
