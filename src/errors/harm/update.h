/* Updates: writes that are made of what their thread has read of the same bytes. */
#ifndef NORN_ERRORS_HARM_UPDATE_H
#define NORN_ERRORS_HARM_UPDATE_H

#include "causality/dependence_graph.h"

bool norn_same_bytes(const struct norn_graph_event *a, const struct norn_graph_event *b);
/* The latest read of these bytes that the value of the write is made of; only: this read; 0: there is none. */
uint32_t norn_update_read(const struct norn_graph *graph, uint32_t write, uint32_t only);

#endif
