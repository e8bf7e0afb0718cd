/* The lattice of a property as a picture: states as the paper draws them, events with their clocks, the observed run and the
 * violating one marked. */
#include <stdlib.h>
#include <string.h>

#include "judge/recorded/recent_positions.h"
#include "predict/search.h"

static const char *state_text(const struct norn_instance_search *i, uint32_t valuation)
{
	const struct norn_binding *b = i->search->binding;
	const char *text = "";
	for (uint32_t p = 0; p < b->spec->place_count; p++) {
		if (!i->properties[0]->view->terms.places[p])
			continue;
		char value[48];
		norn_value_text(norn_valuation_place(b, &i->valuations.list[valuation], p), value, sizeof value);
		text = norn_findings_text(i->search->findings, "%s%s%s", text, *text ? "," : "", value);
	}
	return text;
}

/* The clock of an event, as the paper writes it. */
static const char *clock_text(const struct norn_instance_search *i, struct norn_lattice_event event)
{
	uint32_t threads = i->picture->threads, *clock = norn_must_alloc(threads, sizeof *clock);
	const char *text = "";
	norn_projection_clock(&i->projection, norn_projection_event(&i->projection, event.thread, event.k), clock);
	for (uint32_t t = 0; t < threads; t++)
		text = norn_findings_text(i->search->findings, "%s%s%u", text, t ? "," : "", clock[t]);
	free(clock);
	return text;
}

static const char *event_text(struct norn_instance_search *i, uint32_t valuation, struct norn_lattice_event event)
{
	const struct norn_position *position = norn_instance_search_position(i, event);
	struct norn_past past;
	struct norn_step_text text;
	i->looked = NULL;
	norn_valuation_table_moment(&i->valuations, valuation, position);
	norn_past_of(i->properties[0]->view, &i->valuations.moment, NORN_INSTANCE_ALL, &past);
	norn_past_text(i->search->binding, &past, i->search->findings, &text);
	return norn_findings_text(i->search->findings, "%s %s%s%s (%s)", text.event, text.what, *text.after ? " = " : "",
	        text.after, clock_text(i, event));
}

void norn_search_picture_node(void *context, const struct norn_lattice_node *node)
{
	struct norn_instance_search *i = context;
	struct norn_lattice_picture *p = i->picture;
	if (p->too_large)
		return;
	uint32_t from = norn_lattice_picture_cut(p, node->level, node->cut);
	uint32_t *cut = norn_must_alloc(p->threads, sizeof *cut);
	if (from != UINT32_MAX) {
		p->nodes[from].state = state_text(i, node->valuation);
		for (uint32_t k = 0; k < node->state_count; k++)
			p->nodes[from].violated |= node->states[k].status == NORN_LATTICE_VIOLATED;
	}
	for (uint32_t k = 0; k < node->next_count && !p->too_large; k++) {
		struct norn_lattice_event event = {node->next[k], node->cut[node->next[k]]};
		memcpy(cut, node->cut, p->threads * sizeof *cut);
		cut[event.thread]++;
		uint32_t to = norn_lattice_picture_cut(p, node->level + 1, cut);
		if (to != UINT32_MAX)
			norn_lattice_picture_connect(p, from, to, event_text(i, node->valuation, event));
	}
	free(cut);
}

/* Colours the observed run, and the violating one. */
static void follow_runs(const struct norn_instance_search *i, const struct norn_lattice_result *result)
{
	const struct norn_projected_list *events = i->events;
	const struct norn_lattice_violation *v = result->violation_count ? &result->violations[0] : NULL;
	uint32_t *threads = norn_must_alloc(events->count, sizeof *threads);
	for (uint32_t k = 0; k < events->count; k++)
		threads[k] = i->projection.column_of[events->items[k]->thread] - 1;
	norn_lattice_picture_follow(i->picture, threads, events->count, false);
	for (uint64_t k = 0; v && k < v->length; k++)
		threads[k] = v->events[k].thread;
	norn_lattice_picture_follow(i->picture, threads, v ? (uint32_t)v->length : 0, true);
	free(threads);
}

static const char *variables_text(const struct norn_instance_search *i)
{
	const struct norn_spec *spec = i->search->binding->spec;
	const char *text = "";
	for (uint32_t p = 0; p < spec->place_count; p++)
		if (i->properties[0]->view->terms.places[p])
			text = norn_findings_text(i->search->findings, "%s%s%s", text, *text ? "," : "", spec->places[p].text);
	return text;
}

/* A copy that lives as long as the findings do, with which it is shown. */
static struct norn_lattice_picture *keep_picture(const struct norn_lattice_picture *p, struct norn_findings *f)
{
	struct norn_lattice_picture *kept = norn_must_arena_alloc(&f->arena, sizeof *kept);
	*kept = (struct norn_lattice_picture){.property = norn_findings_text(f, "%s", p->property),
	        .key = p->key,
	        .variables = p->variables,
	        .threads = p->threads,
	        .node_count = p->node_count,
	        .edge_count = p->edge_count};
	kept->nodes = norn_must_arena_alloc(&f->arena, p->node_count * sizeof *p->nodes);
	kept->edges = norn_must_arena_alloc(&f->arena, p->edge_count * sizeof *p->edges);
	memcpy(kept->edges, p->edges, p->edge_count * sizeof *p->edges);
	for (uint32_t i = 0; i < p->node_count; i++) {
		kept->nodes[i] = p->nodes[i];
		kept->nodes[i].cut = norn_must_arena_alloc(&f->arena, p->threads * sizeof(uint32_t));
		memcpy(kept->nodes[i].cut, p->nodes[i].cut, p->threads * sizeof(uint32_t));
	}
	return kept;
}

void norn_search_picture_show(const struct norn_instance_search *i, uint32_t from, const struct norn_lattice_result *result)
{
	struct norn_lattice_picture *p = i->picture;
	const struct norn_property *property = i->properties[0]->property;
	const struct norn_property_search_options *o = &i->search->options;
	if (p->too_large && !o->draw)
		return;
	if (p->too_large) {
		norn_findings_note(i->search->findings, "the lattice of property %s has more than %u cuts, and is not drawn",
		        property->name, NORN_LATTICE_PICTURE_CUTS);
		return;
	}
	follow_runs(i, result);
	p->property = property->name;
	p->key = norn_keys_text(property, i->keys, i->search->findings);
	p->variables = variables_text(i);
	if (o->draw)
		o->draw(o->context, p);
	if (!o->keep || p->node_count > NORN_LATTICE_PICTURE_SMALL || !p->edge_count)
		return;
	const struct norn_lattice_picture *kept = keep_picture(p, i->search->findings);
	for (uint32_t k = from; k < i->search->candidates.count; k++)
		i->search->candidates.list[k].lattice = kept;
}
