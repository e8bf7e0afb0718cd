/* The program and the libraries that are there when it begins, as the loader lists them. They stay: nothing of it changes later. */
#ifndef NORN_RUNTIME_INTERPOSE_LIBRARIES_H
#define NORN_RUNTIME_INTERPOSE_LIBRARIES_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#define NORN_LIBRARY_CONSTANTS 4

struct norn_library {
	uintptr_t base;
	const ElfW(Dyn) * dynamic;
	bool known; /* the table of effects is about it */
	bool own; /* libnorn.so: functions that are hooked stand here */
	unsigned constant_count;
	struct {
		uintptr_t low, high;
	} constants[NORN_LIBRARY_CONSTANTS]; /* segments that cannot be written */
};

extern struct norn_library norn_libraries[];
extern unsigned norn_library_count;

/* Memory of these that cannot be written. */
bool norn_is_constant(const void *memory);

#endif
