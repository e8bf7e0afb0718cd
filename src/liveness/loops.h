/* Loops: a search for infinite runs u v^ω that violate an LTL formula (JMPaX, section 4).
 *
 * u and u v are ways through the computation lattice, to cuts with the same valuation, for which the caller's rules say that v
 * could be repeated. The search keeps the whole lattice, and for every cut the promises (monitor/tableau.h) that ways to it can
 * have made which violate the formula; then, for each pair of cuts that a round trip might join, it looks for a way between them
 * that comes back to the same promises with all debts paid. That finds a lasso iff there is one with these cuts. Shortest u first,
 * then shortest v.
 *
 * Bounded, by the number of cuts and by work; what is not known (letters with unknown atoms) is not walked through. Each of these
 * is said. Memory: about 130 bytes a cut, 4 more per thread, 24 an edge. */
#ifndef NORN_LIVENESS_LOOPS_H
#define NORN_LIVENESS_LOOPS_H

#include "lattice/lattice.h"

struct norn_loop_rules {
	void *context;
	/* Cuts with different places are never the ends of a loop. */
	uint64_t (*place)(void *context, const uint32_t *cut);
	/* false: surely not, and cheap to say. NULL: always unknown. */
	bool (*possible)(void *context, const uint32_t *from, const uint32_t *to);
	/* Could what happens between the cuts be repeated for ever? Adds to *work what it costs. */
	bool (*repeats)(void *context, const uint32_t *from, const uint32_t *to, uint64_t *work);
};

struct norn_loop_options {
	uint64_t max_cuts; /* 0: 200,000 */
	uint64_t max_work; /* 0: 50,000,000 */
};

enum norn_loop_limit { NORN_LOOP_COMPLETE, NORN_LOOP_CUTS, NORN_LOOP_WORK, NORN_LOOP_UNKNOWN, NORN_LOOP_FORMULA };

struct norn_loop_result {
	bool found;
	struct norn_lattice_event *events; /* u, then v */
	uint32_t count, loop; /* v begins with events[loop] */
	uint32_t *from, *to; /* the cuts after u and after u v */
	enum norn_loop_limit limit; /* why the search is not complete */
	uint64_t cuts;
};

/* model: apply and letter are used, with monitor 0, and observed. The caller frees the result; on failure there is none. */
int norn_loops_search(const struct norn_computation *computation, const struct norn_lattice_model *model,
        const struct norn_property *property, const struct norn_loop_rules *rules, const struct norn_loop_options *options,
        struct norn_loop_result *ret_result);
void norn_loop_result_done(struct norn_loop_result *result);
const char *norn_loop_limit_text(enum norn_loop_limit limit); /* "there are more than … cuts" */
const char *norn_loop_limit_remedy(enum norn_loop_limit limit); /* advice */

#endif
