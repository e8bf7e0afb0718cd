#include "finding/completeness.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "finding/finding.h"

const char *norn_reason_name(enum norn_reason_kind kind)
{
	static const char *const names[NORN_REASONS] = {
	        [NORN_REASON_INTERRUPTED] = "interrupted",
	        [NORN_REASON_PROCESS] = "process",
	        [NORN_REASON_TRACE] = "trace",
	        [NORN_REASON_LOST] = "lost-events",
	        [NORN_REASON_REFUSED] = "refused",
	        [NORN_REASON_HOOKS] = "hooks",
	        [NORN_REASON_CALL] = "call",
	        [NORN_REASON_PROPERTY] = "property",
	        [NORN_REASON_MEMORY] = "memory",
	        [NORN_REASON_LIMIT] = "limit",
	        [NORN_REASON_ORDER] = "order",
	};
	return names[kind];
}

static struct norn_reason *find(struct norn_findings *f, enum norn_reason_kind kind, const char *what)
{
	for (uint32_t i = 0; i < f->reason_count; i++)
		if (f->reasons[i].kind == kind && strcmp(f->reasons[i].what, what) == 0)
			return &f->reasons[i];
	return NULL;
}

void norn_findings_partial(
        struct norn_findings *f, enum norn_reason_kind kind, uint64_t count, const char *remedy, const char *format, ...)
{
	char *what;
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(&what, format, arguments) < 0)
		norn_out_of_memory();
	va_end(arguments);
	f->stats.complete = false;
	struct norn_reason *known = find(f, kind, what);
	if (known) {
		known->count += count;
	} else {
		norn_must_grow(&f->reasons, f->reason_count + UINT64_C(1), &f->reason_room, sizeof *f->reasons);
		uint32_t at = f->reason_count++;
		for (; at && f->reasons[at - 1].kind > kind; at--)
			f->reasons[at] = f->reasons[at - 1];
		f->reasons[at] = (struct norn_reason){kind, count, norn_findings_text(f, "%s", what), remedy};
	}
	free(what);
}

void norn_findings_lost(struct norn_findings *f, uint64_t threads)
{
	for (uint32_t i = 0; i < f->reason_count; i++)
		if (f->reasons[i].kind == NORN_REASON_LOST && f->reasons[i].count == f->stats.lost + threads)
			return; /* it was said */
	if (f->stats.lost)
		norn_findings_partial(f, NORN_REASON_LOST, f->stats.lost + threads, NORN_REMEDY_LOST,
		        "%llu events were lost while recording; what follows from them is not known",
		        (unsigned long long)f->stats.lost);
	else if (threads)
		norn_findings_partial(f, NORN_REASON_LOST, threads, "",
		        "%llu threads were not recorded, or not to their end: there were too many at once, or they entered a "
		        "sandbox (seccomp)",
		        (unsigned long long)threads);
}

void norn_findings_inexact(struct norn_findings *f, const char *rule)
{
	norn_findings_partial(f, NORN_REASON_ORDER, 1, "",
	        "the run has events whose order Norn keeps as recorded though another may be possible (%s): errors may be missed",
	        rule);
}

char *norn_reason_sentence(const struct norn_reason *reason)
{
	return norn_must_format("%s%s%s", reason->what, *reason->remedy ? "; " : "", reason->remedy);
}

uint32_t norn_findings_sure(const struct norn_findings *f)
{
	uint32_t sure = 0;
	for (uint32_t i = 0; i < f->count; i++)
		sure += strcmp(f->list[i].status, "suspected") != 0 && f->list[i].baseline != NORN_BASELINE_KNOWN;
	return sure;
}

/* ---- suspected errors ---- */

/* The first assumption about a call, or about a job, that suspected errors rest on, and how many do. */
static const struct norn_assumption *first_assumption(const struct norn_findings *f, bool job, uint32_t *ret_count)
{
	const struct norn_assumption *first = NULL;
	*ret_count = 0;
	for (uint32_t i = 0; i < f->count; i++) {
		const struct norn_finding *x = &f->list[i];
		bool suspected = strcmp(x->status, "suspected") == 0 && x->assumption_count;
		if (suspected && (x->assumptions[0].job != NULL) == job && ++*ret_count == 1)
			first = &x->assumptions[0];
	}
	return first;
}

void norn_findings_say_suspected(struct norn_findings *f)
{
	uint32_t calls, jobs;
	const struct norn_assumption *call = first_assumption(f, false, &calls), *job = first_assumption(f, true, &jobs);
	if (calls)
		norn_findings_partial(f, NORN_REASON_CALL, calls,
		        "say what these functions do (--model FILE), build them by norn cc, or let norn confirm try",
		        "%u error%s only suspected, as functions without hooks were called that may do anything (%s%s at %s:%u)",
		        calls, calls == 1 ? " is" : "s are", norn_assumption_name(call), norn_assumption_brackets(call),
		        basename(call->file), call->line);
	if (jobs)
		norn_findings_partial(f, NORN_REASON_ORDER, jobs,
		        "record it again, until two threads of the pool have run such jobs",
		        "%u error%s only suspected, as one thread of a pool ran jobs that two may run at once (%s() at %s:%u)",
		        jobs, jobs == 1 ? " is" : "s are", job->function, basename(job->file), job->line);
}

void norn_findings_lost_text(const struct norn_findings *findings, char to[NORN_LOST_TEXT])
{
	const struct norn_finding_stats *s = &findings->stats;
	if (s->lost_unknown && !s->lost)
		snprintf(to, NORN_LOST_TEXT, "an unknown number");
	else
		snprintf(to, NORN_LOST_TEXT, "%" PRIu64 "%s", s->lost, s->lost_unknown ? " or more" : "");
}
