#include "synthetic.h"

#include "trace/record.h"

enum { LOCKS = 64, OWN_WORDS = 1 << 14, SHARED_WORDS = 1 << 14, LOCKED_WORDS = 32, SITES = 400 };

static uint32_t draw(struct generator *g, uint32_t below)
{
	g->seed ^= g->seed << 13;
	g->seed ^= g->seed >> 7;
	g->seed ^= g->seed << 17;
	return (uint32_t)((g->seed >> 32) * below >> 32);
}

static struct norn_event access(struct generator *g, uint64_t addr, bool write, uint32_t site)
{
	return (struct norn_event){
	        .kind = write ? NORN_EVENT_WRITE : NORN_EVENT_READ,
	        .thread = g->thread,
	        .site = site,
	        .addr = addr,
	        .size = 8,
	        .known = true,
	        .value = ++g->value,
	};
}

static struct norn_event sync_lock(struct generator *g, enum norn_sync_op op, uint32_t site)
{
	return (struct norn_event){.kind = NORN_EVENT_SYNC,
	        .op = (uint8_t)op,
	        .thread = g->thread,
	        .site = site,
	        .addr = UINT64_C(0x500000) + g->lock * 0x1000};
}

/* Threads are forked by main, one after the other, before anything else. */
static struct norn_event start(struct generator *g)
{
	struct norn_event e = {.kind = NORN_EVENT_THREAD, .op = NORN_THREAD_FORK, .value = g->next, .site = 1};
	if (g->begins) {
		e.op = NORN_THREAD_BEGIN;
		e.thread = g->next++;
	}
	g->begins = !g->begins;
	return e;
}

static struct norn_event in_region(struct generator *g)
{
	g->held--;
	if (g->held == 0 && !g->forgot)
		return sync_lock(g, NORN_SYNC_RELEASE, 3);
	uint32_t word = draw(g, LOCKED_WORDS);
	return access(
	        g, UINT64_C(0x500000) + g->lock * 0x1000 + 64 + word * 8, draw(g, 2), 10 + g->lock * 4 + (g->forgot ? 300 : 0));
}

struct norn_event next_event(struct generator *g)
{
	if (g->next < g->threads)
		return start(g);
	if (g->turn == 0 && g->held == 0) {
		g->thread = draw(g, g->threads);
		g->turn = 1 + draw(g, 63);
	}
	g->turn -= g->turn > 0;
	if (g->held)
		return in_region(g);
	uint32_t what = draw(g, 100);
	if (what < 66)
		return access(g, UINT64_C(0x10000000) * (1 + g->thread) + draw(g, OWN_WORDS) * 8, draw(g, 3) == 0, 5);
	if (what < 95)
		return access(g, UINT64_C(0x400000) + draw(g, SHARED_WORDS) * 8, false, 6);
	g->lock = draw(g, LOCKS);
	g->held = 3 + draw(g, 4);
	g->forgot = draw(g, 1000) == 0;
	return g->forgot ? in_region(g) : sync_lock(g, NORN_SYNC_ACQUIRE, 2);
}
