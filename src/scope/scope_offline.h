/* Scopes on a recorded run: the verdicts that monitors inside the program would have come to, and whether the scope is a valid one.
 *
 * Events go through the same channels as inside the program (scope/scope_channel.h), in the merged order. Besides, what happened
 * before what is known here (relevant_happens_before.h), so that the paper's assumptions are checked: synchronizing actions are
 * totally ordered, or else the verdict is withdrawn; and every event of a region happened after the action that began it and before
 * the one that ended it, so that regions are sound and faithful traces of the run (definitions 3 to 5). If that is not so, not
 * all is judged, and the first such event is told. */
#ifndef NORN_SCOPE_SCOPE_OFFLINE_H
#define NORN_SCOPE_SCOPE_OFFLINE_H

#include "finding/finding.h"
#include "judge/recorded/valuation.h"
#include "property/source_text.h"
#include "trace/event.h"

struct norn_scope_offline;

/* *ret_scoped is NULL if the spec has no scopes. All must live longer. */
int norn_scope_offline_new(const struct norn_sources *sources, const struct norn_binding *binding,
        struct norn_scope_offline **ret_scoped, struct norn_error *err);
void norn_scope_offline_free(struct norn_scope_offline *scopes);

/* Each event of the merged run, in order. moment: what it means, applied already; NULL if it is no position. *relevant counts
 * those that are an action, or an event of a local. */
int norn_scope_offline_event(struct norn_scope_offline *scopes, const struct norn_event *event, const struct norn_moment *moment,
        struct norn_findings *findings, uint64_t *relevant);
/* The end of the run: findings, and what notes have to tell. */
void norn_scope_offline_end(struct norn_scope_offline *scopes, struct norn_findings *findings);

/* Marks the check among the parts of the scope that is the finding's definition. */
void norn_scope_offline_mark(const struct norn_property *check, struct norn_finding *finding);

#endif
