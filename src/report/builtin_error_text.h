/* Built-in errors for people: the operations that meet, the position and the locks of each thread, the schedule, and what might be
 * done. */
#ifndef NORN_REPORT_BUILTIN_ERROR_TEXT_H
#define NORN_REPORT_BUILTIN_ERROR_TEXT_H

#include "finding/finding.h"
#include "report/layout.h"
#include "report/source_lines.h"

void norn_show_error(const struct norn_text_printer *printer, struct norn_source_cache *cache, const struct norn_finding *finding);

/* Whether people are shown frame i of a side whose operation is there. */
bool norn_frame_is_shown(const struct norn_step_text *at, const struct norn_side *side, uint32_t i);
/* How the thread came to frame i: "called at", "thread created at". */
const char *norn_frame_words(const struct norn_step_text *at, const struct norn_side *side, uint32_t i);
/* The outcome of the last steps, as a sentence without its full stop. */
const char *norn_error_ending(const struct norn_finding *finding);

/* "observed", "predicted" or "confirmed": what the schedule that is shown is. A confirmed one was predicted, and then taken. */
const char *norn_schedule_word(const struct norn_finding *finding);

/* The result of replay, for any finding. */
void norn_show_replayed(const struct norn_text_printer *printer, const struct norn_finding *finding);

#endif
