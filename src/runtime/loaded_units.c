/* Modules: translation units that were instrumented, as their constructors announce them. */
#include <dlfcn.h>
#include <string.h>

#include "runtime/replay/replay.h"
#include "runtime/hooks.h"
#include "runtime/observe/observe.h"
#include "runtime/self.h"
#include "runtime/sys.h"
#include "runtime/watch/watch.h"
#include "trace/format.h"
#include "trace/site_table.h"

#define MODULES (1u << 18)
struct known_module {
	struct norn_module *module; /* dangles once its object is unloaded */
	uint32_t base;
};
static _Atomic(struct known_module *) modules; /* in order of their constructors */
static _Atomic uint32_t module_count;

static void remember(struct norn_module *module)
{
	struct known_module *all = atomic_load(&modules), *none = NULL;
	if (!all) {
		all = norn_sys_memory(MODULES * sizeof *all);
		if (!atomic_compare_exchange_strong(&modules, &none, all))
			all = none;
	}
	uint32_t i = atomic_fetch_add(&module_count, 1);
	if (all && i < MODULES)
		all[i] = (struct known_module){module, module->base};
}

/* Whether the module is still there. Its place may be another object's by now, or that of the same one, loaded again. */
static bool still_loaded(const struct known_module *known, Dl_info *ret_object)
{
	const struct norn_module *module = known->module;
	if (!module || !dladdr(module, ret_object) || !norn_sys_readable(module, sizeof *module) || module->base != known->base)
		return false;
	const struct norn_site_table *table = module->table;
	Dl_info object;
	return dladdr(table, &object) && object.dli_fbase == ret_object->dli_fbase && norn_sys_readable(table, sizeof *table) &&
	       table->magic == NORN_SITE_PACKED && table->version == NORN_SITE_VERSION;
}

static size_t table_bytes(const struct norn_site_table *table)
{
	return norn_site_packed_bytes(table, SIZE_MAX);
}

/* Open, for those who look into it while the program runs; the caller unmaps *ret_room bytes, or keeps them. NULL: no memory. */
static struct norn_site_table *open_table(const struct norn_site_table *table, size_t *ret_room)
{
	const struct norn_site_packed *packed = (const struct norn_site_packed *)table;
	*ret_room = norn_site_open_room(packed);
	void *open = norn_sys_memory(*ret_room);
	if (open && !norn_site_open(packed, open)) {
		norn_sys_unmap(open, *ret_room);
		return NULL;
	}
	return open;
}

struct head {
	struct norn_module_block block;
	char path[NORN_PATH_BYTES];
};

/* The head with the addresses of variables behind the path; without memory for that, without them: then less is known. */
static void write_with_addresses(struct head *head, const struct norn_module *module, const void *table, size_t bytes)
{
	size_t first = sizeof head->block + head->block.path_bytes, more = module->variables * sizeof *module->addresses;
	char *whole = more ? norn_sys_memory(first + more) : NULL;
	if (!whole) {
		norn_write_block(NORN_BLOCK_MODULE, head, first, table, bytes);
		return;
	}
	head->block.variables = module->variables;
	memcpy(whole, head, first);
	memcpy(whole + first, module->addresses, more);
	norn_write_block(NORN_BLOCK_MODULE, whole, first + more, table, bytes);
	norn_sys_unmap(whole, first + more);
}

static void write_module(const struct norn_module *module, const Dl_info *object)
{
	const struct norn_site_table *table = module->table;
	struct head head = {.block.base = module->base, .block.load = (uintptr_t)object->dli_fbase};
	strncpy(head.path, object->dli_fname ? object->dli_fname : "", sizeof head.path - 1);
	head.block.path_bytes = (strlen(head.path) + 8) & ~7ul;
	size_t bytes = table_bytes(table), room;
	write_with_addresses(&head, module, table, bytes);
	struct norn_site_table *open = norn_watching ? open_table(table, &room) : NULL;
	if (open)
		norn_watch_module(module->base, head.block.load, head.path, open);
	if (norn_observing)
		norn_observe_module(module->base, head.block.load, head.path, table, bytes);
}

void __norn_module(struct norn_module *module)
{
	norn_session_attach();
	struct norn_session *session = norn_session;
	const struct norn_site_table *table = module->table;
	if (!session || !table || (table->magic != NORN_SITE_MAGIC && table->magic != NORN_SITE_PACKED))
		return;
	if (table->magic != NORN_SITE_PACKED || table->version != NORN_SITE_VERSION) {
		norn_session_outdate();
		return;
	}
	uint32_t base = atomic_fetch_add(&session->sites, (table->sites + 7u) & ~7u);
	if (base < NORN_SITE_FIRST || base + table->sites >= 1u << NORN_SITE_BITS)
		return; /* out of numbers: its sites stay unknown */
	module->base = base;
	remember(module);
	Dl_info object = {0};
	dladdr(module, &object);
	/* Busy: a signal handler that flushes would wait for a lock that this thread holds. */
	struct norn_slot *self = norn_busy();
	write_module(module, &object);
	norn_idle(self);
	size_t room;
	struct norn_site_table *open = norn_replaying ? open_table(table, &room) : NULL;
	if (open) {
		norn_replay_module(base, open, norn_site_open_bytes(open));
		norn_sys_unmap(open, room);
	}
}

void norn_modules_write(void)
{
	struct known_module *all = atomic_load(&modules);
	uint32_t count = atomic_load(&module_count);
	for (uint32_t i = 0; all && i < count && i < MODULES; i++) {
		Dl_info object = {0};
		if (still_loaded(&all[i], &object))
			write_module(all[i].module, &object);
	}
}
