#include "sliced/memory_contents.h"

#include "base/must.h"
#include "trace/record.h"

void norn_memory_contents_init(struct norn_memory_contents *contents)
{
	*contents = (struct norn_memory_contents){0};
	norn_word_table_init(&contents->words);
}

void norn_memory_contents_done(struct norn_memory_contents *contents)
{
	norn_word_table_done(&contents->words);
	norn_vector_done(&contents->list);
	norn_memory_contents_init(contents);
}

#define ZEROED 512u /* bytes of a block that is known to hold zeros; of more nothing is noted */

static void set(struct norn_memory_contents *contents, uint64_t addr, unsigned size, uint64_t value)
{
	uint32_t *cell = norn_word_table_get(&contents->words, addr);
	if (*cell == 0) {
		norn_must_add(&contents->list);
		*cell = contents->list.count;
	}
	struct norn_content *content = contents->list.items + *cell - 1;
	if (content->age != contents->age)
		*content = (struct norn_content){.age = contents->age};
	unsigned shift = addr % 8 * 8;
	uint64_t mask = (size == 8 ? UINT64_MAX : (UINT64_C(1) << size * 8) - 1) << shift;
	content->bytes = (content->bytes & ~mask) | (value << shift & mask);
	content->known |= (uint8_t)((size == 8 ? 0xffu : (1u << size) - 1) << addr % 8);
}

struct lost {
	struct norn_memory_contents *contents;
	uint64_t addr, end;
};

static void forget(void *context, uint64_t addr, uint32_t *cell)
{
	const struct lost *lost = context;
	struct norn_content *content = lost->contents->list.items + *cell - 1;
	for (unsigned b = 0; b < 8; b++)
		if (addr + b >= lost->addr && addr + b < lost->end)
			content->known &= (uint8_t)~(1u << b);
}

bool norn_memory_contents_unseen(const struct norn_graph_event *e)
{
	return norn_graph_writes_unseen(e) || (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_JOIN);
}

void norn_memory_contents_event(struct norn_memory_contents *contents, const struct norn_graph_event *e)
{
	if (norn_memory_contents_unseen(e)) {
		contents->age++;
		return;
	}
	switch (e->kind) {
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
		if (e->flags & NORN_GRAPH_VALUED && e->addr % 8 + e->size <= 8 && e->size) {
			set(contents, e->addr, e->size, e->value);
			return;
		}
		break;
	case NORN_EVENT_EXTERNAL:
	case NORN_EVENT_ALLOC:
	case NORN_EVENT_FREE:
		break;
	case NORN_EVENT_THREAD:
		if (e->op == NORN_THREAD_STACK)
			break;
		return;
	default:
		return;
	}
	if (e->kind == NORN_EVENT_ALLOC && e->op == NORN_ALLOC_CALLOC && e->size <= ZEROED) {
		for (uint64_t addr = e->addr; addr < e->addr + e->size; addr += 8)
			set(contents, addr, e->addr + e->size - addr < 8 ? (unsigned)(e->addr + e->size - addr) : 8, 0);
		return;
	}
	struct lost lost = {contents, e->addr, e->addr + e->size};
	norn_word_table_visit(&contents->words, e->addr, e->size, forget, &lost);
}

struct norn_content norn_memory_contents_word(struct norn_memory_contents *contents, uint64_t addr)
{
	uint32_t *cell = norn_word_table_get(&contents->words, addr);
	if (*cell == 0 || contents->list.items[*cell - 1].age != contents->age)
		return (struct norn_content){0};
	return contents->list.items[*cell - 1];
}

static bool leaves(const struct norn_graph_event *e, uint64_t addr)
{
	bool writes = e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL ||
	              e->kind == NORN_EVENT_ALLOC || e->kind == NORN_EVENT_FREE ||
	              (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_STACK);
	return writes && addr >= e->addr && addr - e->addr < e->size;
}

/* Does what the schedule leaves in this byte come from the write that the event read? */
static bool byte_as_then(const struct norn_graph *graph, const struct norn_schedule *schedule, uint32_t event, uint64_t addr)
{
	const uint32_t *writers;
	uint32_t count = norn_graph_list(graph, &norn_graph_event(graph, event)->link, &writers), then = 0, now = 0;
	for (uint32_t i = 0; i < count; i++)
		if (writers[i] > then && leaves(norn_graph_event(graph, writers[i]), addr))
			then = writers[i];
	for (uint32_t i = 0; i < schedule->count; i++)
		if (leaves(norn_graph_event(graph, schedule->events[i]), addr))
			now = schedule->events[i];
	return now ? now == then : then <= schedule->base;
}

bool norn_memory_contents_as_then(
        const struct norn_graph *graph, const struct norn_schedule *schedule, uint32_t event, uint64_t bytes)
{
	const struct norn_graph_event *e = norn_graph_event(graph, event);
	for (uint32_t i = 0; i < schedule->count; i++)
		if (norn_memory_contents_unseen(norn_graph_event(graph, schedule->events[i])))
			return false;
	for (uint64_t addr = e->addr; addr < e->addr + bytes; addr++)
		if (!byte_as_then(graph, schedule, event, addr))
			return false;
	return true;
}
