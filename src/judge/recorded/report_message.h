/* The messages and actions of a property's handlers, as findings show them. */
#ifndef NORN_JUDGE_RECORDED_REPORT_MESSAGE_H
#define NORN_JUDGE_RECORDED_REPORT_MESSAGE_H

#include "finding/finding.h"
#include "judge/verdict_queue.h"

/* The text of a `report("…", …)`: its format, filled with values that may be unknown. "" if it has none. */
const char *norn_report_message(const struct norn_queued_action *action, struct norn_findings *findings);
/* The finding's message, by the first report that has one, and what handlers would do inside the program. */
void norn_finding_respond(
        struct norn_finding *finding, const struct norn_queued_action *actions, uint32_t count, struct norn_findings *findings);

#endif
