#include "causality/relevant_happens_before.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "trace/record.h"
#include "trace/site.h"

int norn_relevant_hb_init(struct norn_relevant_hb *h, const struct norn_trace *trace)
{
	*h = (struct norn_relevant_hb){.trace = trace};
	return norn_hb_new(&h->hb);
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

static int note_relevant(struct norn_relevant_hb *h, uint32_t thread)
{
	uint32_t old = h->threads;
	int r = norn_grow(&h->last, thread + UINT64_C(1), &h->threads, sizeof *h->last);
	for (uint32_t t = old; r == 0 && t < h->threads; t++)
		h->last[t] = 0;
	if (r == 0)
		h->last[thread] = h->number;
	return r;
}

int norn_relevant_hb_event(struct norn_relevant_hb *h, const struct norn_event *event, bool relevant)
{
	h->number++;
	/* What code without hooks may have passed on (X10, X11) no thread knows of. */
	if (event->kind == NORN_EVENT_THREAD && (event->op == NORN_THREAD_CALL || event->op == NORN_THREAD_BACK))
		return relevant ? note_relevant(h, event->thread) : 0;
	int r = is_atomic(h, event) ? norn_hb_atomic(h->hb, event, h->number) : norn_hb_event(h->hb, event, h->number);
	return r == 0 && relevant ? note_relevant(h, event->thread) : r;
}

uint32_t norn_relevant_hb_count(const struct norn_relevant_hb *h, uint32_t thread)
{
	return thread < h->threads ? h->last[thread] : 0;
}

bool norn_relevant_hb_before(const struct norn_relevant_hb *h, uint32_t other, uint32_t count, uint32_t thread)
{
	return norn_hb_before(h->hb, other, count, thread);
}
