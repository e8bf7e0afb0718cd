/* The bytes with which a program starts: what is in the file, and what the dynamic linker makes of it. */
#include <errno.h>
#include <string.h>

#include "program/name_index.h"

#define COPY_DEPTH 4 /* a variable that one module copies from another, which copies it … */

static int read_initial(const struct norn_program *program, const struct norn_object *object, uint64_t address,
        unsigned char *ret_bytes, size_t size, int depth);

/* The module that others see as the one that defines a name: the first. except: not in this one (NULL: in any). */
static const struct norn_symbol *definition(const struct norn_program *program, const char *name, const struct norn_object *except)
{
	const struct norn_symbol *best = NULL;
	for (int is_function = 0; is_function < 2; is_function++) {
		const struct norn_entry *entry = norn_index_first(program, is_function, name);
		for (; entry; entry = entry->next) {
			const struct norn_symbol *symbol = &entry->symbol;
			bool fits = !symbol->is_static && !symbol->optimised_out && !symbol->is_thread_local && symbol->address;
			if (fits && (!except || symbol->module != except->number) && (!best || symbol->module < best->module))
				best = symbol;
		}
	}
	return best;
}

/* The address of a dynamic symbol when everything is loaded. */
static bool symbol_address(
        const struct norn_program *program, const struct norn_object *object, uint32_t number, uint64_t *ret_address)
{
	GElf_Sym elf;
	const char *name;
	if (!norn_elf_symbol(&object->elf, object->elf.dynamic_symbols, number, &elf, &name) ||
	        GELF_ST_TYPE(elf.st_info) == STT_GNU_IFUNC)
		return false;
	bool own = elf.st_shndx != SHN_UNDEF;
	bool bound = own && (GELF_ST_BIND(elf.st_info) == STB_LOCAL || GELF_ST_VISIBILITY(elf.st_other) != STV_DEFAULT);
	const struct norn_symbol *symbol = bound ? NULL : definition(program, name, NULL);
	/* A definition in an earlier module goes before its own. */
	if (symbol && (!own || symbol->module < object->number))
		*ret_address = symbol->address + program->objects.items[symbol->module]->bias;
	else if (own)
		*ret_address = elf.st_value + object->bias;
	return own || symbol;
}

static int word_of(const struct norn_program *program, const struct norn_object *object,
        const struct norn_elf_relocation *relocation, uint64_t *ret_word)
{
	uint64_t symbol = 0;
	switch (relocation->type) {
	case R_X86_64_RELATIVE:
		*ret_word = relocation->addend + object->bias;
		return 0;
	case R_X86_64_64:
	case R_X86_64_GLOB_DAT:
	case R_X86_64_JUMP_SLOT:
		if (!symbol_address(program, object, relocation->symbol, &symbol))
			return -ENODATA;
		*ret_word = symbol + relocation->addend;
		return 0;
	default:
		return -ENODATA;
	}
}

/* The overlap: of size bytes at address, those of length bytes at start. */
static bool overlap(
        uint64_t address, size_t size, uint64_t start, size_t length, size_t *ret_to, size_t *ret_from, size_t *ret_count)
{
	uint64_t begin = start > address ? start : address;
	uint64_t end = start + length < address + size ? start + length : address + size;
	if (begin >= end)
		return false;
	*ret_to = begin - address;
	*ret_from = begin - start;
	*ret_count = end - begin;
	return true;
}

/* A variable of a library that lives in the program: it starts as the library has it. */
static int apply_copy(const struct norn_program *program, const struct norn_object *object,
        const struct norn_elf_relocation *relocation, uint64_t address, unsigned char *bytes, size_t size, int depth)
{
	GElf_Sym elf;
	const char *name;
	size_t to, from, count;
	if (!norn_elf_symbol(&object->elf, object->elf.dynamic_symbols, relocation->symbol, &elf, &name))
		return 0;
	if (!overlap(address, size, relocation->address, elf.st_size, &to, &from, &count))
		return 0;
	const struct norn_symbol *symbol = definition(program, name, object);
	if (!symbol || depth >= COPY_DEPTH)
		return -ENODATA;
	int r = read_initial(program, program->objects.items[symbol->module], symbol->address + from, bytes + to, count, depth + 1);
	return r == -ENOENT ? -ENODATA : r;
}

static int apply_copies(const struct norn_program *program, const struct norn_object *object, uint64_t address,
        unsigned char *bytes, size_t size, int depth)
{
	/* They are in .bss, as are all relocations of programs that have no others: few. */
	for (size_t i = 0; i < object->elf.relocations.count; i++) {
		const struct norn_elf_relocation *relocation = &object->elf.relocations.items[i];
		int r = relocation->type != R_X86_64_COPY ? 0
		                                          : apply_copy(program, object, relocation, address, bytes, size, depth);
		if (r < 0)
			return r;
	}
	return 0;
}

static int apply_words(
        const struct norn_program *program, const struct norn_object *object, uint64_t address, unsigned char *bytes, size_t size)
{
	const struct norn_elf *elf = &object->elf;
	for (size_t i = norn_elf_relocation_from(elf, address); i < elf->relocations.count; i++) {
		const struct norn_elf_relocation *relocation = &elf->relocations.items[i];
		size_t to, from, count;
		uint64_t word;
		if (relocation->address >= address + size)
			break;
		if (relocation->type == R_X86_64_COPY || !overlap(address, size, relocation->address, 8, &to, &from, &count))
			continue;
		int r = word_of(program, object, relocation, &word);
		if (r < 0)
			return r;
		memcpy(bytes + to, (const unsigned char *)&word + from, count);
	}
	return 0;
}

static int read_initial(const struct norn_program *program, const struct norn_object *object, uint64_t address,
        unsigned char *ret_bytes, size_t size, int depth)
{
	int r = norn_elf_read(&object->elf, address, ret_bytes, size);
	if (r == 0)
		r = apply_words(program, object, address, ret_bytes, size);
	if (r == 0)
		r = apply_copies(program, object, address, ret_bytes, size, depth);
	return r;
}

int norn_program_initial(const struct norn_program *program, uint32_t module, uint64_t address, void *ret_bytes, size_t size)
{
	if (module >= program->objects.count)
		return -ENOENT;
	return read_initial(program, program->objects.items[module], address, ret_bytes, size, 0);
}

int norn_program_initial_tls(const struct norn_program *program, uint32_t module, uint64_t offset, void *ret_bytes, size_t size)
{
	const struct norn_object *object = module < program->objects.count ? program->objects.items[module] : NULL;
	int r = object ? norn_elf_read_tls(&object->elf, offset, ret_bytes, size) : -ENOENT;
	/* Its image is relocated as the rest of the file is; every thread gets a copy of that. The zeros behind it are no part of
	 * the file's memory: others have their addresses. */
	if (r < 0 || offset >= object->elf.tls.p_filesz)
		return r;
	size_t stored = object->elf.tls.p_filesz - offset;
	return apply_words(program, object, object->elf.tls.p_vaddr + offset, ret_bytes, size < stored ? size : stored);
}
