/* A recorded property: one property on one run. It has the property's monitor, the states of its instances, and its history; see
 * judge.h. */
#ifndef NORN_JUDGE_RECORDED_RECORDED_PROPERTY_H
#define NORN_JUDGE_RECORDED_RECORDED_PROPERTY_H

#include "monitor/monitor.h"
#include "finding/finding.h"
#include "judge/recorded/valuation.h"
#include "property/source_text.h"

struct norn_recorded_property;

int norn_recorded_property_new(const struct norn_sources *sources, const struct norn_binding *binding,
        const struct norn_property *property, struct norn_recorded_property **ret_recorded, struct norn_error *err);
void norn_recorded_property_free(struct norn_recorded_property *recorded_property);

/* The recorded property will be given a predicted run, not the observed one; findings say so. extent: how many there are. more:
 * where it violates is a finding already, which gets this run, too. */
void norn_recorded_property_predicts(
        struct norn_recorded_property *recorded_property, const char *causality, const char *extent, bool more);
const struct norn_property *norn_recorded_property_property(const struct norn_recorded_property *recorded_property);
/* True if a violation was reported. */
bool norn_recorded_property_violated(const struct norn_recorded_property *recorded_property);

/* "c = 0x5581"; "" without keys. */
const char *norn_keys_text(const struct norn_property *property, const struct norn_value *keys, struct norn_findings *findings);

/* A moment of the run; position 0 first. *relevant counts the positions that are one of this property. */
void norn_recorded_property_position(struct norn_recorded_property *recorded_property, const struct norn_moment *moment,
        struct norn_findings *findings, uint64_t *relevant);
/* The positions from `first` on could be repeated for ever, which violates the property. moment: the last one; keys: of the
 * instance. */
void norn_recorded_property_repeats(struct norn_recorded_property *recorded_property, const struct norn_value *keys,
        const struct norn_moment *moment, const struct norn_position *first, struct norn_findings *findings);
/* The end of the run. moment: the last one. */
void norn_recorded_property_end(
        struct norn_recorded_property *recorded_property, const struct norn_moment *moment, struct norn_findings *findings);

#endif
