/* The place of an instruction in the source. */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "program/name_index.h"

static bool is_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* The innermost function that the code was written in. */
static const char *function_at(Dwarf_Die *unit, uint64_t address)
{
	Dwarf_Die *scopes = NULL;
	const char *name = NULL;
	int count = dwarf_getscopes(unit, address, &scopes);
	for (int i = 0; i < count && !name; i++)
		name = is_function(&scopes[i]) ? dwarf_diename(&scopes[i]) : NULL;
	free(scopes);
	return name;
}

/* clang leaves no table of the units' addresses (.debug_aranges): all are asked. */
static bool find_unit(Dwarf *dwarf, uint64_t address, Dwarf_Die *ret_unit)
{
	Dwarf_CU *unit = NULL;
	while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, ret_unit, NULL) == 0)
		if (dwarf_haspc(ret_unit, address) == 1)
			return true;
	return false;
}

int norn_program_code_place(
        const struct norn_program *program, uint64_t address, const char **ret_file, unsigned *ret_line, const char **ret_function)
{
	for (uint32_t i = 0; i < program->objects.count; i++) {
		const struct norn_object *object = program->objects.items[i];
		uint64_t linked = address - object->bias;
		Dwarf_Die unit;
		if (!object->dwarf || !norn_elf_holds(&object->elf, linked, 1) || !find_unit(object->dwarf, linked, &unit))
			continue;
		Dwarf_Line *line = dwarf_getsrc_die(&unit, linked);
		const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL, *function = function_at(&unit, linked);
		int number;
		if (!file || !function || dwarf_lineno(line, &number) != 0)
			continue;
		*ret_file = file;
		*ret_line = (unsigned)number;
		*ret_function = function;
		return 0;
	}
	return -ENOENT;
}
