/* Names of functions as people write them, against the full names of C++: "bank::Account<int>::deposit".
 *
 * A name stands for a function if its parts are the last parts of the function's. Template arguments that a part leaves out may be
 * any, and spaces do not count. A name that begins with :: has all parts. A name of C has one part, and stands for itself. */
#ifndef NORN_BASE_FUNCTION_NAME_H
#define NORN_BASE_FUNCTION_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool norn_function_is_named(const char *function, const char *name);

/* The last part of a name, and its bytes without template arguments. */
const char *norn_function_last_part(const char *name, size_t *ret_bytes);

#endif
