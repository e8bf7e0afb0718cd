#include "program/name_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "program/types.h"

uint64_t norn_name_hash_more(uint64_t hash, const char *name)
{
	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
	return (hash ^ hash >> 29) * 0x9e3779b97f4a7c15u;
}

uint64_t norn_name_hash(const char *name)
{
	return norn_name_hash_more(0xcbf29ce484222325u, name);
}

/* ---- symbols ---- */

static int make_room(struct norn_name_set *names)
{
	if (names->count < names->room)
		return 0;
	uint32_t room = names->room * 2 + 1024;
	void *moved = realloc(names->entries, room * sizeof *names->entries);
	if (!moved)
		return -ENOMEM;
	names->entries = moved;
	names->room = room;
	return 0;
}

static int add_address(struct norn_object *object, struct norn_entry *entry)
{
	const struct norn_symbol *symbol = &entry->symbol;
	if (symbol->is_thread_local || symbol->optimised_out || !symbol->address)
		return 0;
	void *value;
	int r = norn_map_put(&object->by_address[symbol->is_function], symbol->address, &value);
	if (r == 0 && !*(struct norn_entry **)value)
		*(struct norn_entry **)value = entry;
	return r;
}

int norn_index_add(struct norn_object *object, const struct norn_entry *entry, struct norn_entry **ret_entry)
{
	struct norn_name_set *names = &object->program->names[entry->symbol.is_function];
	void *first;
	struct norn_entry *copy = norn_arena_alloc(&object->program->arena, sizeof *copy);
	if (!copy || make_room(names) < 0 || norn_map_put(&names->by_name, norn_name_hash(entry->symbol.name), &first) < 0)
		return -ENOMEM;
	*copy = *entry;
	copy->symbol.module = object->number;
	copy->symbol.type = &norn_type_unknown;
	copy->symbol.file = entry->symbol.file ? entry->symbol.file : "";
	copy->symbol.function = entry->symbol.function ? entry->symbol.function : "";
	copy->next = *(uint32_t *)first;
	names->entries[names->count++] = copy;
	*(uint32_t *)first = names->count;
	if (ret_entry)
		*ret_entry = copy;
	return add_address(object, copy);
}

/* The entry with that number, or the first after it in its chain, that has the name. */
static struct norn_entry *named(const struct norn_name_set *names, uint32_t number, const char *name)
{
	while (number && strcmp(names->entries[number - 1]->symbol.name, name) != 0)
		number = names->entries[number - 1]->next;
	return number ? names->entries[number - 1] : NULL;
}

struct norn_entry *norn_index_first(const struct norn_program *program, bool is_function, const char *name)
{
	const struct norn_name_set *names = &program->names[is_function];
	const uint32_t *first = norn_map_get(&names->by_name, norn_name_hash(name));
	return first ? named(names, *first, name) : NULL;
}

struct norn_entry *norn_index_next(const struct norn_program *program, const struct norn_entry *entry)
{
	return named(&program->names[entry->symbol.is_function], entry->next, entry->symbol.name);
}

struct norn_entry *norn_index_at(const struct norn_object *object, bool is_function, uint64_t address)
{
	struct norn_entry **entry = norn_map_get(&object->by_address[is_function], address);
	return entry ? *entry : NULL;
}

/* ---- tags ---- */

static const struct norn_type_tag *tag_named(const struct norn_program *program, uint32_t number, const char *name)
{
	while (number && strcmp(program->tags[number - 1].name, name) != 0)
		number = program->tags[number - 1].next;
	return number ? &program->tags[number - 1] : NULL;
}

const struct norn_type_tag *norn_index_tag(const struct norn_program *program, const char *name)
{
	const uint32_t *first = norn_map_get(&program->tag_by_name, norn_name_hash(name));
	return first ? tag_named(program, *first, name) : NULL;
}

const struct norn_type_tag *norn_index_next_tag(const struct norn_program *program, const struct norn_type_tag *tag)
{
	return tag_named(program, tag->next, tag->name);
}

int norn_index_add_tag(struct norn_object *object, const struct norn_type_tag *tag)
{
	struct norn_program *program = object->program;
	for (const struct norn_type_tag *t = norn_index_tag(program, tag->name); t; t = norn_index_next_tag(program, t))
		if (t->scope == tag->scope && t->is_union == tag->is_union && t->is_alias == tag->is_alias)
			return 0;
	if (program->tag_count == program->tag_room) {
		uint32_t room = program->tag_room * 2 + 256;
		void *moved = realloc(program->tags, room * sizeof *program->tags);
		if (!moved)
			return -ENOMEM;
		program->tags = moved;
		program->tag_room = room;
	}
	void *first;
	int r = norn_map_put(&program->tag_by_name, norn_name_hash(tag->name), &first);
	if (r < 0)
		return r;
	struct norn_type_tag *copy = &program->tags[program->tag_count++];
	*copy = *tag;
	copy->object = object->number;
	copy->next = *(uint32_t *)first;
	*(uint32_t *)first = program->tag_count;
	return 0;
}
