/* Debugging information: its entries (DIEs) one by one, and the way through all of them to the index.
 *
 * libdw checks bounds; that entries lead on and not in circles is checked here, so damaged files end every loop. */
#ifndef NORN_PROGRAM_DEBUG_INFO_H
#define NORN_PROGRAM_DEBUG_INFO_H

#include "program/name_index.h"

/* Attributes. Those of a specification or abstract origin count as the entry's own, but for norn_die_flag. False if there is
 * none. */
bool norn_die_has(Dwarf_Die *die, unsigned name);
bool norn_die_flag(Dwarf_Die *die, unsigned name);
bool norn_die_number(Dwarf_Die *die, unsigned name, uint64_t *ret_number);
bool norn_die_signed(Dwarf_Die *die, unsigned name, int64_t *ret_number);
bool norn_die_reference(Dwarf_Die *die, unsigned name, Dwarf_Die *ret_die); /* ret_die may be die */
bool norn_die_member_location(Dwarf_Die *die, uint64_t *ret_offset);

/* Children in order, strictly onwards. */
bool norn_die_child(Dwarf_Die *die, Dwarf_Die *ret_child);
bool norn_die_next(Dwarf_Die *die);

/* True if its unit is of a language with scopes around names: anything but C. */
bool norn_die_is_scoped(Dwarf_Die *die);
/* The hash of the names around it, as struct norn_type_tag has it. Slow: goes through the whole unit. */
uint64_t norn_die_scope(Dwarf_Die *die);

/* Adds all variables, functions and tags that an object's debugging information has. */
void norn_debug_index(struct norn_object *object);
/* Finds the file and function of an entry that has a DIE. */
void norn_debug_describe(struct norn_program *program, struct norn_entry *entry);
/* The source file that an entry was compiled from, "" if unknown. */
const char *norn_debug_unit(const struct norn_entry *entry);

#endif
