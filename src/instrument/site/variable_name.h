/* The name of a site: its position in the source, and the variable that it accesses.
 *
 * Names of variables (norn_site.name), as properties write them:
 *   hits, cfg.limits.max, table[3], table[], grid[][2]   a global; [] is an index that varies
 *   f::count, f::buf[].x                                 a static or local variable of function f (C++: also ns::x, Class::x)
 *   acct.balance NORN_SITE_MEMBER: field balance of some object of type struct acct (a union or
 *                                                        class likewise; a struct without tag goes by its typedef), found by
 *                                                        pointer
 *   *cursor, *f::p, *next()                              what the pointer variable cursor points at, or the pointer that function
 *                                                        next returned, if that is no struct
 *   main::operator()::hits                               what a lambda in main captured as hits, by value or by reference
 *   opt.a|b, box.x|y                                     one access to several fields: bit-fields that share a word, merged stores
 * Where neither the code nor debug information tells, the name is empty. Without debug information only globals have names. */
#ifndef NORN_INSTRUMENT_SITE_VARIABLE_NAME_H
#define NORN_INSTRUMENT_SITE_VARIABLE_NAME_H

#include "instrument/pass.h"

/* Fills name, field, type and flags of an access of a value of this type. */
void norn_name_access(
        struct norn_pass *pass, LLVMValueRef pointer, LLVMTypeRef type, LLVMValueRef instruction, struct norn_site *site);
/* The same for raw bytes, 0: a varying number. */
void norn_name_range(struct norn_pass *pass, LLVMValueRef pointer, uint64_t bytes, struct norn_site *site);
/* Fills type and flags from the result of a function (NULL: not known). */
void norn_name_result(struct norn_pass *pass, LLVMValueRef function, LLVMTypeRef type, struct norn_site *site);

/* Strings of the pass's table. */
uint32_t norn_name_file(struct norn_pass *pass, LLVMMetadataRef scope);

/* Fills name and size of an ENTER or CALL site. */
void norn_name_callee(struct norn_pass *pass, LLVMValueRef function, struct norn_site *site);

/* Fills function, file, line, column and inlined_at. */
void norn_name_position(struct norn_pass *pass, LLVMValueRef instruction, struct norn_site *site);
/* The text of a constant, with its NUL if it has one; NULL: it is none. */
const char *norn_name_constant(LLVMValueRef value, size_t *ret_length);

#endif
