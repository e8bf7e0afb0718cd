#include "program/source_files.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/table.h"
#include "program/debug_file.h"
#include "program/elf_file.h"

/* Line tables name a header once for each unit that includes it: a path is added once. */
static void add_unit(struct norn_source_files *files, struct norn_table *known, Dwarf_Die *unit)
{
	Dwarf_Files *table;
	size_t count;
	if (dwarf_getsrcfiles(unit, &table, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		const char *path = dwarf_filesrc(table, i, NULL, NULL);
		if (!path || *path != '/')
			continue;
		bool is_new;
		norn_must_table_put(known, path, strlen(path), &is_new);
		if (is_new)
			norn_must_push(files, norn_must_text(path));
	}
}

static void add_units(struct norn_source_files *files, Dwarf *dwarf)
{
	struct norn_table known = {0};
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;
	while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, NULL) == 0)
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			add_unit(files, &known, &die);
	norn_table_done(&known);
}

void norn_source_files_add(struct norn_source_files *files, const char *path)
{
	struct norn_elf elf, debug;
	struct norn_error ignored = {0};
	if (norn_elf_open(path, &elf, &ignored) < 0)
		return;
	norn_elf_guard_debug(&elf);
	Dwarf *dwarf = norn_elf_dwarf(&elf);
	bool apart = !dwarf && norn_debug_file_open(&elf, path, &debug);
	if (apart) {
		norn_elf_guard_debug(&debug);
		dwarf = norn_elf_dwarf(&debug);
	}
	if (dwarf) {
		add_units(files, dwarf);
		dwarf_end(dwarf);
	}
	if (apart)
		norn_elf_done(&debug);
	norn_elf_done(&elf);
}

void norn_source_files_done(struct norn_source_files *files)
{
	for (uint32_t i = 0; i < files->count; i++)
		free(files->items[i]);
	norn_vector_done(files);
}
