/* The lattice of a property as a picture: states as the paper draws them, the observed run and the violating one marked. */
#include <stdlib.h>
#include <string.h>

#include "predict/search_state.h"

static const char *state_text(const struct norn_search_model *m, uint32_t world)
{
	const char *text = "";
	for (uint32_t p = 0; p < m->forecast->binding->spec->place_count; p++) {
		if (!m->auguries[0]->view->topic.places[p])
			continue;
		char value[48];
		norn_value_text(
		        norn_valuation_place(m->forecast->binding, &m->valuation_table.list[world], p), value, sizeof value);
		text = norn_findings_text(m->findings, "%s%s%s", text, *text ? "," : "", value);
	}
	return text;
}

static const char *event_text(struct norn_search_model *m, uint32_t world, const struct norn_position *position)
{
	struct norn_past past;
	struct norn_step_text text;
	if (norn_valuation_table_look(&m->valuation_table, world, position) != 0)
		return "";
	norn_past_of(m->auguries[0]->view, &m->valuation_table.moment, NORN_INSTANCE_ALL, &past);
	norn_past_text(m->forecast->binding, &past, m->findings, &text);
	return norn_findings_text(m->findings, "%s %s%s%s", text.event, text.what, *text.after ? " = " : "", text.after);
}

void norn_sketch_node(void *context, const struct norn_lattice_node *node)
{
	struct norn_search_model *m = context;
	struct norn_lattice_picture *p = m->picture;
	uint32_t from = norn_lattice_picture_cut(p, node->level, node->cut);
	uint32_t *cut = malloc((p->threads + 1ul) * sizeof *cut);
	m->failed |= from == UINT32_MAX || !cut;
	if (m->failed) {
		free(cut);
		return;
	}
	p->nodes[from].state = state_text(m, node->valuation);
	for (uint32_t i = 0; i < node->state_count; i++)
		p->nodes[from].violated |= node->states[i].status == NORN_LATTICE_VIOLATED;
	for (uint32_t i = 0; i < node->next_count && !m->failed; i++) {
		struct norn_lattice_event event = {node->next[i], node->cut[node->next[i]]};
		memcpy(cut, node->cut, p->threads * sizeof *cut);
		cut[event.thread]++;
		uint32_t to = norn_lattice_picture_cut(p, node->level + 1, cut);
		m->failed |= to == UINT32_MAX || norn_lattice_picture_connect(p, from, to,
		                                         event_text(m, node->valuation, norn_search_model_position(m, event))) != 0;
	}
	free(cut);
}

struct seen {
	uint64_t place;
	uint32_t thread;
};

static int by_place(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Colours the observed run, and the violating one. */
static void follow_runs(const struct norn_search_model *m, const struct norn_lattice_result *result)
{
	const struct norn_computation *c = m->computation;
	struct seen *seen = malloc((c->total + 1) * sizeof *seen);
	uint32_t *threads = malloc((c->total + 1) * sizeof *threads);
	for (uint32_t i = 0; seen && i < c->threads; i++)
		for (uint32_t k = 0; k < c->events[i]; k++)
			seen[c->first[i] + k] = (struct seen){m->places[c->first[i] + k], i};
	if (seen && threads) {
		qsort(seen, c->total, sizeof *seen, by_place);
		for (uint64_t i = 0; i < c->total; i++)
			threads[i] = seen[i].thread;
		norn_lattice_picture_follow(m->picture, threads, (uint32_t)c->total, false);
		const struct norn_lattice_violation *v = result->violation_count ? &result->violations[0] : NULL;
		for (uint64_t i = 0; v && i < v->length; i++)
			threads[i] = v->events[i].thread;
		norn_lattice_picture_follow(m->picture, threads, v ? (uint32_t)v->length : 0, true);
	}
	free(seen);
	free(threads);
}

static const char *variables_text(const struct norn_search_model *m)
{
	const char *text = "";
	for (uint32_t p = 0; p < m->forecast->binding->spec->place_count; p++)
		if (m->auguries[0]->view->topic.places[p])
			text = norn_findings_text(
			        m->findings, "%s%s%s", text, *text ? "," : "", m->forecast->binding->spec->places[p].text);
	return text;
}

int norn_sketch_show(const struct norn_search_model *m, const struct norn_lattice_result *result, struct norn_error *err)
{
	struct norn_lattice_picture *p = m->picture;
	const struct norn_property_search_options *o = &m->forecast->options;
	if (p->too_large)
		return norn_findings_note(m->findings, "the lattice of property %s has more than %u cuts, and is not drawn",
		               m->auguries[0]->property->name, NORN_LATTICE_PICTURE_CUTS) == 0
		               ? 0
		               : norn_error_no_memory(err);
	if (m->failed)
		return norn_error_no_memory(err);
	follow_runs(m, result);
	p->property = m->auguries[0]->property->name;
	p->key = norn_keys_text(m->auguries[0]->property, m->keys, m->findings);
	p->variables = variables_text(m);
	o->draw(o->context, p);
	return 0;
}
