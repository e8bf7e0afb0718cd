/* Debugging information that lies beside an ELF file: in a file of its own, named by .gnu_debuglink or by the build's id.
 *
 * Looked for as gdb does: beside the file, in .debug there, and below /usr/lib/debug. (What -gsplit-dwarf left in .dwo files libdw
 * finds by itself.) */
#ifndef NORN_PROGRAM_DEBUG_FILE_H
#define NORN_PROGRAM_DEBUG_FILE_H

#include <stdbool.h>

#include "program/elf_file.h"

/* False: there is none, or it is another build's. Closed by norn_elf_done. */
bool norn_debug_file_open(const struct norn_elf *elf, const char *path, struct norn_elf *ret_debug);

#endif
