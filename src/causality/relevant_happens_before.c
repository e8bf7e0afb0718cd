#include "causality/relevant_happens_before.h"

#include <stdlib.h>

#include "base/must.h"
#include "trace/record.h"
#include "trace/site.h"

void norn_relevant_hb_init(struct norn_relevant_hb *h, const struct norn_trace *trace)
{
	*h = (struct norn_relevant_hb){.trace = trace, .hb = norn_hb_new()};
}

void norn_relevant_hb_done(struct norn_relevant_hb *h)
{
	norn_hb_free(h->hb);
	free(h->last);
	*h = (struct norn_relevant_hb){0};
}

static bool is_atomic(const struct norn_relevant_hb *h, const struct norn_event *e)
{
	if (e->kind == NORN_EVENT_RMW)
		return true;
	if (e->kind != NORN_EVENT_READ && e->kind != NORN_EVENT_WRITE)
		return false;
	struct norn_site_info info;
	norn_trace_site(h->trace, e->site, &info);
	return info.site && info.site->order != NORN_ORDER_NONE;
}

static void note_relevant(struct norn_relevant_hb *h, uint32_t thread)
{
	uint32_t old = h->threads;
	norn_must_grow(&h->last, thread + UINT64_C(1), &h->threads, sizeof *h->last);
	for (uint32_t t = old; t < h->threads; t++)
		h->last[t] = 0;
	h->last[thread] = h->number;
}

int norn_relevant_hb_event(struct norn_relevant_hb *h, const struct norn_event *event, bool relevant)
{
	h->number++;
	/* Edges that code without hooks may have made (X10, X11) are in no clock. */
	bool hidden = event->kind == NORN_EVENT_THREAD && (event->op == NORN_THREAD_CALL || event->op == NORN_THREAD_BACK);
	int r = 0;
	/* Every atomic access counts as acquire and release, as in the engines inside the program. */
	if (!hidden)
		r = is_atomic(h, event) ? norn_hb_atomic(h->hb, event, NORN_ORDER_SEQ_CST, h->number)
		                        : norn_hb_event(h->hb, event, h->number);
	if (r == 0 && relevant)
		note_relevant(h, event->thread);
	return r;
}

uint32_t norn_relevant_hb_count(const struct norn_relevant_hb *h, uint32_t thread)
{
	return thread < h->threads ? h->last[thread] : 0;
}

bool norn_relevant_hb_before(const struct norn_relevant_hb *h, uint32_t other, uint32_t count, uint32_t thread)
{
	return norn_hb_before(h->hb, other, count, thread);
}
