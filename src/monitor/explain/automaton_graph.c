#include "monitor/explain/automaton_graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "monitor/explain/guard.h"

/* ---- from bits to states ---- */

/* The states that bits can reach, with 0 as the one before the first position. -E2BIG: too many. */
static int explore_bits(struct norn_automaton_graph *g)
{
	struct norn_dfa *dfa = &g->own_dfa;
	struct norn_limits limits = {.states = NORN_AUTOMATON_GRAPH_STATES_MAX, .work = NORN_WORK_MAX};
	struct norn_map found; /* from the word to 1 + the state */
	uint64_t *words = norn_must_alloc(NORN_AUTOMATON_GRAPH_STATES_MAX + 1, sizeof *words);
	norn_map_init(&found, sizeof(uint32_t));
	*dfa = (struct norn_dfa){.letters = g->own_letters.count};
	int r = 0;
	uint64_t to = norn_monitor_start(g->monitor);
	for (uint64_t cell = 0, filled = 0;; filled++) {
		uint32_t *state = norn_must_map_put(&found, to);
		if (*state == 0) {
			r = norn_dfa_add(dfa, norn_monitor_verdict(g->monitor, to), &limits, state, NULL);
			if (r != 0)
				break;
			words[(*state)++] = to;
		}
		if (filled > 0)
			dfa->next[cell++] = *state - 1;
		if (cell == (uint64_t)dfa->states * dfa->letters)
			break;
		to = norn_monitor_step(g->monitor, words[cell / dfa->letters], g->own_letters.words[cell % dfa->letters]);
	}
	free(words);
	norn_map_done(&found);
	return r;
}

void norn_automaton_graph_init(
        struct norn_automaton_graph *graph, const struct norn_property *property, const struct norn_monitor *monitor)
{
	*graph = (struct norn_automaton_graph){.property = property, .monitor = monitor, .initial = monitor->initial};
	if (monitor->machine == NORN_MACHINE_DFA) {
		graph->dfa = &monitor->dfa;
		graph->letters = &monitor->letters;
		return;
	}
	int r = norn_letters_init(&graph->own_letters, &monitor->alphabet, NULL);
	if (r == 0)
		r = explore_bits(graph);
	if (r == 0) {
		norn_dfa_minimise(&graph->own_dfa, &graph->own_letters);
		norn_dfa_settle(&graph->own_dfa);
		graph->dfa = &graph->own_dfa;
		graph->letters = &graph->own_letters;
		return;
	}
	norn_automaton_graph_done(graph);
	norn_must_do(r == -E2BIG ? 0 : r);
}

void norn_automaton_graph_done(struct norn_automaton_graph *graph)
{
	norn_dfa_done(&graph->own_dfa);
	norn_letters_done(&graph->own_letters);
	graph->dfa = NULL;
	graph->letters = NULL;
}

/* ---- edges ---- */

struct automaton_edge {
	uint32_t to;
	struct norn_cube *cubes;
	uint32_t cube_count;
	bool otherwise; /* taken if no other edge of the state is: shorter than its cubes */
};

struct edges {
	struct automaton_edge *items;
	uint32_t count;
};

static void edges_done(struct edges *edges)
{
	for (uint32_t i = 0; i < edges->count; i++)
		free(edges->items[i].cubes);
	free(edges->items);
	*edges = (struct edges){0};
}

static uint32_t next(const struct norn_automaton_graph *g, uint32_t state, uint32_t letter)
{
	return g->dfa->next[(size_t)state * g->dfa->letters + g->letters->classes[letter]];
}

/* The edge with the most cubes, if they are many. */
static void choose_otherwise(struct edges *edges)
{
	struct automaton_edge *longest = NULL;
	for (uint32_t i = 0; i < edges->count; i++)
		if (!longest || edges->items[i].cube_count > longest->cube_count)
			longest = &edges->items[i];
	if (longest && longest->cube_count > 2 && edges->count > 1)
		longest->otherwise = true;
}

/* The edges of a state by target, in the order in which letters first lead there. */
static void edges_init(struct edges *edges, const struct norn_automaton_graph *g, uint32_t state)
{
	uint32_t n = g->letters->count;
	uint8_t *member = norn_must_alloc(n, 1), *done = norn_must_calloc(n, 1);
	*edges = (struct edges){.items = norn_must_calloc(n, sizeof *edges->items)};
	for (uint32_t i = 0; i < n; i++) {
		if (done[i])
			continue;
		struct automaton_edge *e = &edges->items[edges->count++];
		e->to = next(g, state, i);
		for (uint32_t j = 0; j < n; j++) {
			member[j] = next(g, state, j) == e->to;
			done[j] |= member[j];
		}
		e->cubes = norn_guard_cubes(g->letters, member, &e->cube_count);
	}
	free(member);
	free(done);
	choose_otherwise(edges);
}

static void write_guard(const struct norn_automaton_graph *g, const struct automaton_edge *e, FILE *to)
{
	if (e->otherwise)
		fputs("otherwise", to);
	else
		norn_guard_write(g->property, e->cubes, e->cube_count, to);
}

static void write_name(const struct norn_automaton_graph *g, uint32_t state, FILE *to)
{
	if (g->property->logic != NORN_LOGIC_FSM)
		fprintf(to, "%u", state);
	else
		fputs(state < g->property->fsm_count ? g->property->fsm[state].name : "dead", to);
}

/* ---- as text ---- */

void norn_automaton_graph_table(const struct norn_automaton_graph *graph, FILE *to)
{
	for (uint32_t s = 0; s < graph->dfa->states; s++) {
		struct edges edges;
		edges_init(&edges, graph, s);
		fputs("  state ", to);
		write_name(graph, s, to);
		fprintf(to, "  %c%s%s\n", norn_verdict_letter(graph->dfa->verdict[s]), graph->dfa->settled[s] ? " for ever" : "",
		        s == graph->initial ? "  (the initial one)" : "");
		for (uint32_t i = 0; i < edges.count && !(graph->dfa->settled[s] && edges.count == 1 && edges.items[i].to == s);
		        i++) {
			fputs("    ", to);
			write_guard(graph, &edges.items[i], to);
			fputs("  -> ", to);
			write_name(graph, edges.items[i].to, to);
			fputc('\n', to);
		}
		edges_done(&edges);
	}
}

/* Text inside a quoted string of Graphviz. */
static void write_quoted(const char *text, FILE *to)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', to);
		fputc(*text == '\n' ? ' ' : *text, to);
	}
}

static void dot_edges(const struct norn_automaton_graph *g, uint32_t state, FILE *to)
{
	struct edges edges;
	edges_init(&edges, g, state);
	for (uint32_t i = 0; i < edges.count; i++) {
		char *text = NULL;
		size_t length;
		FILE *memory = norn_must(open_memstream(&text, &length));
		write_guard(g, &edges.items[i], memory);
		norn_must_close(memory);
		fprintf(to, "\ts%u -> s%u [label=\"", state, edges.items[i].to);
		write_quoted(text, to);
		fputs("\"];\n", to);
		free(text);
	}
	edges_done(&edges);
}

void norn_automaton_graph_dot(const struct norn_automaton_graph *graph, FILE *to)
{
	static const char *const colours[] = {[NORN_VERDICT_OPEN] = "#fff2b3",
	        [NORN_VERDICT_TRUE] = "#b9e4b4",
	        [NORN_VERDICT_FALSE] = "#f4b6ad",
	        [NORN_VERDICT_MATCH] = "#b9e4b4"};
	fputs("digraph \"", to);
	write_quoted(graph->property->name, to);
	fputs("\" {\n\trankdir=LR;\n\tlabel=\"", to);
	write_quoted(graph->property->name, to);
	fputs("\";\n\tnode [shape=circle, style=filled, fontname=\"sans-serif\"];\n\tedge [fontname=\"sans-serif\", fontsize=11];\n"
	      "\tbegin [shape=point, style=invis];\n",
	        to);
	for (uint32_t s = 0; s < graph->dfa->states; s++) {
		uint8_t verdict = graph->dfa->verdict[s];
		fprintf(to, "\ts%u [label=\"", s);
		write_name(graph, s, to);
		fprintf(to, "\\n%c\", fillcolor=\"%s\"%s];\n", norn_verdict_letter(verdict), colours[verdict],
		        graph->dfa->settled[s] ? ", peripheries=2" : "");
	}
	fprintf(to, "\tbegin -> s%u;\n", graph->initial);
	for (uint32_t s = 0; s < graph->dfa->states; s++)
		dot_edges(graph, s, to);
	fputs("}\n", to);
}
