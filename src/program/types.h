/* C types of a program: made of debugging information, or of what a site says.
 *
 * A type is made once for each DIE and belongs to the program. Types refer to each other in circles. Structs that are only declared
 * in one translation unit are those that another one defines. */
#ifndef NORN_PROGRAM_TYPES_H
#define NORN_PROGRAM_TYPES_H

#include "program/name_index.h"

extern const struct norn_type norn_type_unknown, norn_type_unknown_function;

/* All of these give norn_type_unknown if there is not enough memory, or nothing is known. */

/* The type of a variable's or member's DIE. */
const struct norn_type *norn_type_of(struct norn_program *program, Dwarf_Die *die);
const struct norn_type *norn_type_of_function(struct norn_program *program, Dwarf_Die *die);
/* The type that a DIE stands for. */
const struct norn_type *norn_type_at(struct norn_program *program, Dwarf_Die *die);
/* The type of a variable of that many bytes (0: unknown), by sites that access it as a whole or by element. */
const struct norn_type *norn_type_of_site(struct norn_program *program, const struct norn_named_site *site, uint64_t bytes);
const struct norn_type *norn_type_of_element(struct norn_program *program, const struct norn_named_site *site, uint64_t bytes);
/* One of which only the size is known. */
const struct norn_type *norn_type_of_size(struct norn_program *program, uint64_t bytes);

#endif
