#include "errors/mvc/event_window.h"

#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/must.h"
#include "causality/prefix_state.h"

#define PART 1024u
#define PARTS (NORN_EVENT_WINDOW_EVENTS / PART + 1)
#define BLOCKS 4096u /* of allocated memory that are carried */

/* The fields of an event that a graph needs. */
struct event {
	uint8_t kind, op, pieces;
	bool known : 1, odd : 1;
	uint32_t thread, site, call_site;
	uint64_t addr, size, value, argument;
};

_Static_assert(sizeof(struct event) == 48, "three units of 16 bytes");

struct window_part {
	uint64_t before; /* events of the run before it */
	struct norn_prefix_event *list;
	uint32_t count;
};

struct norn_event_window {
	struct norn_prefix *prefix;
	struct event *ring;
	struct window_part parts[PARTS]; /* a ring, too */
	uint32_t first, part_count;
	uint64_t number;
};

struct norn_event_window *norn_event_window_new(void)
{
	struct norn_event_window *window = norn_must_calloc(1, sizeof *window);
	window->ring = aligned_alloc(64, NORN_EVENT_WINDOW_EVENTS * sizeof *window->ring);
	if (!window->ring)
		norn_out_of_memory();
	window->prefix = norn_prefix_new(BLOCKS);
	return window;
}

void norn_event_window_free(struct norn_event_window *window)
{
	if (!window)
		return;
	for (uint32_t i = 0; i < window->part_count; i++)
		free(window->parts[(window->first + i) % PARTS].list);
	norn_prefix_free(window->prefix);
	free(window->ring);
	free(window);
}

static struct window_part *newest(struct norn_event_window *window)
{
	return &window->parts[(window->first + window->part_count - 1) % PARTS];
}

/* The next event begins a part; parts whose events are gone go, too. */
static void begin_part(struct norn_event_window *window)
{
	while (window->part_count == PARTS ||
	        (window->part_count && window->parts[window->first].before + NORN_EVENT_WINDOW_EVENTS <= window->number)) {
		free(window->parts[window->first].list);
		window->first = (window->first + 1) % PARTS;
		window->part_count--;
	}
	window->part_count++;
	struct window_part *part = newest(window);
	*part = (struct window_part){.before = window->number};
	part->list = norn_prefix_list(window->prefix, &part->count);
}

/* Past the caches: it is hardly ever looked at. */
static void store(struct event *to, const struct event *from)
{
#ifdef __SSE2__
	const __m128i *source = (const __m128i *)(const void *)from;
	for (unsigned i = 0; i < sizeof *from / sizeof *source; i++)
		_mm_stream_si128((__m128i *)(void *)to + i, _mm_loadu_si128(source + i));
#else
	*to = *from;
#endif
}

void norn_event_window_event(struct norn_event_window *window, const struct norn_event *e)
{
	uint64_t since = window->part_count ? window->number - newest(window)->before : UINT64_MAX;
	if (since >= PART && since >= 4ull * norn_prefix_kept(window->prefix))
		begin_part(window);
	const struct event compact = {.kind = e->kind,
	        .op = e->op,
	        .pieces = e->pieces,
	        .known = e->known,
	        .odd = norn_prefix_event(window->prefix, e),
	        .thread = e->thread,
	        .site = e->site,
	        .call_site = e->call_site,
	        .addr = e->addr,
	        .size = e->size,
	        .value = e->value,
	        .argument = e->argument};
	store(&window->ring[window->number++ % NORN_EVENT_WINDOW_EVENTS], &compact);
}

static int fill(const struct norn_event_window *window, const struct window_part *part, struct norn_graph_builder *builder)
{
	int r = norn_prefix_begin(part->list, part->count, part->before, builder);
	for (uint64_t i = part->before; i < window->number && r == 0; i++) {
		const struct event *x = &window->ring[i % NORN_EVENT_WINDOW_EVENTS];
		const struct norn_event e = {.kind = x->kind,
		        .op = x->op,
		        .pieces = x->pieces,
		        .known = x->known,
		        .thread = x->thread,
		        .site = x->site,
		        .call_site = x->call_site,
		        .addr = x->addr,
		        .size = x->size,
		        .value = x->value,
		        .argument = x->argument};
		r = norn_graph_add(builder, &e);
		if (r == 0 && x->odd)
			norn_graph_odd(builder);
	}
	return r;
}

int norn_event_window_slice(const struct norn_event_window *window, uint64_t from, norn_graph_lookup *lookup, void *sites,
        struct norn_graph **ret_graph)
{
	const struct window_part *part = NULL;
	for (uint32_t i = 0; i < window->part_count; i++) {
		const struct window_part *p = &window->parts[(window->first + i) % PARTS];
		if (p->before < from && p->before + NORN_EVENT_WINDOW_EVENTS >= window->number)
			part = p;
	}
	if (!part)
		return 0;
	struct norn_graph_builder *builder = norn_graph_builder_new(lookup, sites, NULL);
	int r = fill(window, part, builder);
	if (r == 0)
		*ret_graph = norn_graph_finish(builder);
	norn_graph_builder_free(builder);
	return r == 0 ? 1 : r;
}
