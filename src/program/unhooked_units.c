#include "base/bisect.h"
#include "program/unhooked_units.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "program/elf_file.h"
#include "trace/site.h"

struct function {
	uint64_t address;
	const char *name;
	bool hooked, counted;
	bool known, is_static;
};

struct unit_search {
	struct norn_elf elf;
	NORN_VECTOR(struct function) functions; /* by address */
	struct norn_unhooked_units *out;
	norn_knows_function *knows;
	const void *context;
};

static bool is_reserved(const char *name)
{
	bool mangled = strncmp(name, "_Z", 2) == 0;
	return (name[0] == '_' && !mangled) || strncmp(name, "norn.", 5) == 0 || strncmp(name, "asan.", 5) == 0;
}

static bool has_mark(const struct norn_elf *elf, uint64_t address)
{
	uint64_t mark;
	return address >= sizeof mark && norn_elf_read(elf, address - sizeof mark, &mark, sizeof mark) == 0 &&
	       (mark == NORN_HOOKED || mark == NORN_HALF_HOOKED);
}

static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

/* Those of start-up code that have no reserved name. */
static bool is_start_up(const char *name)
{
	static const char *const names[] = {"deregister_tm_clones", "register_tm_clones", "frame_dummy", "main.cold"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void find_functions(struct unit_search *s)
{
	Elf_Scn *table = s->elf.symbols ? s->elf.symbols : s->elf.dynamic_symbols;
	for (size_t i = 0, count = table ? norn_elf_symbol_count(table) : 0; i < count; i++) {
		GElf_Sym symbol;
		const char *name;
		if (!norn_elf_symbol(&s->elf, table, i, &symbol, &name) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
		        symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0 || is_start_up(name))
			continue;
		struct function f = {.address = symbol.st_value,
		        .name = name,
		        .hooked = has_mark(&s->elf, symbol.st_value),
		        .known = is_reserved(name) || s->knows(s->context, name),
		        .is_static = GELF_ST_BIND(symbol.st_info) == STB_LOCAL};
		s->out->hooked += f.hooked;
		norn_must_push(&s->functions, f);
	}
	if (s->functions.count)
		qsort(s->functions.items, s->functions.count, sizeof *s->functions.items, by_address);
}

static size_t first_from(const struct unit_search *s, uint64_t address)
{
	return NORN_BISECT(0, s->functions.count, i, s->functions.items[i].address < address);
}

/* The functions of a unit: how many have no hooks, and whether some have. */
struct tally {
	unsigned without, hidden; /* hidden: static ones */
	bool hooked, known;
};

static void count_range(struct unit_search *s, uint64_t begin, uint64_t end, struct tally *tally)
{
	for (size_t i = first_from(s, begin); i < s->functions.count && s->functions.items[i].address < end; i++) {
		struct function *f = s->functions.items + i;
		f->counted = true;
		tally->hooked |= f->hooked;
		tally->known |= f->known && !f->is_static;
		if (!f->hooked && !f->known)
			*(f->is_static ? &tally->hidden : &tally->without) += 1;
	}
}

static void look_at_unit(struct unit_search *s, Dwarf_Die *unit)
{
	struct tally tally = {0};
	Dwarf_Addr base, begin, end;
	for (ptrdiff_t at = 0; (at = dwarf_ranges(unit, at, &base, &begin, &end)) > 0;)
		if (begin) /* sections that the linker has left out lie at 0 */
			count_range(s, begin, end, &tally);
	const char *name = dwarf_diename(unit);
	bool unknown = tally.without || (tally.hidden && !tally.known);
	if (unknown && !tally.hooked)
		norn_must_push(&s->out->units, norn_must_text(name ? name : "a unit without a name"));
}

static void look_at_units(struct unit_search *s)
{
	norn_elf_guard_debug(&s->elf);
	Dwarf *dwarf = norn_elf_dwarf(&s->elf);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;
	while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, NULL) == 0)
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			look_at_unit(s, &die);
	if (dwarf)
		dwarf_end(dwarf);
}

bool norn_unhooked_units_find(
        const char *path, norn_knows_function *knows, const void *context, struct norn_unhooked_units *ret_units)
{
	struct unit_search s = {.out = ret_units, .knows = knows, .context = context};
	struct norn_error ignored = {0};
	*ret_units = (struct norn_unhooked_units){0};
	if (norn_elf_open(path, &s.elf, &ignored) < 0)
		return false;
	find_functions(&s);
	look_at_units(&s);
	bool any_global = false;
	for (size_t i = 0; i < s.functions.count; i++) {
		const struct function *f = s.functions.items + i;
		any_global |= !f->counted && !f->hooked && !f->is_static;
	}
	for (size_t i = 0; i < s.functions.count; i++) {
		const struct function *f = s.functions.items + i;
		/* Those that are static belong to others, if there are any, but nothing says to which. */
		if (!f->counted && !f->hooked && !f->known && (!f->is_static || !any_global))
			norn_must_push(&ret_units->functions, norn_must_text(f->name));
	}
	norn_vector_done(&s.functions);
	norn_elf_done(&s.elf);
	return true;
}

void norn_unhooked_units_done(struct norn_unhooked_units *units)
{
	for (size_t i = 0; i < units->units.count; i++)
		free(units->units.items[i]);
	for (size_t i = 0; i < units->functions.count; i++)
		free(units->functions.items[i]);
	norn_vector_done(&units->units);
	norn_vector_done(&units->functions);
}
