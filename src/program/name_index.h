/* The inside of a program: its objects (ELF files), and every name in them.
 *
 * Names are indexed when an object is added; what a name stands for (its type, file, function) is found out when someone asks
 * for it the first time, since a program has far more of them than a property names. That is why the public functions take a
 * const program and still are not for several threads at once. Entries are made in the program's arena and never move.
 * Names point into the objects, which live as long as the program. */
#ifndef NORN_PROGRAM_NAME_INDEX_H
#define NORN_PROGRAM_NAME_INDEX_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "program/elf_file.h"
#include "program/program.h"
#include "program/site_names.h"

/* A debugging information entry, without what libdw can find again. */
struct norn_die {
	void *address; /* NULL: none */
	Dwarf_CU *unit;
};

struct norn_entry {
	struct norn_symbol symbol; /* file, function, type and instrumented: once it is resolved */
	struct norn_die die;
	struct norn_die owner; /* the function that a static stands in */
	uint32_t next; /* 1 + index of the next whose name has the same hash */
	bool resolved;
};

/* The name of a struct, of a union, or of a type that is one. */
struct norn_type_tag {
	const char *name;
	uint64_t scope; /* of C++: hash of the names around it; 0: none */
	struct norn_die die;
	uint32_t object;
	bool is_union, is_alias;
	uint32_t next; /* as above */
};

struct norn_enumerator {
	const char *name;
	int64_t value;
	bool several; /* of that name, with different values */
};

struct norn_name_set {
	struct norn_entry **entries;
	uint32_t count, room;
	struct norn_map by_name; /* hash of a name: 1 + index */
};

struct norn_object {
	struct norn_program *program;
	uint32_t number;
	char *path;
	uint64_t bias;
	struct norn_elf elf;
	Dwarf *dwarf; /* NULL: no debugging information */
	bool has_types; /* its debugging information has some */
	struct norn_sites sites;
	struct norn_set_calls sets;
	struct norn_map by_address[2]; /* of variables, of functions: struct norn_entry *, the first there */
	struct norn_map declared; /* hash of a variable's name: struct norn_die of a declaration */
	struct norn_map gone; /* hash of a name and its line: seen without a place */
};

struct norn_program {
	struct norn_arena arena;
	struct norn_object **objects;
	uint32_t object_count;
	struct norn_name_set names[2]; /* of variables, of functions */
	struct norn_type_tag *tags;
	uint32_t tag_count, tag_room;
	struct norn_map tag_by_name; /* hash of a name: 1 + index */
	struct norn_map types; /* address of a DIE: struct norn_type * */
	struct norn_map enumerators; /* hash of a name: struct norn_enumerator */
	const char **sets;
	uint32_t set_count;
};

uint64_t norn_name_hash(const char *name);
uint64_t norn_name_hash_more(uint64_t hash, const char *name); /* a name within what hash stands for */

/* Adds a copy of the entry; *ret_entry (which may be NULL) is it. */
int norn_index_add(struct norn_object *object, const struct norn_entry *entry, struct norn_entry **ret_entry);
/* The first entry of that name, and the one after an entry; NULL past the last. */
struct norn_entry *norn_index_first(const struct norn_program *program, bool is_function, const char *name);
struct norn_entry *norn_index_next(const struct norn_program *program, const struct norn_entry *entry);
/* The entry that was added first for an address; TLS offsets are no addresses. */
struct norn_entry *norn_index_at(const struct norn_object *object, bool is_function, uint64_t address);

/* Adds a tag unless there is one like it in that scope. */
int norn_index_add_tag(struct norn_object *object, const struct norn_type_tag *tag);
const struct norn_type_tag *norn_index_tag(const struct norn_program *program, const char *name);
const struct norn_type_tag *norn_index_next_tag(const struct norn_program *program, const struct norn_type_tag *tag);

static inline struct norn_die norn_die_keep(const Dwarf_Die *die)
{
	return (struct norn_die){die->addr, die->cu};
}

static inline Dwarf_Die norn_die_get(struct norn_die die)
{
	return (Dwarf_Die){.addr = die.address, .cu = die.unit};
}

#endif
