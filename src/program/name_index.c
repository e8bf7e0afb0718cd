#include "program/name_index.h"

#include <string.h>

#include "base/must.h"
#include "program/types.h"

/* ---- symbols ---- */

static void add_address(struct norn_object *object, struct norn_entry *entry)
{
	const struct norn_symbol *symbol = &entry->symbol;
	if (symbol->is_thread_local || symbol->optimised_out || !symbol->address)
		return;
	struct norn_entry **first = norn_must_map_put(&object->by_address[symbol->is_function], symbol->address);
	if (!*first)
		*first = entry;
}

void norn_index_add(struct norn_object *object, const struct norn_entry *entry)
{
	struct norn_name_set *set = &object->program->names[entry->symbol.is_function];
	struct norn_entry *copy = norn_must_arena_copy(&object->program->arena, entry, 1, sizeof *entry);
	bool is_new;
	uint32_t number = norn_must_table_put(&set->names, entry->symbol.name, strlen(entry->symbol.name), &is_new);
	if (is_new)
		norn_must_add(&set->newest);
	copy->symbol.module = object->number;
	copy->symbol.type = &norn_type_unknown;
	copy->symbol.file = entry->symbol.file ? entry->symbol.file : "";
	copy->symbol.function = entry->symbol.function ? entry->symbol.function : "";
	copy->next = set->newest.items[number];
	set->newest.items[number] = copy;
	add_address(object, copy);
}

struct norn_entry *norn_index_first(const struct norn_program *program, bool is_function, const char *name)
{
	const struct norn_name_set *set = &program->names[is_function];
	uint32_t number = norn_table_find(&set->names, name, strlen(name));
	return number == NORN_TABLE_NONE ? NULL : set->newest.items[number];
}

struct norn_entry *norn_index_at(const struct norn_object *object, bool is_function, uint64_t address)
{
	struct norn_entry **entry = norn_map_get(&object->by_address[is_function], address);
	return entry ? *entry : NULL;
}

/* ---- tags ---- */

const struct norn_type_tag *norn_index_tag(const struct norn_program *program, const char *name)
{
	uint32_t number = norn_table_find(&program->tag_names, name, strlen(name));
	return number == NORN_TABLE_NONE ? NULL : &program->tags.items[program->newest_tag.items[number] - 1];
}

const struct norn_type_tag *norn_index_next_tag(const struct norn_program *program, const struct norn_type_tag *tag)
{
	return tag->next ? &program->tags.items[tag->next - 1] : NULL;
}

void norn_index_add_tag(struct norn_object *object, const struct norn_type_tag *tag)
{
	struct norn_program *program = object->program;
	for (const struct norn_type_tag *t = norn_index_tag(program, tag->name); t; t = norn_index_next_tag(program, t))
		if (t->scope == tag->scope && t->is_union == tag->is_union && t->is_alias == tag->is_alias)
			return;
	bool is_new;
	uint32_t number = norn_must_table_put(&program->tag_names, tag->name, strlen(tag->name), &is_new);
	if (is_new)
		norn_must_push(&program->newest_tag, 0);
	norn_must_push(&program->tags, *tag);
	struct norn_type_tag *copy = &program->tags.items[program->tags.count - 1];
	copy->object = object->number;
	copy->next = program->newest_tag.items[number];
	program->newest_tag.items[number] = program->tags.count;
}
