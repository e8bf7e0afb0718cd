/* Facts of a trace's sites: checked once, when the trace is opened. See facts.h and trace_state.h. */
#include "trace/trace_state.h"

#include <stdlib.h>

#include "base/must.h"
#include "trace/facts.h"

static const uint8_t *area_of(const struct norn_site_table *t)
{
	const struct norn_site *sites = (const struct norn_site *)(t + 1);
	return (const uint8_t *)((const struct norn_frame *)(sites + t->sites) + t->frames);
}

static bool item_valid(const struct norn_site_table *t, uint32_t item)
{
	switch (item & 3) {
	case NORN_SOURCE_LATEST:
	case NORN_SOURCE_ALL:
		return item >> 2 < t->sites;
	case NORN_SOURCE_ANYTHING:
		return item >> 2 == 0;
	default:
		return true;
	}
}

/* The site that fails, and the sources, of one assertion after another. */
static bool assertions_valid(const struct norn_site_table *t, struct norn_facts facts, uint32_t count)
{
	while (count) {
		uint32_t head[2], item, sources, length;
		if (count < 3 || !norn_facts_number(&facts, &head[0]) || !norn_facts_number(&facts, &head[1]))
			return false;
		sources = head[1] >> 1 & 7;
		if (head[0] >= t->sites || sources > NORN_ASSERT_SOURCES || count < 3 + sources)
			return false;
		for (uint32_t i = 0; i < sources; i++)
			if (!norn_facts_number(&facts, &item) || !item_valid(t, item))
				return false;
		if (!norn_facts_number(&facts, &length) || length > count - 3 - sources)
			return false;
		for (uint32_t i = 0; i < length; i++)
			if (!norn_facts_number(&facts, &item))
				return false;
		count -= 3 + sources + length;
	}
	return true;
}

/* The number of an argument, and its expression. */
static bool argument_valid(const struct norn_site_table *t, struct norn_facts facts, uint32_t count)
{
	uint32_t number, sources, item, length;
	if (count < 3 || !norn_facts_number(&facts, &number) || !norn_facts_number(&facts, &sources))
		return false;
	if (sources > NORN_ASSERT_SOURCES || count < 3 + sources)
		return false;
	for (uint32_t i = 0; i < sources; i++)
		if (!norn_facts_number(&facts, &item) || !item_valid(t, item))
			return false;
	return norn_facts_number(&facts, &length) && length == count - 3 - sources;
}

static bool entries_valid(const struct norn_site_table *t, struct norn_facts facts)
{
	const uint8_t *at = facts.p;
	uint32_t kind, count, item;
	while (norn_facts_next(&facts, &kind, &count)) {
		bool sources = kind == NORN_FACT_VALUE || kind == NORN_FACT_ARGUMENT || kind == NORN_FACT_RESULT ||
		               kind == NORN_FACT_CONTROL || kind == NORN_FACT_ADDRESS || kind == NORN_FACT_PASSES;
		bool argument = kind == NORN_FACT_ARGUMENT || kind == NORN_FACT_PASSES;
		bool chain = kind == NORN_FACT_YIELDS || kind == NORN_FACT_MAKES;
		if ((chain && count == 0) || (kind == NORN_FACT_ASSERTS && !assertions_valid(t, facts, count)))
			return false;
		if (kind == NORN_FACT_GIVES && !argument_valid(t, facts, count))
			return false;
		if (kind == NORN_FACT_SKIPS && count != 1)
			return false;
		if ((argument && count == 0) || (kind == NORN_FACT_MASKS && count % 4))
			return false;
		for (uint32_t i = 0; i < count; i++)
			if (!norn_facts_number(&facts, &item) || (sources && (!argument || i) && !item_valid(t, item)) ||
			        (chain && i == 0 && !item_valid(t, item)) ||
			        (kind == NORN_FACT_MASKS && i % 4 == 3 && item >= t->sites))
				return false;
	}
	return facts.p > at && facts.p[-1] == NORN_FACT_END;
}

bool norn_facts_check(const struct norn_site_table *t)
{
	const struct norn_site *sites = (const struct norn_site *)(t + 1);
	const uint8_t *area = area_of(t);
	uint8_t *done = norn_must_calloc(t->facts + (size_t)1, 1); /* many sites share entries */
	bool result = true;
	for (uint32_t i = 0; i < t->sites && result; i++) {
		uint32_t at = sites[i].facts;
		if (at && !done[at])
			result = entries_valid(t, (struct norn_facts){area + at, area + t->facts});
		done[at] = 1;
	}
	free(done);
	return result;
}

bool norn_trace_facts(const struct norn_trace *trace, uint32_t site, struct norn_facts *ret_facts)
{
	struct norn_site_info info;
	norn_trace_site(trace, site, &info);
	if (!info.site || !info.site->facts)
		return false;
	const uint8_t *area = area_of(info.table);
	*ret_facts = (struct norn_facts){area + info.site->facts, area + info.table->facts};
	return true;
}
