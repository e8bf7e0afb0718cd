/* The last events of a run that is gone through, so that what just happened can be looked at more closely: as a dependence graph of
 * its own (dependence_graph.h), which begins with what came before (causality/prefix_state.h).
 *
 * Memory: 48 bytes for each of NORN_EVENT_WINDOW_EVENTS events, and what is carried at the beginning of each part of 1024 of them,
 * or of four times as many as are carried. */
#ifndef NORN_ERRORS_EVENT_WINDOW_H
#define NORN_ERRORS_EVENT_WINDOW_H

#include "causality/dependence_graph.h"

#define NORN_EVENT_WINDOW_EVENTS (1u << 18)

struct norn_event_window;

struct norn_event_window *norn_event_window_new(void);
void norn_event_window_free(struct norn_event_window *window);

/* The next event. */
void norn_event_window_event(struct norn_event_window *window, const struct norn_event *event);
/* The graph of all events since number from, and perhaps of some before it, of which the last one is now. 1 and the graph; 0: from
 * is too long ago; -EOVERFLOW: it has more threads than a graph has room for. */
int norn_event_window_slice(const struct norn_event_window *window, uint64_t from, norn_graph_lookup *lookup, void *sites,
        struct norn_graph **ret_graph);

#endif
