/* A monitor as a graph to look at: states with verdicts, edges with guards; as a table and as Graphviz text.
 *
 * A ptLTL monitor, which is bits, is turned into the minimal machine that it comes to, if that is small enough. */
#ifndef NORN_MONITOR_EXPLAIN_AUTOMATON_GRAPH_H
#define NORN_MONITOR_EXPLAIN_AUTOMATON_GRAPH_H

#include <stdio.h>

#include "monitor/machine.h"

#define NORN_AUTOMATON_GRAPH_STATES_MAX 2000u /* of what ptLTL bits come to */
#define NORN_AUTOMATON_GRAPH_SHOWN_MAX 40u /* of a table */

struct norn_automaton_graph {
	const struct norn_property *property;
	const struct norn_monitor *monitor;
	const struct norn_dfa *dfa; /* NULL: it is too big */
	const struct norn_letters *letters;
	struct norn_dfa own_dfa;
	struct norn_letters own_letters;
	uint32_t initial;
};

/* The property and the monitor must live longer. */
void norn_automaton_graph_init(
        struct norn_automaton_graph *graph, const struct norn_property *property, const struct norn_monitor *monitor);
void norn_automaton_graph_done(struct norn_automaton_graph *graph);

/* Both need a dfa. */
void norn_automaton_graph_table(const struct norn_automaton_graph *graph, FILE *to);
void norn_automaton_graph_dot(const struct norn_automaton_graph *graph, FILE *to);

#endif
