/* The driver: built-in errors of a recorded run, from the trace to findings.
 *
 * The run is read once, in the merged order, into a dependence graph (causality/dependence_graph.h); engines look for errors in it
 * (builtin_search.h), the checker of witnesses agrees to each or refuses it (sliced_witness.h), and what it agreed to becomes a
 * finding (predicted_errors.h). Predictions that it refused are counted and not shown: they are Norn's own errors.
 *
 * A run that does not fit into the memory allowed is gone through in windows that overlap by a quarter, which the findings' notes
 * say: what lies further apart is not compared, and not found. */
#ifndef NORN_ERRORS_BUILTIN_DRIVER_H
#define NORN_ERRORS_BUILTIN_DRIVER_H

#include "errors/builtin_search.h"
#include "finding/predicted_errors.h"
#include "finding/finding.h"
#include "effects/user_model.h"
#include "run/run.h"

struct norn_builtin_driver_options {
	bool observed; /* only what the recorded run itself shows */
	bool fixes; /* try fixes of findings on the run */
	bool judged; /* note what was judged of pairs of places, and what was not (finding/judged_pairs.h) */
	bool infer; /* guess atomic blocks, too */
	unsigned without; /* tests only: enum norn_rule_switch that are switched off; then nothing is checked either, unless … */
	bool checked; /* … it is all the same, and refused */
	unsigned effort; /* of the search after closures that failed; 0: none */
	uint64_t max_memory; /* bytes, about; a run that needs more is looked at in windows. 0: no limit */
	uint64_t window; /* events of a window, whatever the memory; 0: as many as fit */
	const struct norn_effects_model *const *models; /* the effects of functions without hooks; later ones win */
	uint32_t model_count;
	const char *const *atomic; /* functions that are meant to be atomic */
	uint32_t atomic_count;
	const struct norn_named_memory *variables; /* of properties: findings get the numbers of those that they are on */
	uint32_t variable_count;
	/* The initial contents of static memory; NULL: not known. It must outlive the graph. */
	norn_graph_initial_word *initial;
	void *initial_context;
	/* Called now and then with the part of the work that is done, of 1; a result other than 0 ends the work. NULL: none. */
	int (*progress)(void *context, double done);
	void *context;
	const struct norn_described *told; /* called with findings in the graph that the caller has; NULL: none */
};

#define NORN_BUILTIN_DRIVER_TELL (1u << 16) /* events between calls of progress */

/* The threads of the run, and its losses. */
void norn_builtin_driver_losses(struct norn_findings *findings, const struct norn_run *run);
/* Says that so many predictions were refused by the checker; nothing, if none was. */
void norn_builtin_driver_refused(struct norn_findings *findings, uint64_t refused);
/* Says that nothing was looked for: records that were lost might have ordered anything. */
void norn_builtin_driver_refuse_lost(struct norn_findings *findings);
/* Tells of progress, after so many events. */
int norn_builtin_driver_tell(const struct norn_builtin_driver_options *options, const struct norn_run *run, uint64_t events);

/* Memory that norn_builtin_driver will take at most, about, in bytes. */
uint64_t norn_builtin_driver_need(const struct norn_run *run, const struct norn_builtin_driver_options *options);

/* The graph alone, for callers that use it besides: the caller frees it. Returns as the next one. */
int norn_builtin_driver_graph(struct norn_run *run, const struct norn_builtin_driver_options *options,
        struct norn_graph **ret_graph, struct norn_error *err);

/* graph: of this run, by the same options; NULL: there is none yet. Adds to findings, which the caller has initialised. 0;
 * -EOVERFLOW: too many threads; -EBADMSG and a sentence if the trace is damaged. */
int norn_builtin_driver(struct norn_run *run, const struct norn_graph *graph, const struct norn_builtin_driver_options *options,
        struct norn_findings *findings, struct norn_error *err);
/* Data races and uses after free that happens-before leaves open (hb_races.h), in one pass without a graph of the whole run: each
 * has a witness in which what is there is in the observed order. Status and causality are mvc's. Returns as norn_builtin_driver. */
int norn_builtin_driver_mvc(struct norn_run *run, const struct norn_builtin_driver_options *options, struct norn_findings *findings,
        struct norn_error *err);

#endif
