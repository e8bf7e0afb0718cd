/* The inside of a program: its objects (ELF files), and every name in them.
 *
 * Names are indexed when an object is added; what a name stands for (its type, file, function) is found out when it is asked
 * for the first time, since a program has far more of them than a property names. That is why the public functions take a
 * const program and still are not for several threads at once. Entries are made in the program's arena and never move.
 * Names point into the objects, which live as long as the program. */
#ifndef NORN_PROGRAM_NAME_INDEX_H
#define NORN_PROGRAM_NAME_INDEX_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/table.h"
#include "base/vector.h"
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
	struct norn_entry *next; /* of the same name, added before this one */
	bool resolved;
};

/* The name of a struct, of a union, or of a type that is one. */
struct norn_type_tag {
	const char *name;
	uint64_t scope; /* of C++: hash of the names around it; 0: none */
	struct norn_die die;
	uint32_t object;
	bool is_union, is_alias;
	uint32_t next; /* 1 + index of the one of the same name that was added before this one */
};

struct norn_enumerator {
	int64_t value;
	bool several; /* of that name, with different values */
};

struct norn_name_set {
	struct norn_table names;
	NORN_VECTOR(struct norn_entry *) newest; /* by number of a name */
};

struct norn_object {
	struct norn_program *program;
	uint32_t number;
	char *path;
	uint64_t bias;
	struct norn_elf elf;
	struct norn_elf debug; /* the file of its debugging information, if that is apart */
	bool has_debug;
	Dwarf *dwarf; /* NULL: no debugging information */
	bool has_types; /* its debugging information has some */
	struct norn_sites sites;
	struct norn_set_calls sets;
	struct norn_map by_address[2]; /* of variables, of functions: struct norn_entry *, the first there */
	struct norn_table declared; /* names of variables that are declared, and */
	NORN_VECTOR(struct norn_die) declarations; /* by number of a name: the first of them */
	struct norn_map gone; /* hash of a name and its line: seen without a place */
};

struct norn_program {
	struct norn_arena arena;
	NORN_VECTOR(struct norn_object *) objects;
	struct norn_name_set names[2]; /* of variables, of functions */
	NORN_VECTOR(struct norn_type_tag) tags;
	struct norn_table tag_names;
	struct norn_numbers newest_tag; /* by number of a name: 1 + index */
	struct norn_map types; /* address of a DIE: struct norn_type * */
	struct norn_table enumerator_names;
	NORN_VECTOR(struct norn_enumerator) enumerators; /* by number of a name */
	struct norn_table sets; /* names that norn_set gives values to */
};

/* Adds a copy of the entry. */
void norn_index_add(struct norn_object *object, const struct norn_entry *entry);
/* The first entry of that name, which leads to the others; NULL: none. */
struct norn_entry *norn_index_first(const struct norn_program *program, bool is_function, const char *name);
/* The entry that was added first for an address; TLS offsets are no addresses. */
struct norn_entry *norn_index_at(const struct norn_object *object, bool is_function, uint64_t address);

/* Adds a tag unless there is one like it in that scope. */
void norn_index_add_tag(struct norn_object *object, const struct norn_type_tag *tag);
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
