/* The names that a property can use: variables, functions and types of a program.
 *
 * Made of the program's ELF files: DWARF (libdw) where there is some, else the symbol table and the site tables that the pass left
 * in the section norn_sites. Addresses are link-time ones; the bias of a module, known from a trace, comes on top. The program owns
 * everything that it hands out; pointers hold until it is freed. */
#ifndef NORN_PROGRAM_PROGRAM_H
#define NORN_PROGRAM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum norn_type_kind {
	NORN_TYPE_UNKNOWN, /* size may be known */
	NORN_TYPE_VOID,
	NORN_TYPE_BOOL,
	NORN_TYPE_SIGNED, /* enums and chars, too */
	NORN_TYPE_UNSIGNED,
	NORN_TYPE_FLOAT,
	NORN_TYPE_POINTER,
	NORN_TYPE_STRUCT,
	NORN_TYPE_UNION,
	NORN_TYPE_ARRAY,
	NORN_TYPE_FUNCTION
};

/* Typedefs and qualifiers are looked through; name keeps what the program calls it. */
struct norn_type {
	enum norn_type_kind kind;
	const char *name; /* "unsigned int", "struct acct"; tag only for STRUCT, UNION */
	uint64_t size; /* bytes, 0 if unknown */
	const struct norn_type *target; /* POINTER, ARRAY: of what; FUNCTION: result, NULL if void or unknown */
	uint64_t count; /* ARRAY: elements, 0 if unknown */
	const struct norn_member *members; /* STRUCT, UNION: fields; FUNCTION: parameters */
	uint32_t member_count;
	bool variadic; /* FUNCTION: may take further arguments, or nothing is known of its parameters */
};

struct norn_member {
	const char *name; /* "" for an anonymous struct or union: its members are found through it */
	const struct norn_type *type;
	uint64_t offset; /* bytes; of a bit-field: of its storage word as declared */
	/* bit_size 0: no bit-field; bit_offset from the least significant bit at offset. In packed structs a bit-field may reach
	 * beyond its word, and its word beyond the struct: it lies in the bytes offset … offset + (bit_offset + bit_size - 1) /
	 * 8. */
	uint16_t bit_offset, bit_size;
};

struct norn_symbol {
	const char *name;
	const char *file; /* of its declaration, "" if unknown */
	const char *function; /* of a static inside a function, else ""; in C++, the class or namespace around it ("ns::cls") */
	const struct norn_type *type; /* never NULL */
	uint64_t address, size; /* address of a thread-local: its offset in the module's thread-local storage */
	uint32_t module; /* as added */
	bool is_function, is_static, is_thread_local;
	/* No place in memory (address is 0): a variable that the optimiser or linker removed, a function that was inlined wherever
	 * it is called. It cannot be watched; a lookup gives it only if no other symbol of that name, function and file has a
	 * place. */
	bool optimised_out;
	bool instrumented; /* a function with an ENTER site; with address 0 if the symbol table was stripped */
};

struct norn_program;
struct norn_site_table;

struct norn_program *norn_program_new(void);
void norn_program_free(struct norn_program *program);

/* Adds an executable or library. bias: what its addresses move by when loaded. Modules are numbered from 0. Fails with a sentence
 * if the file is not there or no ELF file for this machine; one without debug information is fine. */
int norn_program_add(struct norn_program *program, const char *path, uint64_t bias, struct norn_error *err);
uint32_t norn_program_modules(const struct norn_program *program);
const char *norn_program_path(const struct norn_program *program, uint32_t module);
uint64_t norn_program_bias(const struct norn_program *program, uint32_t module);

/* Sets the bias by the address that the module was loaded at (struct norn_module_block in a trace), 0: unknown, as linked. */
void norn_program_set_load(struct norn_program *program, uint32_t module, uint64_t load);
/* True if debugging information gives the types of its variables; if not, the remedy is to compile with -g. */
bool norn_program_has_types(const struct norn_program *program, uint32_t module);
/* True if this site table, as a trace has it, is one of the module's. If not, the program was built again since the recording: what
 * is in it now says nothing about that run. bytes may count a tail that is no part of the table. */
bool norn_program_matches_sites(const struct norn_program *program, uint32_t module, const void *table, size_t bytes);

/* The site tables of the module's units, by number; NULL past the last. */
const struct norn_site_table *norn_program_unit(const struct norn_program *program, uint32_t module, uint32_t unit);

/* The value of an enumeration's constant. -ENOENT: there is none of that name; -EEXIST: there are several, with different
 * values. */
int norn_program_enumerator(const struct norn_program *program, const char *name, int64_t *ret_value);

/* Names that norn_set gives values to. The program knows those that code with hooks calls it with, if they are constants; others
 * must be added. sets: whether such code of the module calls norn_set at all, and with a name that is no constant. */
bool norn_program_sets(const struct norn_program *program, uint32_t module, bool *ret_unnamed);
void norn_program_add_set(struct norn_program *program, const char *name);
bool norn_program_has_set(const struct norn_program *program, const char *name);

/* The program finds out details when they are first asked for: these functions are not for several threads at once. */

/* All symbols of that name that are (or are not) functions, in no particular order; *cursor starts at 0; NULL past the last.
 * file and function select among statics and may be NULL; file matches a whole path or its last parts, of the file that declares it
 * or of the translation unit. With a file but no function, what stands outside of functions goes before statics in them. */
const struct norn_symbol *norn_program_symbol(const struct norn_program *program, bool is_function, const char *name,
        const char *file, const char *function, size_t *cursor);
/* All functions that a name stands for, which C++ may have more parts of (base/text/function_name.h): "Account::deposit". */
const struct norn_symbol *norn_program_function(const struct norn_program *program, const char *name, size_t *cursor);
/* The struct or union with that tag (or typedef name), NULL if there is none. */
const struct norn_type *norn_program_tag(const struct norn_program *program, bool is_union, const char *tag);
/* The field of that name, through anonymous members; *ret_offset is that of the field in type. NULL if there is none. */
const struct norn_member *norn_type_member(const struct norn_type *type, const char *name, uint64_t *ret_offset);

/* The type that declares the field of that name: type itself, or a base class of it. NULL if there is none. */
const struct norn_type *norn_type_member_owner(const struct norn_type *type, const char *name);

/* The existing name that is most like this one (few edits apart), NULL if none is near. Of a name with parts, the last. */
const char *norn_program_nearest(const struct norn_program *program, bool is_function, const char *name);
const char *norn_program_nearest_tag(const struct norn_program *program, const char *tag);
const char *norn_type_nearest_member(const struct norn_type *type, const char *name);

/* The bytes with which the program starts: its initialisers, pointers as they are when the modules are loaded with their biases.
 * address: link-time, of that module. -ENOENT: not in a loaded section. -ENODATA: only the dynamic linker knows (a pointer to what
 * no added module defines). */
int norn_program_initial(const struct norn_program *program, uint32_t module, uint64_t address, void *ret_bytes, size_t size);
/* The bytes with which every thread starts; offset: the address of a thread-local symbol. */
int norn_program_initial_tls(const struct norn_program *program, uint32_t module, uint64_t offset, void *ret_bytes, size_t size);

/* The source line of the instruction at that address of the run (biases applied), and the function that the line is in, be it
 * inlined; by debugging information. -ENOENT: not known. */
int norn_program_code_place(
        const struct norn_program *program, uint64_t address, const char **ret_file, unsigned *ret_line, const char **ret_function);

#endif
