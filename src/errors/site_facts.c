#include "errors/site_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/must.h"
#include "effects/effects.h"
#include "errors/builtin_driver.h"

void norn_builtin_driver_sites_init(
        struct norn_builtin_driver_sites *sites, const struct norn_run *run, const struct norn_builtin_driver_options *options)
{
	const struct norn_trace *trace = norn_run_recorded(run);
	const char *source = trace ? norn_trace_info(trace, "source") : "rapid";
	*sites = (struct norn_builtin_driver_sites){
	        .trace = trace, .text = norn_run_text(run), .options = options, .imported = source && strcmp(source, "rapid") == 0};
	norn_map_init(&sites->places, sizeof(uint32_t));
	norn_map_init(&sites->found, sizeof(uint32_t));
	norn_unseen_init(&sites->unseen);
}

void norn_builtin_driver_sites_done(struct norn_builtin_driver_sites *sites)
{
	norn_map_done(&sites->places);
	norn_map_done(&sites->found);
	norn_unseen_done(&sites->unseen);
}

static uint32_t place_at(struct norn_builtin_driver_sites *s, uint64_t key)
{
	uint32_t *place = norn_must_map_put(&s->places, key);
	if (*place == 0)
		*place = (uint32_t)s->places.count;
	return *place;
}

/* One number for all sites of a code position; 0 if it is not known: then each site is a position of its own. */
static uint32_t place_of(struct norn_builtin_driver_sites *s, const struct norn_site_info *info)
{
	const uint32_t position[] = {info->line, info->column};
	uint64_t h = norn_fnv(NORN_FNV_BEGIN, position, sizeof position);
	h = norn_fnv(h, info->file, strlen(info->file) + 1);
	h = norn_fnv(h, info->function, strlen(info->function) + 1);
	return info->line ? place_at(s, h) : 0;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Does this function wait for a lock or a thread, however long that takes? A wait for a condition gets its mutex back, whatever the
 * time. */
static bool waits(const char *name)
{
	const struct norn_effects *e = norn_effects_find(name, NULL);
	return e && (e->waits & (NORN_EFFECTS_WAITS_LOCK | NORN_EFFECTS_WAITS_THREAD) || strcmp(name, "read") == 0) &&
	       (!(e->waits & NORN_EFFECTS_WAITS_TIME) || strstr(name, "cond_") || strstr(name, "cnd_"));
}

/* May another process have an end of a pipe because of this call, or data pass unseen, or a read not wait any more? A call through
 * a pointer may be any of these. */
static bool spreads(const struct norn_site_info *info)
{
	static const char *const names[] = {"fork", "_Fork", "vfork", "clone", "daemon", "forkpty", "system", "popen",
	        "posix_spawn", "posix_spawnp", "wordexp", "sendmsg", "sendmmsg", "syscall", "dup2", "dup3", "__dup2", "fdopen",
	        "close_range", "closefrom", "fcntl", "fcntl64", "__fcntl", "ioctl", "splice", "tee", "vmsplice", "sendfile",
	        "sendfile64", "copy_file_range", "__pipe", "__read", "__write"};
	return info->site->flags & NORN_SITE_INDIRECT || is_one_of(info->name, names, sizeof names / sizeof *names);
}

static bool is_timed(const char *name)
{
	const struct norn_effects *e = norn_effects_find(name, NULL);
	return (e && e->waits & NORN_EFFECTS_WAITS_TIME) || strstr(name, "timed") || strstr(name, "clock");
}

/* May this call cause a handler to run: of a signal or a timer? */
static bool interrupts(const char *name)
{
	static const char *const names[] = {"sigaction", "signal", "bsd_signal", "sysv_signal", "__sysv_signal", "ssignal",
	        "sigset", "sigvec", "timer_create", "mq_notify", "getaddrinfo_a", "aio_read", "aio_write", "lio_listio"};
	return is_one_of(name, names, sizeof names / sizeof *names);
}

/* The last model that has an entry for it. A call of a function of Norn's own table that was recorded does more than its
 * entry says. */
static uint8_t call_of(const struct norn_builtin_driver_options *o, const char *name)
{
	static const uint8_t calls[] = {[NORN_EFFECTS_CALL_OPAQUE] = NORN_CALL_OPAQUE,
	        [NORN_EFFECTS_CALL_ORDERED] = NORN_CALL_ORDERED,
	        [NORN_EFFECTS_CALL_HARMLESS] = NORN_CALL_HARMLESS};
	for (uint32_t i = o->model_count; i > 0; i--) {
		const struct norn_effects *e = norn_effects_model_find(o->models[i - 1], name);
		if (e)
			return calls[norn_effects_model_call(e)];
	}
	return NORN_CALL_OPAQUE;
}

/* In a text, places are lines. Each location's text is kept once, so its address identifies it. */
static uint32_t place_of_text(struct norn_builtin_driver_sites *s, const char *location)
{
	return norn_rapid_text_is_line(location) && strtoul(location, NULL, 10) ? place_at(s, (uintptr_t)location) : 0;
}

static void look_up_text(struct norn_builtin_driver_sites *s, uint32_t number, struct norn_graph_site *ret_site)
{
	static const uint8_t kinds[NORN_RAPID_OPS] = {[NORN_RAPID_READ] = NORN_SITE_READ, [NORN_RAPID_WRITE] = NORN_SITE_WRITE};
	struct norn_rapid_site site;
	if (number < NORN_SITE_FIRST || number - NORN_SITE_FIRST >= norn_rapid_text_sites(s->text))
		return;
	norn_rapid_text_site(s->text, number, &site);
	*ret_site = (struct norn_graph_site){
	        .kind = kinds[site.op] ? kinds[site.op] : NORN_SITE_CALL, .waits = true, .place = place_of_text(s, site.location)};
}

/* Programs that record no fences may have ordered by them: their orders count as the strongest. */
static uint8_t order_of(const struct norn_site_info *info, uint8_t order)
{
	return order && info->table->version < NORN_SITE_VERSION_FENCES ? NORN_ORDER_SEQ_CST : order;
}

/* std::atomic of a shared_ptr has a lock of its own, which libstdc++ 12 gives back by a relaxed access after a load: by C11 a race,
 * but none of the program's. */
static bool is_library(const struct norn_site_info *info)
{
	static const char name[] = "std::_Sp_atomic<";
	const char *function = info->function, *file;
	unsigned line;
	uint32_t frame = info->site->inlined_at;
	do
		if (strncmp(function, name, sizeof name - 1) == 0)
			return true;
	while (norn_trace_frame(info, &frame, &function, &file, &line));
	return false;
}

void norn_builtin_driver_sites_look_up(void *context, uint32_t number, struct norn_graph_site *ret_site)
{
	struct norn_builtin_driver_sites *s = context;
	struct norn_site_info info;
	*ret_site = (struct norn_graph_site){0};
	if (s->text) {
		look_up_text(s, number, ret_site);
		return;
	}
	norn_trace_site(s->trace, number, &info);
	if (!info.site)
		return;
	const struct norn_site_table *t = info.table;
	const struct norn_site *first = (const struct norn_site *)(t + 1);
	const uint8_t *facts = (const uint8_t *)(first + t->sites) + t->frames * sizeof(struct norn_frame);
	uint32_t base = number - (uint32_t)(info.site - first);
	*ret_site = (struct norn_graph_site){.kind = info.site->kind,
	        .order = order_of(&info, info.site->order),
	        .order_failure = info.site->kind == NORN_SITE_CMPXCHG ? order_of(&info, info.site->order_failure) : NORN_ORDER_NONE,
	        .indirect = info.site->flags & NORN_SITE_INDIRECT,
	        .own = info.site->flags & NORN_SITE_ERRNO,
	        .library = is_library(&info),
	        .waits = s->imported || waits(info.name),
	        .timed = !s->imported && is_timed(info.name),
	        .interrupts = info.site->kind == NORN_SITE_CALL && interrupts(info.name),
	        .spreads = info.site->kind == NORN_SITE_CALL && spreads(&info),
	        .call = info.site->kind == NORN_SITE_CALL ? call_of(s->options, info.name) : NORN_CALL_OPAQUE,
	        .entry = base + info.site->entry,
	        .base = base,
	        .place = place_of(s, &info),
	        .name = info.name,
	        .linker = info.site->kind == NORN_SITE_ENTER || info.site->kind == NORN_SITE_CALL ? info.site->size : 0};
	ret_site->variables = norn_trace_variables(s->trace, number, &ret_site->variable_count);
	if (info.site->facts && info.site->facts < t->facts)
		ret_site->facts = (struct norn_facts){facts + info.site->facts, facts + t->facts};
}
