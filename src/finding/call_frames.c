#include "finding/call_frames.h"

#include <inttypes.h>
#include <string.h>

#include "base/must.h"

void norn_call_frames_init(struct norn_call_frames *f, const struct norn_trace *trace, struct norn_findings *findings)
{
	*f = (struct norn_call_frames){.trace = trace,
	        .findings = findings,
	        .list = norn_must_arena_alloc(&findings->arena, NORN_DESCRIBE_FRAMES * sizeof *f->list)};
}

/* The trace's texts live only as long as it. */
static const char *kept(const struct norn_call_frames *f, const char *text)
{
	return *text ? norn_findings_text(f->findings, "%s", text) : "";
}

static void add_frame(struct norn_call_frames *f, const char *event, const char *function, const char *file, unsigned line)
{
	if (f->count < NORN_DESCRIBE_FRAMES)
		f->list[f->count++] = (struct norn_step_text){.thread = "",
		        .thread_name = "",
		        .event = event,
		        .what = "",
		        .before = "",
		        .after = "",
		        .file = kept(f, file),
		        .function = kept(f, function),
		        .line = line};
}

static void add_inlined(struct norn_call_frames *f, const struct norn_site_info *info, const char *event)
{
	uint32_t at = info->site ? info->site->inlined_at : 0;
	const char *function, *file;
	unsigned line;
	while (at && norn_trace_frame(info, &at, &function, &file, &line))
		add_frame(f, event, function, file, line);
}

void norn_call_frames_inlined(struct norn_call_frames *f, uint32_t site)
{
	struct norn_site_info info;
	norn_trace_site(f->trace, site, &info);
	add_inlined(f, &info, "called");
}

/* The function whose code the instruction of a site was compiled into, whatever was inlined there. */
static const char *host_function(const struct norn_site_info *info)
{
	uint32_t at = info->site ? info->site->inlined_at : 0;
	const char *function = info->function, *file;
	unsigned line;
	while (at && norn_trace_frame(info, &at, &function, &file, &line))
		;
	return function;
}

/* Code without hooks does not tell where it calls from (an event loop that calls back): then the site is that of an older call, of
 * another function than the frame below is of, and only the latter is known. Of the outermost functions of the main thread (main,
 * constructors, what atexit was given) nothing is. */
void norn_call_frames_caller(struct norn_call_frames *f, uint32_t call_site, uint32_t below, bool created)
{
	struct norn_site_info call, under;
	norn_trace_site(f->trace, call_site, &call);
	const char *event = created ? "created" : "called";
	if (!call.site || (!below && !created))
		return;
	if (below) {
		norn_trace_site(f->trace, below, &under);
		if (under.site && strcmp(host_function(&call), under.function) != 0) {
			add_frame(f, "called back", under.function, under.file, under.line);
			return;
		}
	}
	add_frame(f, event, call.function, call.file, call.line);
	add_inlined(f, &call, event);
}

const char *norn_access_value_text(struct norn_findings *findings, const struct norn_site_info *info, uint64_t size, uint64_t value)
{
	unsigned flags = info->site ? info->site->flags : 0;
	if (flags & NORN_SITE_FLOAT && size == 8) {
		double number;
		memcpy(&number, &value, sizeof number);
		return norn_findings_text(findings, "%.17g", number);
	}
	if (flags & NORN_SITE_FLOAT && size == 4) {
		float number;
		memcpy(&number, &value, sizeof number);
		return norn_findings_text(findings, "%.9g", (double)number);
	}
	if (flags & NORN_SITE_POINTER)
		return norn_findings_text(findings, "0x%" PRIx64, value);
	if (flags & NORN_SITE_SIGNED && size && size <= 8) {
		unsigned unused = 64 - 8 * (unsigned)size;
		return norn_findings_text(findings, "%" PRId64, (int64_t)(value << unused) >> unused);
	}
	return norn_findings_text(findings, "%" PRIu64, value);
}
