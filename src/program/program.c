#include "program/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/function_name.h"
#include "base/must.h"
#include "base/text/nearest_word.h"
#include "program/debug_file.h"
#include "program/debug_info.h"
#include "program/name_index.h"
#include "program/symbol_table.h"
#include "program/types.h"

#define NAME_MAX_BYTES 512
#define MEMBER_DEPTH 32 /* anonymous structs within each other */
#define MEMBER_STEPS 4096

/* ---- making one ---- */

struct norn_program *norn_program_new(void)
{
	struct norn_program *program = norn_must_calloc(1, sizeof *program);
	norn_map_init(&program->types, sizeof(struct norn_type *));
	return program;
}

static void free_object(struct norn_object *object)
{
	norn_sites_done(&object->sites);
	dwarf_end(object->dwarf);
	if (object->has_debug)
		norn_elf_done(&object->debug);
	norn_elf_done(&object->elf);
	for (int i = 0; i < 2; i++)
		norn_map_done(&object->by_address[i]);
	norn_table_done(&object->declared);
	norn_vector_done(&object->declarations);
	norn_map_done(&object->gone);
	free(object->path);
	free(object);
}

void norn_program_free(struct norn_program *program)
{
	if (!program)
		return;
	for (uint32_t i = 0; i < program->objects.count; i++)
		free_object(program->objects.items[i]);
	norn_vector_done(&program->objects);
	for (int i = 0; i < 2; i++) {
		norn_table_done(&program->names[i].names);
		norn_vector_done(&program->names[i].newest);
	}
	norn_vector_done(&program->tags);
	norn_table_done(&program->tag_names);
	norn_vector_done(&program->newest_tag);
	norn_map_done(&program->types);
	norn_table_done(&program->enumerator_names);
	norn_vector_done(&program->enumerators);
	norn_table_done(&program->sets);
	norn_arena_done(&program->arena);
	free(program);
}

/* Names that the pass left word of. */
static void add_sets(struct norn_object *object)
{
	const char *name;
	uint32_t table = 0, site = 0;
	while ((name = norn_sites_set(&object->sites, &table, &site, &object->sets)))
		norn_program_add_set(object->program, name);
}

static void index_object(struct norn_object *object)
{
	size_t bytes = 0;
	norn_elf_guard_debug(&object->elf);
	object->dwarf = norn_elf_dwarf(&object->elf);
	object->has_debug = !object->dwarf && norn_debug_file_open(&object->elf, object->path, &object->debug);
	if (object->has_debug) {
		norn_elf_guard_debug(&object->debug);
		object->dwarf = norn_elf_dwarf(&object->debug);
	}
	const void *section = norn_elf_section(&object->elf, "norn_sites", &bytes);
	norn_sites_init(&object->sites, section, bytes);
	add_sets(object);
	norn_debug_index(object);
	norn_symtab_index(object);
}

static struct norn_object *new_object(struct norn_program *program, const char *path)
{
	struct norn_object *object = norn_must_calloc(1, sizeof *object);
	object->path = norn_must_text(path);
	object->program = program;
	object->number = program->objects.count;
	for (int i = 0; i < 2; i++)
		norn_map_init(&object->by_address[i], sizeof(struct norn_entry *));
	norn_map_init(&object->gone, 1);
	return object;
}

int norn_program_add(struct norn_program *program, const char *path, uint64_t bias, struct norn_error *err)
{
	struct norn_elf elf;
	int r = norn_elf_open(path, &elf, err);
	if (r < 0)
		return r;
	struct norn_object *object = new_object(program, path);
	object->elf = elf;
	object->bias = bias;
	norn_must_push(&program->objects, object);
	index_object(object);
	return 0;
}

uint32_t norn_program_modules(const struct norn_program *program)
{
	return program->objects.count;
}

const char *norn_program_path(const struct norn_program *program, uint32_t module)
{
	return module < program->objects.count ? program->objects.items[module]->path : NULL;
}

uint64_t norn_program_bias(const struct norn_program *program, uint32_t module)
{
	return module < program->objects.count ? program->objects.items[module]->bias : 0;
}

void norn_program_set_load(struct norn_program *program, uint32_t module, uint64_t load)
{
	if (module < program->objects.count)
		program->objects.items[module]->bias = load ? load - norn_elf_base(&program->objects.items[module]->elf) : 0;
}

bool norn_program_has_types(const struct norn_program *program, uint32_t module)
{
	return module < program->objects.count && program->objects.items[module]->has_types;
}

bool norn_program_matches_sites(const struct norn_program *program, uint32_t module, const void *table, size_t bytes)
{
	return module < program->objects.count && norn_sites_match(&program->objects.items[module]->sites, table, bytes);
}

const struct norn_site_table *norn_program_unit(const struct norn_program *program, uint32_t module, uint32_t unit)
{
	const struct norn_sites *sites = module < program->objects.count ? &program->objects.items[module]->sites : NULL;
	return sites && unit < sites->tables.count ? sites->tables.items[unit] : NULL;
}

/* ---- names that norn_set gives values to ---- */

int norn_program_enumerator(const struct norn_program *program, const char *name, int64_t *ret_value)
{
	uint32_t number = norn_table_find(&program->enumerator_names, name, strlen(name));
	if (number == NORN_TABLE_NONE)
		return -ENOENT;
	const struct norn_enumerator *found = &program->enumerators.items[number];
	if (found->several)
		return -EEXIST;
	*ret_value = found->value;
	return 0;
}

bool norn_program_sets(const struct norn_program *program, uint32_t module, bool *ret_unnamed)
{
	*ret_unnamed = program->objects.items[module]->sets.unnamed;
	return program->objects.items[module]->sets.any;
}

void norn_program_add_set(struct norn_program *program, const char *name)
{
	norn_must_table_put(&program->sets, name, strlen(name), NULL);
}

bool norn_program_has_set(const struct norn_program *program, const char *name)
{
	return norn_table_find(&program->sets, name, strlen(name)) != NORN_TABLE_NONE;
}

/* ---- symbols ---- */

/* True if a path is, or ends in the parts of, another. */
static bool file_matches(const char *path, const char *end)
{
	while (strncmp(end, "./", 2) == 0)
		end += 2;
	size_t length = strlen(path), tail = strlen(end);
	if (tail == 0 || tail > length || strcmp(path + length - tail, end) != 0)
		return false;
	return tail == length || path[length - tail - 1] == '/' || *end == '/';
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The same for scopes: "ns::cls" ends in "cls". */
static bool scope_matches(const char *scope, const char *end)
{
	size_t length = strlen(scope), tail = strlen(end);
	if (tail == 0 || tail > length || strcmp(scope + length - tail, end) != 0)
		return false;
	return tail == length || (length - tail >= 2 && strncmp(scope + length - tail - 2, "::", 2) == 0);
}

/* The site of that name; of several files, the symbol's own. If the symbol's file is unknown, there must be but one. */
static const struct norn_named_site *site_named(
        const struct norn_object *object, const struct norn_entry *entry, bool is_function, const char *name)
{
	const struct norn_symbol *symbol = &entry->symbol;
	const char *unit = norn_debug_unit(entry);
	const struct norn_named_site *only = NULL, *site;
	for (uint32_t cursor = 0; (site = norn_sites_find(&object->sites, is_function, name, &cursor));) {
		if (site->site->flags & NORN_SITE_MEMBER)
			continue;
		if (!symbol->is_static || !*site->file || strcmp(last_part(site->file), last_part(symbol->file)) == 0 ||
		        strcmp(last_part(site->file), last_part(unit)) == 0)
			return site;
		if (*symbol->file || (only && strcmp(only->file, site->file) != 0))
			return NULL;
		only = site;
	}
	return only;
}

/* The site for a symbol, by the names that it may have there. suffix: "" or "[]". */
static const struct norn_named_site *site_of(
        const struct norn_object *object, const struct norn_entry *entry, bool is_function, const char *suffix)
{
	static const char *const joints[] = {"::", "."}; /* with debugging information, and without */
	const struct norn_symbol *symbol = &entry->symbol;
	for (int i = 0; i < 2; i++) {
		char name[NAME_MAX_BYTES];
		const char *joint = *symbol->function ? joints[i] : "";
		if (snprintf(name, sizeof name, "%s%s%s%s", symbol->function, joint, symbol->name, suffix) >= (int)sizeof name)
			return NULL;
		const struct norn_named_site *site = site_named(object, entry, is_function, name);
		if (site)
			return site;
	}
	return NULL;
}

static const struct norn_type *type_by_sites(struct norn_object *object, const struct norn_entry *entry)
{
	static const char *const elements[] = {"[]", "[0]"};
	const struct norn_symbol *symbol = &entry->symbol;
	const struct norn_named_site *site = site_of(object, entry, false, "");
	if (site && site->site->size && (!symbol->size || site->site->size == symbol->size))
		return norn_type_of_site(object->program, site, symbol->size);
	for (int i = 0; i < 2; i++) {
		site = site_of(object, entry, false, elements[i]);
		if (site && symbol->size)
			return norn_type_of_element(object->program, site, symbol->size);
	}
	return norn_type_of_size(object->program, symbol->size);
}

static const struct norn_type *type_of(struct norn_object *object, const struct norn_entry *entry)
{
	Dwarf_Die die = norn_die_get(entry->die);
	if (entry->symbol.is_function)
		return entry->die.address ? norn_type_of_function(object->program, &die) : &norn_type_unknown_function;
	const struct norn_type *type = entry->die.address ? norn_type_of(object->program, &die) : &norn_type_unknown;
	return type->kind == NORN_TYPE_UNKNOWN && !type->size ? type_by_sites(object, entry) : type;
}

static bool is_record(const struct norn_type *type)
{
	return type->kind == NORN_TYPE_STRUCT || type->kind == NORN_TYPE_UNION;
}

/* True if a variable of the type may be larger than the type. */
static bool is_flexible(const struct norn_type *type)
{
	const struct norn_type *last = is_record(type) && type->member_count ? type->members[type->member_count - 1].type : NULL;
	return last && last->kind == NORN_TYPE_ARRAY && !last->size;
}

static void resolve(struct norn_entry *entry, struct norn_object *object)
{
	if (entry->resolved)
		return;
	entry->resolved = true;
	struct norn_symbol *symbol = &entry->symbol;
	if (entry->die.address)
		norn_debug_describe(object->program, entry);
	symbol->type = type_of(object, entry);
	if (!symbol->is_function && symbol->type->size && (!symbol->size || !is_flexible(symbol->type)))
		symbol->size = symbol->type->size; /* the symbol table counts red zones of sanitizers, too */
	const struct norn_named_site *enter =
	        symbol->is_function && !symbol->optimised_out ? site_of(object, entry, true, "") : NULL;
	symbol->instrumented |= enter != NULL;
	if (enter && !*symbol->file)
		symbol->file = enter->file;
}

static bool is_in_file(const struct norn_entry *entry, const char *file)
{
	return file_matches(entry->symbol.file, file) || file_matches(norn_debug_unit(entry), file);
}

/* True if a file has something of that name that stands outside of functions: a property that names the file means that. */
static bool has_outer(const struct norn_program *program, const struct norn_entry *entry, const char *file)
{
	struct norn_entry *e = norn_index_first(program, entry->symbol.is_function, entry->symbol.name);
	for (; e; e = e->next) {
		resolve(e, program->objects.items[e->symbol.module]);
		if (!*e->symbol.function && is_in_file(e, file))
			return true;
	}
	return false;
}

static bool selected(const struct norn_program *program, const struct norn_entry *entry, const char *file, const char *function)
{
	if (file && !is_in_file(entry, file))
		return false;
	if (function)
		return scope_matches(entry->symbol.function, function);
	return !file || !*entry->symbol.function || !has_outer(program, entry, file);
}

/* True if an entry without a place has a namesake that has one. */
static bool is_superseded(const struct norn_program *program, const struct norn_entry *entry)
{
	const struct norn_entry *e =
	        entry->symbol.optimised_out ? norn_index_first(program, entry->symbol.is_function, entry->symbol.name) : NULL;
	for (; e; e = e->next) {
		if (e->symbol.optimised_out || e->symbol.module != entry->symbol.module)
			continue;
		resolve((struct norn_entry *)e, program->objects.items[e->symbol.module]);
		if (!e->symbol.is_static && !entry->symbol.is_static)
			return true;
		if (strcmp(e->symbol.file, entry->symbol.file) == 0 && strcmp(e->symbol.function, entry->symbol.function) == 0)
			return true;
	}
	return false;
}

/* A cursor is the number of entries of that name that were looked at. */
const struct norn_symbol *norn_program_symbol(const struct norn_program *program, bool is_function, const char *name,
        const char *file, const char *function, size_t *cursor)
{
	struct norn_entry *entry = norn_index_first(program, is_function, name);
	for (size_t i = 0; entry && i < *cursor; i++)
		entry = entry->next;
	for (; entry; entry = entry->next) {
		++*cursor;
		resolve(entry, program->objects.items[entry->symbol.module]);
		if (selected(program, entry, file, function) && !is_superseded(program, entry))
			return &entry->symbol;
	}
	return NULL;
}

static bool is_named(const struct norn_symbol *symbol, const char *name)
{
	char whole[NAME_MAX_BYTES];
	const char *joint = *symbol->function ? "::" : "";
	int bytes = snprintf(whole, sizeof whole, "%s%s%s", symbol->function, joint, symbol->name);
	return bytes < (int)sizeof whole && norn_function_is_named(whole, name);
}

/* A cursor is the number of a name << 32 | the number of its entries that were looked at. */
const struct norn_symbol *norn_program_function(const struct norn_program *program, const char *name, size_t *cursor)
{
	const struct norn_table *names = &program->names[true].names;
	size_t bytes, entries = *cursor & UINT32_MAX;
	const char *last = norn_function_last_part(name, &bytes);
	const struct norn_symbol *symbol;
	for (uint32_t i = *cursor >> 32; i < names->count; i++, entries = 0) {
		const char *own = norn_table_key(names, i);
		if (!norn_function_is_named(own, last))
			continue;
		while ((symbol = norn_program_symbol(program, true, own, NULL, NULL, &entries)))
			if (is_named(symbol, name)) {
				*cursor = (size_t)i << 32 | entries;
				return symbol;
			}
	}
	*cursor = (size_t)names->count << 32;
	return NULL;
}

/* ---- types ---- */

/* The tag as debugging information spells it: without what is around it; of templates, spaces do not count. */
static const char *tag_spelling(const struct norn_program *program, const char *name)
{
	size_t bytes;
	name = norn_function_last_part(name, &bytes);
	for (uint32_t i = 0; strchr(name, '<') && i < program->tag_names.count; i++)
		if (norn_function_is_named(norn_table_key(&program->tag_names, i), name))
			return norn_table_key(&program->tag_names, i);
	return name;
}

const struct norn_type *norn_program_tag(const struct norn_program *program, bool is_union, const char *name)
{
	name = tag_spelling(program, name);
	enum norn_type_kind kind = is_union ? NORN_TYPE_UNION : NORN_TYPE_STRUCT;
	for (int alias = 0; alias < 2; alias++) {
		for (const struct norn_type_tag *tag = norn_index_tag(program, name); tag;
		        tag = norn_index_next_tag(program, tag)) {
			Dwarf_Die die = norn_die_get(tag->die);
			if (tag->is_union != is_union || tag->is_alias != alias)
				continue;
			const struct norn_type *type = norn_type_at(program->objects.items[tag->object]->program, &die);
			if (type->kind == kind)
				return type;
		}
	}
	return NULL;
}

/* In a damaged file a struct may contain itself twice: steps bounds the search. *type_of becomes the innermost type with a name
 * that has the member: of C++, a base class. */
static const struct norn_member *find_member(
        const struct norn_type **type_of, const char *name, uint64_t *offset, unsigned *steps, int depth)
{
	const struct norn_type *type = *type_of;
	for (uint32_t i = 0; i < type->member_count; i++) {
		const struct norn_member *member = &type->members[i];
		if (strcmp(member->name, name) == 0 && *name) {
			*offset += member->offset;
			return member;
		}
	}
	for (uint32_t i = 0; i < type->member_count && depth < MEMBER_DEPTH; i++) {
		const struct norn_member *member = &type->members[i];
		uint64_t inner = *offset + member->offset;
		if (*member->name || !is_record(member->type) || *steps == 0)
			continue;
		--*steps;
		const struct norn_type *within = member->type;
		const struct norn_member *found = find_member(&within, name, &inner, steps, depth + 1);
		if (found) {
			*offset = inner;
			*type_of = within->name && *within->name ? within : type;
			return found;
		}
	}
	return NULL;
}

const struct norn_member *norn_type_member(const struct norn_type *type, const char *name, uint64_t *ret_offset)
{
	uint64_t offset = 0;
	unsigned steps = MEMBER_STEPS;
	const struct norn_member *member = is_record(type) ? find_member(&type, name, &offset, &steps, 0) : NULL;
	if (member && ret_offset)
		*ret_offset = offset;
	return member;
}

const struct norn_type *norn_type_member_owner(const struct norn_type *type, const char *name)
{
	uint64_t offset = 0;
	unsigned steps = MEMBER_STEPS;
	return is_record(type) && find_member(&type, name, &offset, &steps, 0) ? type : NULL;
}

/* ---- names that were meant ---- */

static const char *name_at(const void *names, unsigned i)
{
	return norn_table_key(names, i);
}

const char *norn_program_nearest(const struct norn_program *program, bool is_function, const char *name)
{
	const struct norn_table *names = &program->names[is_function].names;
	size_t bytes;
	if (!is_function)
		return norn_nearest(name, names->count, name_at, names);
	const char *last = norn_function_last_part(name, &bytes);
	char *plain = norn_must_text_n(last, bytes);
	const char *nearest = norn_nearest(plain, names->count, name_at, names);
	free(plain);
	return nearest;
}

const char *norn_program_nearest_tag(const struct norn_program *program, const char *tag)
{
	return norn_nearest(tag, program->tag_names.count, name_at, &program->tag_names);
}

/* The names of fields, those of anonymous members included. */
struct fields {
	const char **names;
	unsigned count, steps;
};

static void collect_fields(const struct norn_type *type, struct fields *fields, int depth)
{
	for (uint32_t i = 0; i < type->member_count && fields->count < MEMBER_STEPS; i++) {
		const struct norn_member *member = &type->members[i];
		if (*member->name) {
			fields->names[fields->count++] = member->name;
		} else if (is_record(member->type) && depth < MEMBER_DEPTH && fields->steps) {
			fields->steps--;
			collect_fields(member->type, fields, depth + 1);
		}
	}
}

static const char *field_name(const void *names, unsigned i)
{
	return ((const char *const *)names)[i];
}

const char *norn_type_nearest_member(const struct norn_type *type, const char *name)
{
	const char *names[MEMBER_STEPS];
	struct fields fields = {.names = names, .steps = MEMBER_STEPS};
	if (is_record(type))
		collect_fields(type, &fields, 0);
	return norn_nearest(name, fields.count, field_name, names);
}
