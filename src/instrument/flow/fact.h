/* The facts of one function (trace/facts.h): its flow (static_flow.h), put into the table. */
#ifndef NORN_INSTRUMENT_FLOW_FACT_H
#define NORN_INSTRUMENT_FLOW_FACT_H

#include "instrument/pass.h"

/* Between the two walks: the points are known, nothing is rewritten yet. */
void norn_fact_find(struct norn_pass *pass);

#endif
