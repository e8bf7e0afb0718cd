/* One ELF file of a program: whether it is one, where its parts are loaded, and the bytes with which it starts.
 *
 * Damage in the file is never fatal: what makes no sense is left out. The file stays open, and owns what it hands out, until
 * norn_elf_done. */
#ifndef NORN_PROGRAM_ELF_FILE_H
#define NORN_PROGRAM_ELF_FILE_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vector.h"

/* A word (or, for a copy, more) of the image that the dynamic linker fills in. */
struct norn_elf_relocation {
	uint64_t address, addend;
	uint32_t type; /* R_X86_64_… */
	uint32_t symbol; /* in the dynamic symbol table, 0: none */
};

struct norn_elf {
	int fd;
	Elf *elf;
	Elf_Scn *symbols, *dynamic_symbols; /* NULL if there are none */
	NORN_VECTOR(GElf_Phdr) segments; /* loaded ones */
	GElf_Phdr tls; /* p_memsz 0: none */
	NORN_VECTOR(struct norn_elf_relocation) relocations; /* by address */
	NORN_VECTOR(char *) copies; /* of sections with debugging information */
};

int norn_elf_open(const char *path, struct norn_elf *ret_elf, struct norn_error *err);
/* A file with debugging information only: it has no parts that are loaded. */
int norn_elf_open_debug(const char *path, struct norn_elf *ret_elf, struct norn_error *err);
void norn_elf_done(struct norn_elf *elf);
/* Its debugging information, to be ended by dwarf_end; NULL: none. Without memory the command ends as it does elsewhere: libdw
 * would end it by itself, with status 1. */
Dwarf *norn_elf_dwarf(const struct norn_elf *elf);

/* The lowest address, as it is mapped: what is at the load address. */
uint64_t norn_elf_base(const struct norn_elf *elf);
/* True if all of it is loaded from this file. */
bool norn_elf_holds(const struct norn_elf *elf, uint64_t address, uint64_t size);
/* As the file has them, relocations not applied; -ENOENT: not loaded from it, or beyond a truncated file's end. */
int norn_elf_read(const struct norn_elf *elf, uint64_t address, void *ret_bytes, size_t size);
int norn_elf_read_tls(const struct norn_elf *elf, uint64_t offset, void *ret_bytes, size_t size);
/* The relocations that may touch the bytes from address on are those from the result on, but for copies. */
size_t norn_elf_relocation_from(const struct norn_elf *elf, uint64_t address);

/* Makes strings in debugging information end, whatever is in the file: libdw takes them as they are. Before libdw is used. */
void norn_elf_guard_debug(struct norn_elf *elf);
/* The bytes of a section; NULL if there is none of that name. */
const void *norn_elf_section(const struct norn_elf *elf, const char *name, size_t *ret_bytes);
/* The number of symbols of a table, and one of them; false if it is damaged or has no name. */
size_t norn_elf_symbol_count(Elf_Scn *table);
bool norn_elf_symbol(const struct norn_elf *elf, Elf_Scn *table, size_t i, GElf_Sym *ret_symbol, const char **ret_name);

#endif
