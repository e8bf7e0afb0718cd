/* Symbol tables: what debugging information does not know of, and the functions that only site tables name. */
#ifndef NORN_PROGRAM_SYMBOL_TABLE_H
#define NORN_PROGRAM_SYMBOL_TABLE_H

#include "program/name_index.h"

/* Adds to the index what is not in it; after norn_debug_index. */
void norn_symtab_index(struct norn_object *object);

#endif
