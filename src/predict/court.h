/* A court: one property on one run. It has the property's monitor, the states of its instances, and its history; see judge.h. */
#ifndef NORN_PREDICT_COURT_H
#define NORN_PREDICT_COURT_H

#include "monitor/monitor.h"
#include "predict/finding.h"
#include "predict/valuation.h"
#include "prop/source.h"

struct norn_court;

int norn_court_new(const struct norn_sources *sources, const struct norn_binding *binding, const struct norn_property *property,
        struct norn_court **ret_court, struct norn_error *err);
void norn_court_free(struct norn_court *court);

/* What the court will hear is not the observed run, but one that was predicted; findings say so. extent: how many there are. */
void norn_court_predicts(struct norn_court *court, const char *causality, const char *extent);
const struct norn_property *norn_court_property(const struct norn_court *court);
/* Whether a violation was reported. */
bool norn_court_charged(const struct norn_court *court);

/* "c = 0x5581"; "" without keys. */
const char *norn_keys_text(const struct norn_property *property, const struct norn_value *keys, struct norn_findings *findings);

/* A moment of the run; position 0 first. *relevant counts the positions that are one of this property. */
int norn_court_position(
        struct norn_court *court, const struct norn_moment *moment, struct norn_findings *findings, uint64_t *relevant);
/* What was heard from position `first` on could be repeated for ever, which violates the property. moment: the last one; keys: of the instance. */
int norn_court_repeats(struct norn_court *court, const struct norn_value *keys, const struct norn_moment *moment,
        const struct norn_position *first, struct norn_findings *findings);
/* The end of the run. moment: the last one. */
int norn_court_end(struct norn_court *court, const struct norn_moment *moment, struct norn_findings *findings);

#endif
