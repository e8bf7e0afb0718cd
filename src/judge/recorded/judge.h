/* The judge: properties on a recorded run: on its observed order, and, by a search (property_search.h), on others.
 *
 * Every property has a monitor, which steps on the property's own positions only. With `per` there is one monitor state for each
 * value of the keys: an event that names the keys goes to that instance, one that does not goes to all, and also to those that are
 * still to come. An instance ends, as at the end of the run, when the memory that a key points to is freed.
 *
 * Where an atom's value is unknown the monitor may be in several states at once: one for each possibility. Only what holds in all
 * of them is reported. Beyond NORN_STATES_MAX states, or NORN_UNKNOWN_MAX unknown atoms at once, the judge gives up on the instance
 * and says so. */
#ifndef NORN_JUDGE_RECORDED_JUDGE_H
#define NORN_JUDGE_RECORDED_JUDGE_H

#include "finding/finding.h"
#include "predict/property_search.h"
#include "property/property.h"
#include "trace/reader.h"

struct norn_judge;

/* sources: what the spec was made of. program may be NULL: variables' initial values are unknown then. All must live longer. Fails
 * with a sentence if a monitor would be too large. */
int norn_judge_new(const struct norn_sources *sources, const struct norn_spec *spec, const struct norn_program *program,
        struct norn_trace *trace, struct norn_judge **ret_judge, struct norn_error *err);
void norn_judge_free(struct norn_judge *judge);

/* Also predict, by these options. Before the run. */
void norn_judge_predict(struct norn_judge *judge, const struct norn_property_search_options *options);

/* Judges the run by all of them, in one pass. Findings are added to findings, which the caller has initialised. */
int norn_judge_run(struct norn_judge *const *judges, uint32_t count, struct norn_trace *trace, struct norn_findings *findings,
        struct norn_error *err);

#endif
