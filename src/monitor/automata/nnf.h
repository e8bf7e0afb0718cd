/* LTL formulas in negation normal form: only atoms are negated. Each formula is there once, and comes after its operands. */
#ifndef NORN_MONITOR_NNF_H
#define NORN_MONITOR_NNF_H

#include "base/map.h"
#include "monitor/monitor.h"

enum norn_nnf_op {
	NORN_NNF_TRUE,
	NORN_NNF_FALSE,
	NORN_NNF_ATOM, /* a */
	NORN_NNF_NOT_ATOM,
	NORN_NNF_AND,
	NORN_NNF_OR,
	NORN_NNF_NEXT,
	NORN_NNF_WEAK_NEXT,
	NORN_NNF_UNTIL,
	NORN_NNF_RELEASE
};

struct norn_nnf_node {
	enum norn_nnf_op op;
	uint32_t a, b;
	bool at_end; /* its value where there is no position: a strong X, an until and an atom are false */
};

struct norn_nnf {
	struct norn_nnf_node *nodes;
	uint32_t count, room;
	struct norn_map known;
	bool finite; /* runs may end: WX differs from X */
	uint32_t formula, negation;
};

/* Of the property's formula and of its negation. */
int norn_nnf_init(struct norn_nnf *nnf, const struct norn_property *property, struct norn_error *err);
void norn_nnf_done(struct norn_nnf *nnf);

#endif
