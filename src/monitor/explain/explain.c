#include "monitor/explain/explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "monitor/explain/equations.h"
#include "monitor/explain/automaton_graph.h"
#include "monitor/explain/phrase.h"
#include "monitor/explain/shortest_run.h"

#define DOT_STATES_MAX 400u
#define BITS_STATES_MAX 6u /* of a ptLTL property, whose equations say more */
#define LETTERS_MAX 1024u
#define WORDS_MAX 4000u /* characters of a formula that is put into words */

/* ---- what it is, in words ---- */

static char *source_text(const struct norn_property *property)
{
	const struct norn_logic *logic = &property->decl->logic;
	return logic->form ? norn_form_text(logic->form) : logic->rex ? norn_rex_text(logic->rex) : NULL;
}

static void write_title(const struct norn_property *property, const char *text, FILE *to)
{
	static const char *const kinds[] = {
	        [NORN_LOGIC_PTLTL] = "a formula about the past, judged at every position",
	        [NORN_LOGIC_LTL] = "a formula about the whole run, judged as early as it can be",
	        [NORN_LOGIC_ERE] = "an expression that the events of a run must match",
	        [NORN_LOGIC_FORBID] = "an expression that the events of a run must not match",
	        [NORN_LOGIC_FSM] = "an automaton",
	};
	fprintf(to, "%s: %s\n", property->name, kinds[property->logic]);
	if (text && strlen(text) <= WORDS_MAX)
		fprintf(to, "  %s\n", text);
}

static void write_keys(const struct norn_property *property, FILE *to)
{
	if (property->key_count == 0)
		return;
	fputs("  For each value of ", to);
	for (uint32_t i = 0; i < property->key_count; i++)
		fprintf(to, "%s%s", i > 0 ? " and " : "", property->keys[i]);
	fputs(" on its own:\n", to);
}

static void write_end(const struct norn_property *property, FILE *to)
{
	if (property->logic == NORN_LOGIC_PTLTL)
		return;
	if (property->end == NORN_END_FINITE)
		fputs("  What is open when the run ends is settled there (end=finite): nothing comes after the last position.\n",
		        to);
	else if (property->end == NORN_END_STUTTER && property->logic == NORN_LOGIC_LTL)
		fputs("  What is open when the run ends is settled as if its last position were repeated for ever (end=stutter).\n",
		        to);
	else
		fputs("  What is open when the run ends stays open: neither satisfied nor violated (end=open).\n", to);
}

static void write_words(const struct norn_spec *spec, const struct norn_property *property, const char *text, FILE *to)
{
	const struct norn_logic *logic = &property->decl->logic;
	fputs("\nIn words\n", to);
	write_keys(property, to);
	if (text && strlen(text) > WORDS_MAX) {
		fputs("  It is too long to be put into words.\n", to);
	} else if (logic->form) {
		fputs(property->logic == NORN_LOGIC_PTLTL ? "  At every position:\n" : "  At the first position:\n", to);
		norn_phrase_form(spec, logic->form, 4, to);
	} else if (logic->rex) {
		fputs(property->logic == NORN_LOGIC_FORBID ? "  The events of the run so far must never be:\n"
		                                           : "  The events of the run are, or can still become:\n",
		        to);
		norn_phrase_rex(logic->rex, 4, to);
	} else {
		norn_phrase_fsm(property, 2, to);
	}
	write_end(property, to);
}

/* ---- relevant events ---- */

struct term_uses {
	uint8_t *places, *ghosts, *events;
};

static void find_uses(const struct norn_expr *expr, struct term_uses *uses)
{
	if (expr->op == NORN_EXPR_PLACE)
		uses->places[expr->index] = 1;
	if (expr->op == NORN_EXPR_GHOST)
		uses->ghosts[expr->index] = 1;
	if (expr->op == NORN_EXPR_EVENT)
		uses->events[expr->index] = 1;
	if (expr->a)
		find_uses(expr->a, uses);
	if (expr->b)
		find_uses(expr->b, uses);
}

static void write_uses(const struct norn_spec *spec, const struct norn_property *property, struct term_uses *uses, FILE *to)
{
	for (uint32_t i = 0; i < property->atom_count; i++) {
		if (property->atoms[i].kind == NORN_ATOM_EVENT)
			uses->events[property->atoms[i].event] = 1;
		else
			find_uses(property->atoms[i].predicate, uses);
	}
	fputs("\nRelevant events\n", to);
	for (uint32_t i = 0; i < spec->place_count; i++)
		if (uses->places[i])
			fprintf(to, "  writes to %s\n", spec->places[i].text);
	for (uint32_t g = 0; g < spec->ghost_count; g++)
		for (uint32_t u = 0; uses->ghosts[g] && u < spec->ghosts[g].update_count; u++) {
			fprintf(to, "  %s, which changes %s: ", spec->events[spec->ghosts[g].updates[u].event].name,
			        spec->ghosts[g].name);
			norn_phrase_event(spec, spec->ghosts[g].updates[u].event, to);
			fputc('\n', to);
		}
	for (uint32_t e = 0; e < spec->event_count; e++)
		if (uses->events[e]) {
			fprintf(to, "  %s: ", spec->events[e].name);
			norn_phrase_event(spec, e, to);
			fputc('\n', to);
		}
	if (property->atom_count == 0)
		fputs("  none: it speaks of nothing\n", to);
	else if (property->states)
		fputs("  Before them, the values with which the program begins are the first position.\n", to);
}

static void write_events(const struct norn_spec *spec, const struct norn_property *property, FILE *to)
{
	size_t count = spec->place_count + spec->ghost_count + spec->event_count;
	uint8_t *memory = norn_must_calloc(count, 1);
	struct term_uses uses = {memory, memory + spec->place_count, memory + spec->place_count + spec->ghost_count};
	write_uses(spec, property, &uses, to);
	free(memory);
}

/* ---- the monitor ---- */

static void write_size(const struct norn_automaton_graph *graph, FILE *to)
{
	uint32_t size = norn_monitor_size(graph->monitor);
	if (graph->property->logic == NORN_LOGIC_PTLTL)
		fprintf(to, "\nMonitor: %u bit%s\n", size, size == 1 ? "" : "s");
	else
		fprintf(to, "\nMonitor: %u state%s%s\n", size, size == 1 ? "" : "s",
		        graph->property->logic == NORN_LOGIC_FSM ? ", as written" : ", the fewest that can do it");
}

/* Guards of very many letters take long to find, and longer to read. */
static bool showable(const struct norn_automaton_graph *graph)
{
	return graph->dfa && graph->letters->count <= LETTERS_MAX;
}

static void write_monitor(const struct norn_automaton_graph *graph, FILE *to)
{
	write_size(graph, to);
	if (graph->property->logic == NORN_LOGIC_PTLTL) {
		norn_equations_write(graph->property, &graph->monitor->ptltl, to);
		if (!graph->dfa)
			return;
		bool few = graph->dfa->states <= BITS_STATES_MAX && showable(graph);
		fprintf(to, "\nAs an automaton: %u states%s\n", graph->dfa->states, few ? "" : " (--dot FILE writes them)");
		if (few)
			norn_automaton_graph_table(graph, to);
	} else if (graph->dfa->states <= NORN_AUTOMATON_GRAPH_SHOWN_MAX && showable(graph)) {
		norn_automaton_graph_table(graph, to);
	} else {
		fputs("  too many, over too many atoms, to be shown\n", to);
	}
}

/* ---- runs ---- */

/* For a shell: a path with unusual characters is quoted. Names and steps have no quotes in them. */
static void write_command(const char *path, const char *name, const char *steps, FILE *to)
{
	static const char usual[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@%=";
	fputs("  norn prop try ", to);
	if (path[strspn(path, usual)] == '\0') {
		fputs(path, to);
	} else {
		fputc('\'', to);
		for (; *path; path++)
			fputs(*path == '\'' ? "'\\''" : (const char[]){*path, '\0'}, to);
		fputc('\'', to);
	}
	fprintf(to, " %s '%s'\n", name, steps);
}

static void write_run(const struct norn_automaton_graph *graph, const struct norn_spec *spec, enum norn_verdict verdict,
        const char *path, const char *title, FILE *to)
{
	struct norn_shortest_run witness = norn_shortest_run_find(spec, graph->property, graph->monitor, verdict);
	fprintf(to, "\n%s (%c)\n", title, norn_verdict_letter(verdict));
	if (!witness.steps)
		fputs("  none was found with the values that were tried for its variables\n", to);
	else if (witness.length == 0)
		fputs("  the empty one\n", to);
	else
		write_command(path, graph->property->name, witness.steps, to);
	free(witness.steps);
}

static bool reaches(const struct norn_automaton_graph *graph, enum norn_verdict verdict)
{
	for (uint32_t s = 0; graph->dfa && s < graph->dfa->states; s++)
		if (graph->dfa->verdict[s] == verdict)
			return true;
	return !graph->dfa;
}

static void write_runs(const struct norn_automaton_graph *graph, const struct norn_spec *spec, const char *path, FILE *to)
{
	enum norn_logic_kind logic = graph->property->logic;
	bool formula = logic == NORN_LOGIC_PTLTL || logic == NORN_LOGIC_LTL, forbid = logic == NORN_LOGIC_FORBID;
	enum norn_verdict good = formula ? NORN_VERDICT_TRUE : forbid ? NORN_VERDICT_FALSE : NORN_VERDICT_MATCH;
	enum norn_verdict bad = forbid ? NORN_VERDICT_MATCH : NORN_VERDICT_FALSE;
	bool can_fail = reaches(graph, bad), can_hold = reaches(graph, good);
	if (can_fail)
		write_run(graph, spec, bad, path, "A shortest run that violates it", to);
	if (can_hold)
		write_run(graph, spec, good, path,
		        forbid ? "A shortest run that cannot violate it any more" : "A shortest run that satisfies it", to);
	if (!can_fail && !can_hold)
		fputs("\nwarning: it can never be violated, nor satisfied: every run, however long, could still go either way (all "
		      "states are ?)\n",
		        to);
	else if (!can_fail)
		fputs("\nwarning: it can never be violated\n", to);
	else if (!can_hold && logic == NORN_LOGIC_LTL && reaches(graph, NORN_VERDICT_OPEN))
		fputs("\nNo finite run satisfies it for good: as long as it is not violated, it is open (?).\n", to);
	else if (!can_hold && (!forbid || !reaches(graph, NORN_VERDICT_OPEN)))
		fputs("\nwarning: it can never be satisfied\n", to);
	if (!can_fail && graph->property->liveness)
		fputs("No finite run shows a violation, but a loop that could go on for ever can: `norn check` looks for such "
		      "loops.\n",
		        to);
}

/* ---- all together ---- */

static int open_graph(const struct norn_spec *spec, const struct norn_property *property, struct norn_monitor **ret_monitor,
        struct norn_automaton_graph *ret_graph, struct norn_error *err)
{
	int r = norn_monitor_new(spec, property, NULL, ret_monitor, err);
	if (r == 0)
		norn_automaton_graph_init(ret_graph, property, *ret_monitor);
	return r;
}

int norn_explain_text(
        const struct norn_spec *spec, const struct norn_property *property, const char *path, FILE *to, struct norn_error *err)
{
	struct norn_monitor *monitor;
	struct norn_automaton_graph graph;
	int r = open_graph(spec, property, &monitor, &graph, err);
	if (r != 0)
		return r;
	char *text = source_text(property);
	write_title(property, text, to);
	write_words(spec, property, text, to);
	write_events(spec, property, to);
	write_monitor(&graph, to);
	write_runs(&graph, spec, path, to);
	free(text);
	norn_automaton_graph_done(&graph);
	norn_monitor_free(monitor);
	return 0;
}

int norn_explain_dot(const struct norn_spec *spec, const struct norn_property *property, FILE *to, struct norn_error *err)
{
	struct norn_monitor *monitor;
	struct norn_automaton_graph graph;
	int r = open_graph(spec, property, &monitor, &graph, err);
	if (r != 0)
		return r;
	if (!showable(&graph) || graph.dfa->states > DOT_STATES_MAX)
		r = norn_error_set(err, -E2BIG, "%s has too many states or letters for a picture (more than %u or %u)",
		        property->name, DOT_STATES_MAX, LETTERS_MAX);
	else
		norn_automaton_graph_dot(&graph, to);
	norn_automaton_graph_done(&graph);
	norn_monitor_free(monitor);
	return r;
}
