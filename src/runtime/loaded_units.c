/* Modules: translation units that were instrumented, as their constructors announce them. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

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

/* True if the module is still there. Its place may be another object's by now, or that of the same one, loaded again. */
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

/* Open, for readers while the program runs; the caller unmaps *ret_room bytes, or keeps them. NULL: no memory. */
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

struct unit_head {
	struct norn_module_block block;
	char path[NORN_PATH_BYTES];
};

/* The head with the addresses of variables behind the path; without memory for that, without them: then less is known. */
static void write_with_addresses(struct unit_head *head, const struct norn_module *module, const void *table, size_t bytes)
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

/* Of the program itself the linker knows only what it was called by (argv[0]), which need not name a file. path: zeros. */
static void find_path(const Dl_info *object, char *path)
{
	static const char gone[] = " (deleted)";
	const size_t end = sizeof gone - 1;
	Dl_info program;
	long length = 0;
	if (dladdr((const void *)getauxval(AT_PHDR), &program) && program.dli_fbase == object->dli_fbase)
		length = norn_syscall(SYS_readlink, (long)"/proc/self/exe", (long)path, NORN_PATH_BYTES - 1, 0, 0, 0);
	if (length > 0 && ((size_t)length < end || memcmp(path + (size_t)length - end, gone, end) != 0))
		return;
	strncpy(path, object->dli_fname ? object->dli_fname : "", NORN_PATH_BYTES - 1); /* zeros up to the end */
}

static void write_module(const struct norn_module *module, const Dl_info *object)
{
	const struct norn_site_table *table = module->table;
	struct unit_head head = {.block.base = module->base, .block.load = (uintptr_t)object->dli_fbase};
	find_path(object, head.path);
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

/* ---- what is loaded, hooks or not ---- */

#define OBJECT_BYTES (256u << 10)

struct objects {
	char *text;
	size_t used;
	bool first;
};

/* Libraries of the system are known by their names, or by calls of their functions; this one is Norn's. */
static bool is_systems(const char *path)
{
	static const char *const places[] = {"/lib/", "/lib32/", "/lib64/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/"};
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
		if (strncmp(path, places[i], strlen(places[i])) == 0)
			return true;
	return strstr(path, "/libnorn.so") || !strchr(path, '/'); /* the kernel's has no place */
}

static int add_object(struct dl_phdr_info *info, size_t bytes, void *context)
{
	static const char head[] = "object=";
	struct objects *o = context;
	char *to = o->text + o->used, *path = to + sizeof head - 1;
	size_t room = OBJECT_BYTES - o->used;
	const char *name = info->dlpi_name ? info->dlpi_name : "";
	bool program = o->first;
	long length = (long)strlen(name);
	o->first = false;
	if (room < sizeof head + NORN_PATH_BYTES || (!program && (!name[0] || is_systems(name) || length >= NORN_PATH_BYTES)))
		return 0;
	if (program)
		length = norn_syscall(SYS_readlink, (long)"/proc/self/exe", (long)path, NORN_PATH_BYTES - 1, 0, 0, 0);
	else
		memcpy(path, name, (size_t)length);
	if (length <= 0)
		return 0;
	memcpy(to, head, sizeof head - 1);
	path[length] = 0;
	o->used += sizeof head + (size_t)length;
	return 0;
}

/* The beginning of the process: by fork, or with which arguments, where. So that it can be begun again. */
static void add_beginning(struct objects *o, bool forked)
{
	static const char fork_text[] = "forked=1", arguments[] = "own-arguments=", place[] = "own-directory=";
	char *to = o->text + o->used;
	size_t room = OBJECT_BYTES - o->used, most = NORN_PATH_BYTES + sizeof place;
	if (forked && room > sizeof fork_text) {
		memcpy(to, fork_text, sizeof fork_text);
		o->used += sizeof fork_text;
	}
	long fd = forked || room < most + 4096
	                  ? -1
	                  : norn_syscall(SYS_openat, AT_FDCWD, (long)"/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return;
	size_t head = sizeof arguments - 1;
	memcpy(to, arguments, head);
	long bytes = norn_syscall(SYS_read, fd, (long)(to + head), (long)(room - most - head), 0, 0, 0);
	norn_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
	if (bytes <= 0 || to[head + (size_t)bytes - 1] || (size_t)bytes == room - most - head)
		return;
	for (long i = 0; i + 1 < bytes; i++)
		if (to[head + (size_t)i] == 0)
			to[head + (size_t)i] = NORN_ARGUMENT_END;
	o->used += head + (size_t)bytes;
	to = o->text + o->used;
	memcpy(to, place, sizeof place - 1);
	bytes = norn_syscall(SYS_getcwd, (long)(to + sizeof place - 1), NORN_PATH_BYTES, 0, 0, 0, 0);
	if (bytes > 0)
		o->used += sizeof place - 1 + (size_t)bytes;
}

/* As keys of an INFO block: which of them have no hooks is found out when the run is judged. */
static void write_objects(bool forked)
{
	struct objects o = {.text = norn_sys_memory(OBJECT_BYTES), .first = true};
	if (!o.text)
		return;
	dl_iterate_phdr(add_object, &o);
	add_beginning(&o, forked);
	if (o.used)
		norn_write_block(NORN_BLOCK_INFO, o.text, o.used, NULL, 0);
	norn_sys_unmap(o.text, OBJECT_BYTES);
}

__attribute__((constructor(104))) static void write_first(void)
{
	struct norn_slot *self = norn_session ? norn_busy() : NULL;
	if (norn_session)
		write_objects(false);
	norn_idle(self);
}

void norn_modules_write(void)
{
	write_objects(true);
	struct known_module *all = atomic_load(&modules);
	uint32_t count = atomic_load(&module_count);
	for (uint32_t i = 0; all && i < count && i < MODULES; i++) {
		Dl_info object = {0};
		if (still_loaded(&all[i], &object))
			write_module(all[i].module, &object);
	}
}
