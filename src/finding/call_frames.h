/* The frames of a thread as people read them: its callers, from the inside out, and at last its creator (struct norn_side); and
 * values. Texts are in the findings' arena. */
#ifndef NORN_FINDING_CALL_FRAMES_H
#define NORN_FINDING_CALL_FRAMES_H

#include "finding/finding.h"
#include "trace/reader.h"

#define NORN_DESCRIBE_FRAMES 32u

struct norn_call_frames {
	const struct norn_trace *trace;
	struct norn_findings *findings;
	struct norn_step_text *list; /* room for NORN_DESCRIBE_FRAMES */
	uint32_t count;
};

void norn_call_frames_init(struct norn_call_frames *frames, const struct norn_trace *trace, struct norn_findings *findings);
/* The functions that the code of a site was inlined into. */
void norn_call_frames_inlined(struct norn_call_frames *frames, uint32_t site);
/* The caller of a frame: call_site is where, as it entered; below is the ENTER site of the frame that it is in, 0: it is the
 * outermost. created: the caller is the thread's creator. */
void norn_call_frames_caller(struct norn_call_frames *frames, uint32_t call_site, uint32_t below, bool created);

/* A value of so many bytes that was read or written at that site. */
const char *norn_access_value_text(
        struct norn_findings *findings, const struct norn_site_info *info, uint64_t size, uint64_t value);

#endif
