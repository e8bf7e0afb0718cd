/* norn dump --facts: what the pass found out about the flow of values, one line per site. */
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/dump.h"
#include "jobs/say.h"
#include "jobs/show.h"
#include "trace/facts.h"

static const char *kind_name(unsigned kind)
{
	static const char *const names[NORN_SITE_KINDS] = {
	        [NORN_SITE_ENTER] = "function",
	        [NORN_SITE_CALL] = "call",
	        [NORN_SITE_READ] = "read",
	        [NORN_SITE_WRITE] = "write",
	        [NORN_SITE_RMW] = "rmw",
	        [NORN_SITE_CMPXCHG] = "cmpxchg",
	        [NORN_SITE_COPY] = "copy",
	        [NORN_SITE_SET] = "set",
	        [NORN_SITE_BYVAL] = "byval",
	        [NORN_SITE_FENCE] = "fence",
	};
	return kind < NORN_SITE_KINDS && names[kind] ? names[kind] : "?";
}

static void show_site(const struct norn_site_info *info)
{
	norn_show_position(stdout, info);
	printf(" %s", kind_name(info->site->kind));
	if (*info->name)
		printf(" %s", info->name);
}

static void show_source(const struct norn_trace *trace, uint32_t base, uint32_t item)
{
	struct norn_site_info info;
	switch (item & 3) {
	case NORN_SOURCE_PARAMETER:
		if (item >> 2 == NORN_SOURCE_PRIVATE)
			fputs("private memory", stdout);
		else
			printf("parameter %u", item >> 2);
		break;
	case NORN_SOURCE_ANYTHING:
		fputs("anything", stdout);
		break;
	default:
		norn_trace_site(trace, base + (item >> 2), &info);
		printf("%s%s", (item & 3) == NORN_SOURCE_ALL ? "every " : "", kind_name(info.site->kind));
		if (*info.name)
			printf(" %s", info.name);
		printf(" at %u", info.line);
	}
}

static void show_masks(const struct norn_trace *trace, uint32_t base, struct norn_facts *facts, uint32_t count)
{
	uint32_t item[4];
	fputs(count ? "masks " : "masks nothing", stdout);
	for (uint32_t i = 0; i < count; i += 4) {
		for (unsigned k = 0; k < 4; k++)
			norn_facts_number(facts, &item[k]);
		struct norn_site_info info;
		norn_trace_site(trace, base + item[3], &info);
		printf("%s%s", i ? ", " : "", *info.name ? info.name : "?");
	}
}

static void skip_items(struct norn_facts *facts, uint32_t count)
{
	uint32_t item;
	while (count && norn_facts_number(facts, &item))
		count--;
}

static void show_entry(const struct norn_trace *trace, uint32_t base, struct norn_facts *facts, uint32_t kind, uint32_t count)
{
	uint32_t item;
	switch (kind) {
	case NORN_FACT_DECIDES:
		fputs(count ? "decides: parameter" : "decides", stdout);
		for (; count && norn_facts_number(facts, &item); count--)
			printf(" %u", item);
		return;
	case NORN_FACT_TESTS:
	case NORN_FACT_YIELDS:
	case NORN_FACT_MAKES:
		fputs(kind == NORN_FACT_TESTS ? "tested" : kind == NORN_FACT_YIELDS ? "yields a read" : "made of a read", stdout);
		skip_items(facts, count);
		return;
	case NORN_FACT_LINES:
		fputs("branches at", stdout);
		for (; count && norn_facts_number(facts, &item); count--)
			printf(" %+d", item ? (int)((item - 1) >> 1 ^ (0 - ((item - 1) & 1))) : 0);
		return;
	case NORN_FACT_OWN:
		fputs("set by what decides", stdout);
		skip_items(facts, count);
		return;
	case NORN_FACT_WAITS:
		norn_facts_number(facts, &item);
		printf("after %u more", item);
		skip_items(facts, count - 1);
		return;
	case NORN_FACT_LATER:
		fputs("after assertions", stdout);
		skip_items(facts, count);
		return;
	case NORN_FACT_LOOSE:
	case NORN_FACT_ASSERTS:
	case NORN_FACT_BRANCHES:
		fputs(kind == NORN_FACT_LOOSE ? "loosely" : kind == NORN_FACT_ASSERTS ? "asserts" : "branches", stdout);
		skip_items(facts, count);
		return;
	case NORN_FACT_GIVES:
		norn_facts_number(facts, &item);
		printf("gives argument %u", item);
		skip_items(facts, count - 1);
		return;
	case NORN_FACT_NUMBER:
		fputs(count ? "number: parameter" : "number", stdout);
		for (; count && norn_facts_number(facts, &item); count--)
			printf(" %u", item);
		return;
	case NORN_FACT_POINTER:
		fputs("as a pointer", stdout);
		skip_items(facts, count);
		return;
	case NORN_FACT_DOUBTS:
		fputs(count ? "not evaluated: parameter" : "not evaluated", stdout);
		for (; count && norn_facts_number(facts, &item); count--)
			printf(" %u", item);
		return;
	case NORN_FACT_ADDRESS:
		fputs("address from ", stdout);
		break;
	case NORN_FACT_ARGUMENT:
	case NORN_FACT_PASSES:
		norn_facts_number(facts, &item);
		printf(kind == NORN_FACT_ARGUMENT ? "argument %u from " : "argument %u is ", item);
		count--;
		break;
	case NORN_FACT_VALUE:
	case NORN_FACT_RESULT:
		printf("%s from ", kind == NORN_FACT_VALUE ? "value" : "result");
		break;
	case NORN_FACT_PLACE:
		fputs("place from ", stdout);
		break;
	case NORN_FACT_CONTROL:
		fputs("controlled by ", stdout);
		break;
	case NORN_FACT_FRAME:
		fputs("of this frame", stdout);
		skip_items(facts, count);
		return;
	case NORN_FACT_SKIPS:
		norn_facts_number(facts, &item);
		printf("nothing if %u", item);
		skip_items(facts, count - 1);
		return;
	case NORN_FACT_FORGETS:
		fputs("forgets", stdout);
		skip_items(facts, count);
		return;
	case NORN_FACT_MASKS:
		show_masks(trace, base, facts, count);
		return;
	default: /* its items may be anything */
		printf("fact of kind %u", kind);
		skip_items(facts, count);
		return;
	}
	for (uint32_t i = 0; i < count && norn_facts_number(facts, &item); i++) {
		if (i)
			fputs(", ", stdout);
		show_source(trace, base, item);
	}
}

static void show_facts(const struct norn_trace *trace, uint32_t base, uint32_t site)
{
	struct norn_site_info info;
	struct norn_facts facts;
	uint32_t kind, count;
	norn_trace_site(trace, site, &info);
	show_site(&info);
	if (!norn_trace_facts(trace, site, &facts)) {
		puts(": no facts");
		return;
	}
	for (bool first = true; norn_facts_next(&facts, &kind, &count); first = false) {
		fputs(first ? ": " : "; ", stdout);
		show_entry(trace, base, &facts, kind, count);
	}
	putchar('\n');
}

int norn_dump_facts(const struct norn_trace *trace)
{
	uint32_t base;
	const char *path;
	const struct norn_site_table *table;
	for (unsigned i = 0; norn_trace_module(trace, i, &base, &path, &table); i++)
		for (uint32_t site = 0; site < table->sites && !ferror(stdout); site++)
			show_facts(trace, base, base + site);
	return NORN_EXIT_OK;
}
