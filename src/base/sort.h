/* Sorting numbers, in ascending order. */
#ifndef NORN_BASE_SORT_H
#define NORN_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

void norn_sort_numbers(uint32_t *numbers, size_t count); /* numbers may be NULL if there are none */

#endif
