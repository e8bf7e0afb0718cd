#include "causality/sync_happens_before.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "causality/clock_rules.h"

int norn_sync_hb_init(struct norn_sync_hb *h, const struct norn_trace *trace)
{
	*h = (struct norn_sync_hb){.trace = trace};
	return norn_mvc_new(NORN_CAUSALITY_MVC, &h->mvc);
}

void norn_sync_hb_done(struct norn_sync_hb *h)
{
	norn_mvc_free(h->mvc);
	free(h->columns);
	*h = (struct norn_sync_hb){0};
}

/* Does it order threads? */
static bool orders(const struct norn_sync_hb *h, const struct norn_event *e)
{
	struct norn_site_info info;
	switch (e->kind) {
	case NORN_EVENT_RMW:
	case NORN_EVENT_SYNC:
	case NORN_EVENT_THREAD:
	case NORN_EVENT_LOST:
		return true;
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
		norn_trace_site(h->trace, e->site, &info);
		return info.site && (info.site->order != NORN_ORDER_NONE || info.site->flags & NORN_SITE_VOLATILE);
	default:
		return false;
	}
}

static int follow_columns(struct norn_sync_hb *h)
{
	for (; h->known < norn_mvc_columns(h->mvc); h->known++) {
		uint32_t thread = norn_mvc_column_thread(h->mvc, h->known);
		if (thread >= h->threads) {
			uint32_t threads = thread < 32 ? 64 : thread * 2;
			uint32_t *columns = realloc(h->columns, threads * sizeof *columns);
			if (!columns)
				return -ENOMEM;
			memset(columns + h->threads, 0, (threads - h->threads) * sizeof *columns);
			h->columns = columns;
			h->threads = threads;
		}
		h->columns[thread] = h->known + 1;
	}
	return 0;
}

int norn_sync_hb_event(struct norn_sync_hb *h, const struct norn_event *event, bool relevant)
{
	int r = 0;
	if (orders(h, event))
		r = norn_mvc_follow(h->mvc, event, relevant);
	else if (relevant)
		r = norn_mvc_step(h->mvc, event->thread, NORN_MVC_INTERNAL, 0, 0, true);
	return r == 0 && relevant ? follow_columns(h) : r;
}

static uint32_t entry(const struct norn_sync_hb *h, uint32_t of, uint32_t in)
{
	uint32_t width, column = of < h->threads ? h->columns[of] : 0;
	if (!column)
		return 0;
	const uint32_t *clock = norn_mvc_clock(h->mvc, in, &width);
	return column - 1 < width ? clock[column - 1] : 0;
}

uint32_t norn_sync_hb_count(const struct norn_sync_hb *h, uint32_t thread)
{
	return entry(h, thread, thread);
}

bool norn_sync_hb_before(const struct norn_sync_hb *h, uint32_t other, uint32_t count, uint32_t thread)
{
	return entry(h, other, thread) >= count;
}
