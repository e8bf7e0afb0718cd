#include "sliced/debug.h"

#include "trace/event.h"
#include "trace/record.h"

struct norn_sliced_debug norn_sliced_debug;

static void print_event(FILE *out, const struct norn_graph *graph, uint32_t number)
{
	const struct norn_graph_event *e = norn_graph_event(graph, number);
	const struct norn_rule *rule = norn_rule_of(graph, number);
	const char *op = e->kind == NORN_EVENT_SYNC     ? norn_sync_op_name(e->op)
	                 : e->kind == NORN_EVENT_THREAD ? norn_thread_op_name(e->op)
	                                                : "";
	fprintf(out, "  %u thread %u %s%s%s %#llx  %s: %s%s", number, (unsigned)e->thread, norn_event_kind_name(e->kind),
	        *op ? " " : "", op, (unsigned long long)e->addr, rule->law, rule->name, rule->exact ? "" : " (stricter)");
}

void norn_debug_closure(struct norn_closure *closure, const struct norn_graph *graph, uint32_t base, const uint32_t *stops,
        uint32_t count, int result)
{
	FILE *out = norn_sliced_debug.closures;
	fprintf(out, "closure: base %u, stops", base);
	for (uint32_t i = 0; i < count; i++)
		fprintf(out, " %u", stops[i]);
	fprintf(out, ": %s\n", result == NORN_CLOSURE_YES ? "yes" : result == NORN_CLOSURE_NO ? "no" : "too long");
	if (result != NORN_CLOSURE_YES)
		return;
	uint32_t events;
	const uint32_t *window = norn_closure_window(closure, &events);
	for (uint32_t i = 0; window && i < events; i++) {
		print_event(out, graph, window[i]);
		fprintf(out, "%s\n",
		        norn_graph_event(graph, window[i])->kind == NORN_EVENT_READ && norn_closure_fixed(closure, window[i])
		                ? ", fixed"
		                : "");
	}
}

static void print_step(
        FILE *out, const struct norn_step_model *m, const struct norn_graph *graph, const struct norn_step_model_step *s)
{
	print_event(out, graph, s->event);
	if (s->opaque)
		fputs(", never", out);
	if (s->object != NORN_STEP_MODEL_NONE)
		fprintf(out, ", object %u", s->object);
	if (s->condition != NORN_STEP_MODEL_NONE)
		fprintf(out, ", condition %u", s->condition);
	for (uint32_t i = 0; i < s->need_count; i++)
		fprintf(out, ", needs %u of thread %u", m->needs[s->need + i].count, m->numbers[m->needs[s->need + i].thread]);
	for (uint32_t i = 0; i < s->read_count; i++)
		fprintf(out, ", bytes %u must be %#x", m->accesses[s->read + i].group, m->accesses[s->read + i].content);
	for (uint32_t i = 0; i < s->write_count; i++)
		fprintf(out, ", bytes %u become %#x", m->accesses[s->write + i].group, m->accesses[s->write + i].content);
	fputc('\n', out);
}

void norn_debug_steps(const struct norn_step_model *m, const struct norn_graph *graph)
{
	FILE *out = norn_sliced_debug.steps;
	fprintf(out, "steps: events %u to %u, %u threads, %u groups of bytes, %u objects, %u conditions\n", m->base + 1, m->end,
	        m->threads, m->byte_groups, m->objects, m->conditions);
	for (uint32_t i = 0; i < m->objects; i++)
		fprintf(out, "  object %u begins as %#x\n", i, m->states[i]);
	for (uint32_t t = 0; t < m->threads; t++) {
		fprintf(out, " thread %u:\n", m->numbers[t]);
		for (uint32_t i = m->first[t]; i < m->first[t + 1]; i++)
			print_step(out, m, graph, &m->steps[i]);
	}
}
