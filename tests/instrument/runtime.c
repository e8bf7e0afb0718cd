/* A stand-in for the runtime that tests of the pass link with: it performs the accesses, checks what the pass promises (sites of the
 * right kind, balanced frames, rmw pairs) and, if PASS_LOG is set, prints each event with what its site says:
 *
 *   kind name|type size order flags function:line [value]
 *
 * Any promise broken ends the program with status 99. */
#include "runtime/hooks.h"
#include "trace/site_table.c"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__thread uint32_t __norn_call_site;

static struct norn_module *modules[64];
static struct norn_site_table *tables[64]; /* open */
static unsigned module_count;
static uint32_t next_base = NORN_SITE_FIRST;
static int logging = -1;
static __thread uint32_t depth, entries[4096], rmw_site;

#define EXPECT(x, ...) ((x) ? (void)0 : broken(__VA_ARGS__))

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	char line[1024];
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	if (write(2, line, n < (int)sizeof line ? n : (int)sizeof line - 1) < 0)
		_exit(98);
}

static void broken(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
static void broken(const char *format, ...)
{
	char line[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	say("broken: %s\n", line);
	_exit(99);
}

void __norn_module(struct norn_module *module)
{
	const struct norn_site_packed *packed = (const struct norn_site_packed *)module->table;
	EXPECT(packed->head.magic == NORN_SITE_PACKED && packed->head.version == NORN_SITE_VERSION, "bad site table");
	EXPECT(module->base == 0 && module_count < 64, "module registered twice");
	module->base = next_base;
	next_base += module->table->sites;
	modules[module_count] = module;
	tables[module_count] = calloc(norn_site_open_room(packed), 1);
	EXPECT(norn_site_open(packed, tables[module_count]), "damaged site table");
	module_count++;
}

static const struct norn_site_table *table_of(uint32_t site, const struct norn_site **ret_site)
{
	for (unsigned i = 0; i < module_count; i++) {
		const struct norn_site_table *table = tables[i];
		if (site >= modules[i]->base && site < modules[i]->base + table->sites) {
			*ret_site = (const struct norn_site *)(table + 1) + (site - modules[i]->base);
			return table;
		}
	}
	broken("site %u belongs to no module", site);
}

static const char *text(const struct norn_site_table *table, uint32_t offset)
{
	EXPECT(offset < table->strings, "string %u out of bounds", offset);
	return (const char *)((const struct norn_frame *)((const struct norn_site *)(table + 1) + table->sites) + table->frames) +
	       table->facts + offset;
}

static void flag_names(unsigned flags, char *out)
{
	static const char letters[] = "sfpvbim"; /* signed float pointer volatile bitfield indirect member */
	for (unsigned i = 0; i < 7; i++)
		if (flags & 1u << i)
			*out++ = letters[i];
	*out = 0;
}

static void event(const char *what, uint32_t number, uint64_t kinds, uint64_t value, int with_value)
{
	const struct norn_site *site;
	const struct norn_site_table *table = table_of(number, &site);
	EXPECT(kinds >> site->kind & 1, "%s at a site of kind %u", what, site->kind);
	EXPECT(site->entry < table->sites && ((const struct norn_site *)(table + 1))[site->entry].kind == NORN_SITE_ENTER,
	        "bad entry");
	EXPECT(site->inlined_at <= table->frames, "bad frame");
	if (logging < 0)
		logging = getenv("PASS_LOG") != NULL;
	if (!logging)
		return;
	char flags[16], shown[32] = "";
	flag_names(site->flags, flags);
	if (with_value)
		snprintf(shown, sizeof shown, " = %llx", (unsigned long long)value);
	say("%s %s|%s|%s %u o%u.%u %s %s:%u%s%s\n", what, text(table, site->name), text(table, site->field),
	        text(table, site->type), site->size, site->order, site->order_failure, flags[0] ? flags : "-",
	        text(table, site->function), site->line, site->inlined_at ? " inlined" : "", shown);
}

#define KIND(k) (1ull << NORN_SITE_##k)

#define SCALAR(n, type)                                                                                                            \
	type __norn_read##n(const void *addr, uint32_t site)                                                                       \
	{                                                                                                                          \
		type value;                                                                                                        \
		memcpy(&value, addr, sizeof value);                                                                                \
		event("read", site, KIND(READ), value, 1);                                                                         \
		return value;                                                                                                      \
	}                                                                                                                          \
	void __norn_write##n(void *addr, type value, uint32_t site)                                                                \
	{                                                                                                                          \
		event("write", site, KIND(WRITE), value, 1);                                                                       \
		memcpy(addr, &value, sizeof value);                                                                                \
	}
SCALAR(1, uint8_t)
SCALAR(2, uint16_t)
SCALAR(4, uint32_t)
SCALAR(8, uint64_t)

void __norn_readn(void *to, const void *from, size_t bytes, uint32_t site)
{
	event("readn", site, KIND(READ) | KIND(COPY), bytes, 1);
	memcpy(to, from, bytes);
}

void __norn_writen(void *to, const void *from, size_t bytes, uint32_t site)
{
	event("writen", site, KIND(WRITE) | KIND(COPY), bytes, 1);
	memcpy(to, from, bytes);
}

void __norn_touch(const void *from, size_t bytes, uint32_t site)
{
	(void)from;
	event("touch", site, KIND(BYVAL), bytes, 1);
}

void __norn_copy(void *to, const void *from, size_t bytes, uint32_t site)
{
	event("copy", site, KIND(COPY), bytes, 1);
	memmove(to, from, bytes);
}

void __norn_set(void *to, int byte, size_t bytes, uint32_t site)
{
	event("set", site, KIND(SET), bytes, 1);
	memset(to, byte, bytes);
}

void __norn_rmw_begin(void *addr, uint32_t bytes, uint32_t site)
{
	(void)addr, (void)bytes;
	EXPECT(!rmw_site, "rmw within rmw");
	rmw_site = site;
}

void __norn_rmw_end(void *addr, uint32_t bytes, uint32_t site, uint32_t wrote)
{
	(void)addr, (void)bytes;
	EXPECT(rmw_site == site, "rmw end without begin");
	rmw_site = 0;
	event("rmw", site, KIND(RMW) | KIND(CMPXCHG) | KIND(READ) | KIND(WRITE), wrote, 1);
}

void __norn_fence(uint32_t site)
{
	event("fence", site, KIND(FENCE), 0, 0);
}

uint32_t __norn_enter(uint32_t site)
{
	event("enter", site, KIND(ENTER), 0, 0);
	if (__norn_call_site)
		event("  from", __norn_call_site, KIND(CALL), 0, 0);
	EXPECT(depth < 4096, "too deep");
	entries[depth++] = site;
	return depth;
}

void __norn_argument(uint32_t index, uint64_t value)
{
	EXPECT(depth && index < 6, "argument %u", index);
	if (logging > 0)
		say("  argument %u = %llx\n", index, (unsigned long long)value);
}

void __norn_result(uint64_t value)
{
	EXPECT(depth, "result outside of a function");
	if (logging > 0)
		say("  result = %llx\n", (unsigned long long)value);
}

void __norn_leave(uint32_t site)
{
	event("leave", site, KIND(ENTER), 0, 0);
	EXPECT(depth && entries[depth - 1] == site, "left another function than entered");
	depth--;
}

void __norn_unwind(uint32_t to)
{
	if (to == UINT32_MAX) /* setjmp's first return */
		return;
	EXPECT(to && to <= depth, "unwound to %u from %u", to, depth);
	if (to != depth && logging > 0)
		say("unwind %u\n", depth - to);
	depth = to;
}

size_t __norn_passed_memory(const void *at, const void *other, size_t limit, uint32_t extent, uint32_t site)
{
	(void)at, (void)other, (void)extent;
	event("lent", site, KIND(READ), 0, 0);
	return limit;
}

void __norn_filled(void *at, size_t limit, uint32_t extent, uint32_t site)
{
	(void)at, (void)limit, (void)extent;
	event("filled", site, KIND(WRITE), 0, 0);
}

uint32_t __norn_calls(const void *target, uint32_t site)
{
	event("call", site, KIND(CALL), 0, 0);
	EXPECT(site == __norn_call_site, "announced another call than comes next");
	(void)target;
	return 7;
}

void __norn_returned(uint32_t token, uint32_t site)
{
	EXPECT(token == 7, "returned from a call that was not announced");
	const struct norn_site *call;
	table_of(site, &call);
	EXPECT(call->kind == NORN_SITE_CALL, "returned from a site of kind %u", call->kind);
}

uint32_t __norn_calls_with(const void *target, uint32_t site, const char *types, uint64_t *arguments)
{
	EXPECT(strchr("vilfdxp?", types[0]) != NULL, "a call of types %s", types);
	EXPECT(arguments[-3] >= strcspn(types + 1, ":."), "%llu arguments of %s", (unsigned long long)arguments[-3], types);
	arguments[-2] = arguments[-1] = site; /* until the call returns */
	return __norn_calls(target, site);
}

void __norn_returned_with(uint32_t token, uint32_t site, const char *types, uint64_t *arguments, uint64_t result)
{
	EXPECT(types[0] != 'v' || result == 0, "nothing was returned as %llu", (unsigned long long)result);
	EXPECT(arguments[-2] == site && arguments[-1] == site, "another call had the arguments' room");
	__norn_returned(token, site);
}

void __norn_jobs(const void *function, uint64_t limit, uint32_t site)
{
	(void)function, (void)limit;
	EXPECT((site & 0xfffffff) == __norn_call_site, "hands over jobs by another call than comes next");
}

void __norn_changes(uint32_t changed, uint32_t looks, uint32_t site)
{
	event("changes", site, KIND(CALL), 0, 0);
	EXPECT(changed || looks > 1, "changes nothing, and looks at nothing");
	EXPECT(!looks || looks & 1, "looks at something, and does not read");
}

void __norn_object(const void *object, uint32_t use, uint32_t site)
{
	(void)object, (void)use, (void)site;
}

void __norn_looked(uint32_t looked, uint32_t changed, uint32_t site)
{
	event("looked", site, KIND(CALL), 0, 0);
	EXPECT(looked | changed, "looks at nothing");
}

void __norn_named(const void *target)
{
	(void)target;
}

/* Every function that was entered was left: main has returned when destructors run. */
static void __attribute__((destructor)) check_balance(void)
{
	const char *open = getenv("PASS_OPEN"); /* the program ends by exit */
	EXPECT(depth == 0 || open, "%u functions never left", depth);
}
