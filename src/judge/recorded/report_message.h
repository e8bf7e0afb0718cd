/* What a property's `report("…", …)` says: its format, filled with values that may be unknown. */
#ifndef NORN_JUDGE_RECORDED_REPORT_MESSAGE_H
#define NORN_JUDGE_RECORDED_REPORT_MESSAGE_H

#include "monitor/eval.h"

/* norn_message_put's text, which is the caller's; NULL: out of memory. */
char *norn_message(const char *format, const struct norn_value *values, uint32_t count);

#endif
