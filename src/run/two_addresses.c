#include "run/two_addresses.h"

#include "base/must.h"
#include "trace/record.h"

/* Buffers that streams were lent count as shared, too, and are no mappings: those begin with a page. */
static bool is_mapping(const struct norn_event *e)
{
	return e->addr % 4096 == 0 && e->kind == NORN_EVENT_ALLOC && e->op >= NORN_ALLOC_MAP && e->op != NORN_ALLOC_PROTECT;
}

/* Notes the mapping; older ones at these addresses are gone. */
static void map(struct norn_two_addresses *two, const struct norn_event *e)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < two->shared.count; i++) {
		const struct norn_shared_range *range = &two->shared.items[i];
		if (range->addr < e->addr || range->end > e->addr + e->size)
			two->shared.items[kept++] = *range;
	}
	two->shared.count = kept;
	if (e->op == NORN_ALLOC_SHARED || e->op == NORN_ALLOC_ALIAS)
		norn_must_push(&two->shared, (struct norn_shared_range){e->addr, e->addr + e->size});
	two->any |= e->op == NORN_ALLOC_ALIAS;
}

static bool is_use(const struct norn_event *e)
{
	return e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW ||
	       e->kind == NORN_EVENT_EXTERNAL || e->kind == NORN_EVENT_SYNC;
}

bool norn_two_addresses_step(struct norn_two_addresses *two, const struct norn_event *e)
{
	if (is_mapping(e))
		map(two, e);
	for (uint32_t i = 0; i < two->shared.count && is_use(e); i++) {
		const struct norn_shared_range *range = &two->shared.items[i];
		if (e->addr >= range->end || e->addr + (e->size ? e->size : 1) <= range->addr)
			continue;
		if (!two->mapping) {
			two->mapping = range->addr;
			two->thread = e->thread;
		}
		two->many_mappings |= range->addr != two->mapping;
		two->many_threads |= e->thread != two->thread;
		if (two->any && two->many_mappings && two->many_threads)
			return false;
	}
	return true;
}

void norn_two_addresses_done(struct norn_two_addresses *two)
{
	norn_vector_done(&two->shared);
	*two = (struct norn_two_addresses){.any = false};
}
