#include "program/debug_info.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "program/types.h"

#define DEPTH_MAX 128
#define ORIGINS_MAX 8 /* from an entry over its origins to the declaration */

/* ---- entries ---- */

bool norn_die_has(Dwarf_Die *die, unsigned name)
{
	return dwarf_hasattr_integrate(die, name);
}

bool norn_die_flag(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	bool set = false;
	return dwarf_attr(die, name, &attribute) && dwarf_formflag(&attribute, &set) == 0 && set;
}

bool norn_die_number(Dwarf_Die *die, unsigned name, uint64_t *ret_number)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formudata(&attribute, &number) != 0)
		return false;
	*ret_number = number;
	return true;
}

bool norn_die_signed(Dwarf_Die *die, unsigned name, int64_t *ret_number)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword number;
	Dwarf_Word word;
	if (!dwarf_attr_integrate(die, name, &attribute))
		return false;
	/* Of the forms of constants only these have a sign; libdw would give one to the others, too. */
	unsigned form = dwarf_whatform(&attribute);
	if (form == DW_FORM_sdata || form == DW_FORM_implicit_const) {
		if (dwarf_formsdata(&attribute, &number) != 0)
			return false;
		*ret_number = number;
		return true;
	}
	if (dwarf_formudata(&attribute, &word) != 0)
		return false;
	*ret_number = word;
	return true;
}

bool norn_die_reference(Dwarf_Die *die, unsigned name, Dwarf_Die *ret_die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die found;
	if (!dwarf_attr_integrate(die, name, &attribute) || !dwarf_formref_die(&attribute, &found))
		return false;
	*ret_die = found;
	return true;
}

bool norn_die_member_location(Dwarf_Die *die, uint64_t *ret_offset)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *operations;
	size_t count;
	if (norn_die_number(die, DW_AT_data_member_location, ret_offset))
		return true;
	if (!dwarf_attr_integrate(die, DW_AT_data_member_location, &attribute) ||
	        dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1 || operations[0].atom != DW_OP_plus_uconst)
		return false;
	*ret_offset = operations[0].number;
	return true;
}

bool norn_die_child(Dwarf_Die *die, Dwarf_Die *ret_child)
{
	return dwarf_child(die, ret_child) == 0 && (char *)ret_child->addr > (char *)die->addr;
}

bool norn_die_next(Dwarf_Die *die)
{
	Dwarf_Die next;
	if (dwarf_siblingof(die, &next) != 0 || (char *)next.addr <= (char *)die->addr)
		return false;
	*die = next;
	return true;
}

static bool is_scoped_language(int language)
{
	switch (language) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c: /* C17 */
	case -1:
		return false;
	default:
		return true;
	}
}

bool norn_die_is_scoped(Dwarf_Die *die)
{
	Dwarf_Die unit;
	return dwarf_diecu(die, &unit, NULL, NULL) && is_scoped_language(dwarf_srclang(&unit));
}

/* The declaration that an entry is the definition, or an instance, of. */
static Dwarf_Die declaration_of(Dwarf_Die die)
{
	for (int i = 0; i < ORIGINS_MAX; i++) {
		Dwarf_Attribute attribute;
		Dwarf_Die origin;
		if (!dwarf_attr(&die, DW_AT_abstract_origin, &attribute) && !dwarf_attr(&die, DW_AT_specification, &attribute))
			break;
		if (!dwarf_formref_die(&attribute, &origin))
			break;
		die = origin;
	}
	return die;
}

static bool names_scope(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_subprogram;
}

/* A stand-in for a class that is in a type unit may leave the name to that. */
static const char *scope_name(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	Dwarf_Die whole;
	return !name && norn_die_reference(die, DW_AT_signature, &whole) ? dwarf_diename(&whole) : name;
}

/* The names around an entry, outermost first, NULL-terminated; the caller frees it. */
static const char **names_around(Dwarf_Die die)
{
	Dwarf_Die declaration = declaration_of(die), *scopes = NULL;
	int count = dwarf_getscopes_die(&declaration, &scopes);
	const char **names = norn_must_calloc(count > 0 ? count + 1 : 1, sizeof *names);
	size_t used = 0;
	for (int i = count - 1; i > 0; i--) {
		const char *name = names_scope(dwarf_tag(&scopes[i])) ? scope_name(&scopes[i]) : NULL;
		if (name)
			names[used++] = name;
	}
	free(scopes);
	return names;
}

uint64_t norn_die_scope(Dwarf_Die *die)
{
	uint64_t scope = 0;
	const char **names = names_around(*die);
	for (size_t i = 0; names[i]; i++)
		scope = norn_hash_more(scope, names[i], strlen(names[i]));
	free(names);
	return scope;
}

/* ---- places ---- */

enum place { PLACE_NONE, PLACE_STATIC, PLACE_THREAD };

static bool operand(Dwarf_Attribute *location, const Dwarf_Op *operation, uint64_t *ret_number)
{
	Dwarf_Attribute attribute;
	Dwarf_Addr address;
	Dwarf_Word word;
	switch (operation->atom) {
	case DW_OP_addr:
	case DW_OP_const4u:
	case DW_OP_const8u:
	case DW_OP_const4s:
	case DW_OP_const8s:
	case DW_OP_constu:
		*ret_number = operation->number;
		return true;
	case DW_OP_addrx:
	case DW_OP_constx:
	case DW_OP_GNU_addr_index:
	case DW_OP_GNU_const_index:
		if (dwarf_getlocation_attr(location, operation, &attribute) != 0)
			return false;
		if (dwarf_formaddr(&attribute, &address) == 0) {
			*ret_number = address;
			return true;
		}
		if (dwarf_formudata(&attribute, &word) != 0)
			return false;
		*ret_number = word;
		return true;
	default:
		return false;
	}
}

static bool is_address(unsigned operation)
{
	return operation == DW_OP_addr || operation == DW_OP_addrx || operation == DW_OP_GNU_addr_index;
}

/* True if an expression may start with an address or a constant: a quick test that spares libdw most of the automatic variables. */
static bool may_be_static(Dwarf_Attribute *location)
{
	Dwarf_Block block;
	if (dwarf_formblock(location, &block) != 0 || block.length < 2)
		return false;
	unsigned first = block.data[0];
	return is_address(first) || first == DW_OP_const4u || first == DW_OP_const8u || first == DW_OP_const4s ||
	       first == DW_OP_const8s || first == DW_OP_constu || first == DW_OP_constx || first == DW_OP_GNU_const_index;
}

static enum place place_of(Dwarf_Die *die, uint64_t *ret_address)
{
	Dwarf_Attribute location;
	Dwarf_Op *operations;
	size_t count;
	if (!dwarf_attr(die, DW_AT_location, &location) || !may_be_static(&location) ||
	        dwarf_getlocation(&location, &operations, &count) != 0 || count < 1 || count > 2)
		return PLACE_NONE;
	uint64_t number;
	if (!operand(&location, &operations[0], &number))
		return PLACE_NONE;
	if (count == 2 && (operations[1].atom == DW_OP_form_tls_address || operations[1].atom == DW_OP_GNU_push_tls_address)) {
		*ret_address = number;
		return PLACE_THREAD;
	}
	if (!is_address(operations[0].atom) || (count == 2 && operations[1].atom != DW_OP_plus_uconst))
		return PLACE_NONE;
	*ret_address = number + (count == 2 ? operations[1].number : 0);
	return PLACE_STATIC;
}

/* ---- the index ---- */

/* The position of the walk. */
struct scope_level {
	Dwarf_Die die;
	struct norn_die owner; /* the function around it */
	uint64_t scope;
};

struct debug_walk {
	struct norn_object *object;
	bool scoped;
};

/* Those without a place are as many as the headers that they come from: one for each line is enough. */
static void add_gone(struct debug_walk *w, struct norn_entry *entry)
{
	int line = 0;
	Dwarf_Die die = norn_die_get(entry->die);
	dwarf_decl_line(&die, &line);
	uint64_t key = norn_hash_more(line * 2u + entry->symbol.is_function, entry->symbol.name, strlen(entry->symbol.name));
	char *seen = norn_must_map_put(&w->object->gone, key);
	if (*seen)
		return;
	*seen = 1;
	entry->symbol.optimised_out = true;
	entry->symbol.address = 0;
	norn_index_add(w->object, entry);
}

/* Adds one with a place, unless that place has this name already. */
static void add_placed(struct debug_walk *w, const struct norn_entry *entry)
{
	const struct norn_symbol *new = &entry->symbol;
	struct norn_entry *old = new->is_thread_local ? norn_index_first(w->object->program, false, new->name)
	                                              : norn_index_at(w->object, new->is_function, new->address);
	if (old && strcmp(old->symbol.name, new->name) != 0)
		old = norn_index_first(w->object->program, new->is_function, new->name);
	for (; old; old = old->next)
		if (old->symbol.module == w->object->number && old->symbol.address == new->address && !old->symbol.optimised_out &&
		        old->symbol.is_thread_local == new->is_thread_local)
			return;
	norn_index_add(w->object, entry);
}

static void add_declared(struct debug_walk *w, Dwarf_Die *die, const char *name)
{
	bool is_new;
	norn_must_table_put(&w->object->declared, name, strlen(name), &is_new);
	if (is_new)
		norn_must_push(&w->object->declarations, norn_die_keep(die));
}

static void add(struct debug_walk *w, struct norn_entry *entry, bool there)
{
	if (there)
		add_placed(w, entry);
	else
		add_gone(w, entry);
}

static void add_variable(struct debug_walk *w, Dwarf_Die *die, struct norn_die owner)
{
	struct norn_entry entry = {.die = norn_die_keep(die), .owner = owner};
	enum place place = place_of(die, &entry.symbol.address);
	if (place == PLACE_NONE && owner.address)
		return; /* an automatic variable */
	const char *name = dwarf_diename(die);
	if (!name)
		return;
	if (place == PLACE_NONE && norn_die_flag(die, DW_AT_declaration)) {
		add_declared(w, die, name);
		return;
	}
	entry.symbol.name = name;
	entry.symbol.is_static = !norn_die_has(die, DW_AT_external);
	entry.symbol.is_thread_local = place == PLACE_THREAD;
	/* A symbol that the linker has removed keeps its entry, with an address that is none. */
	bool there = place == PLACE_THREAD ? entry.symbol.address < w->object->elf.tls.p_memsz
	                                   : place == PLACE_STATIC && entry.symbol.address &&
	                                             norn_elf_holds(&w->object->elf, entry.symbol.address, 1);
	add(w, &entry, there);
}

static bool first_address(Dwarf_Die *die, uint64_t *ret_address)
{
	Dwarf_Addr base, start, end;
	if (dwarf_lowpc(die, ret_address) == 0)
		return true;
	if (dwarf_ranges(die, 0, &base, &start, &end) <= 0)
		return false;
	*ret_address = start;
	return true;
}

static void add_function(struct debug_walk *w, Dwarf_Die *die)
{
	const char *name = norn_die_flag(die, DW_AT_declaration) ? NULL : dwarf_diename(die);
	if (!name)
		return;
	struct norn_entry entry = {.die = norn_die_keep(die)};
	entry.symbol.name = name;
	entry.symbol.is_function = true;
	entry.symbol.is_static = !norn_die_has(die, DW_AT_external);
	Dwarf_Addr end;
	bool there = first_address(die, &entry.symbol.address) && entry.symbol.address &&
	             norn_elf_holds(&w->object->elf, entry.symbol.address, 1);
	if (there && dwarf_highpc(die, &end) == 0 && end > entry.symbol.address)
		entry.symbol.size = end - entry.symbol.address;
	add(w, &entry, there);
}

static bool leads_to_record(Dwarf_Die die, bool *ret_union)
{
	for (int i = 0; i < ORIGINS_MAX; i++) {
		int tag = dwarf_tag(&die);
		if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type) {
			*ret_union = tag == DW_TAG_union_type;
			return true;
		}
		if (tag == DW_TAG_pointer_type || tag == DW_TAG_array_type || !norn_die_reference(&die, DW_AT_type, &die))
			return false;
	}
	return false;
}

static void add_tag(struct debug_walk *w, Dwarf_Die *die, int tag, uint64_t scope)
{
	const char *name = dwarf_diename(die);
	if (!name)
		return;
	struct norn_type_tag new = {.name = name, .scope = scope, .die = norn_die_keep(die), .is_alias = tag == DW_TAG_typedef};
	new.is_union = tag == DW_TAG_union_type;
	if (new.is_alias ? !leads_to_record(*die, &new.is_union) : norn_die_flag(die, DW_AT_declaration))
		return;
	norn_index_add_tag(w->object, &new);
}

/* The constants of an enumeration. */
static void add_enumerators(struct debug_walk *w, Dwarf_Die *die)
{
	Dwarf_Die child;
	Dwarf_Attribute attribute;
	for (int r = dwarf_child(die, &child); r == 0; r = dwarf_siblingof(&child, &child)) {
		const char *name = dwarf_tag(&child) == DW_TAG_enumerator ? dwarf_diename(&child) : NULL;
		Dwarf_Sword value;
		Dwarf_Word large;
		if (!name || !dwarf_attr(&child, DW_AT_const_value, &attribute))
			continue;
		if (dwarf_whatform(&attribute) == DW_FORM_udata && dwarf_formudata(&attribute, &large) == 0)
			value = (Dwarf_Sword)large;
		else if (dwarf_formsdata(&attribute, &value) != 0)
			continue;
		struct norn_program *program = w->object->program;
		bool is_new;
		uint32_t number = norn_must_table_put(&program->enumerator_names, name, strlen(name), &is_new);
		if (is_new)
			norn_must_push(&program->enumerators, (struct norn_enumerator){.value = value});
		else
			program->enumerators.items[number].several |= program->enumerators.items[number].value != value;
	}
}

/* Indexes one entry. True if its children are to be visited, too: then *inside says where they are. */
static bool visit(struct debug_walk *w, const struct scope_level *level, struct scope_level *inside)
{
	Dwarf_Die die = level->die;
	int tag = dwarf_tag(&die);
	const char *name;
	*inside = *level;
	switch (tag) {
	case DW_TAG_variable:
		add_variable(w, &die, level->owner);
		return false;
	case DW_TAG_base_type:
		w->object->has_types = true;
		return false;
	case DW_TAG_enumeration_type:
		add_enumerators(w, &die);
		return false;
	case DW_TAG_typedef:
		add_tag(w, &die, tag, level->scope);
		return false;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		add_tag(w, &die, tag, level->scope);
		inside->owner = (struct norn_die){0};
		if (!w->scoped)
			return false;
		break;
	case DW_TAG_namespace:
		break;
	case DW_TAG_subprogram:
		add_function(w, &die);
		inside->owner = norn_die_keep(&die);
		break;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_common_block:
		return true;
	default:
		return false; /* an inlined function has its statics in its own entry */
	}
	name = w->scoped ? scope_name(&die) : NULL;
	if (name)
		inside->scope = norn_hash_more(level->scope, name, strlen(name));
	return true;
}

static void walk_unit(struct norn_object *object, Dwarf_Die *unit)
{
	struct debug_walk w = {object, is_scoped_language(dwarf_srclang(unit))};
	struct scope_level levels[DEPTH_MAX];
	int depth = 0;
	levels[0] = (struct scope_level){.die = *unit};
	if (!norn_die_child(unit, &levels[0].die))
		return;
	for (;;) {
		struct scope_level inside;
		if (visit(&w, &levels[depth], &inside) && depth + 1 < DEPTH_MAX &&
		        norn_die_child(&levels[depth].die, &inside.die)) {
			levels[++depth] = inside;
			continue;
		}
		while (!norn_die_next(&levels[depth].die))
			if (depth-- == 0)
				return;
	}
}

void norn_debug_index(struct norn_object *object)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, part;
	uint8_t type;
	while (object->dwarf && dwarf_get_units(object->dwarf, unit, &unit, NULL, &type, &die, &part) == 0) {
		if (type == DW_UT_skeleton && dwarf_tag(&part) > 0 && dwarf_tag(&part) != DW_TAG_invalid)
			walk_unit(object, &part);
		else if (dwarf_tag(&die) != DW_TAG_invalid)
			walk_unit(object, &die);
	}
}

/* ---- descriptions ---- */

static char *join(struct norn_program *program, const char *const *names, const char *last)
{
	size_t bytes = last ? strlen(last) : 0;
	for (size_t i = 0; names[i]; i++)
		bytes += strlen(names[i]) + 2;
	char *text = norn_must_arena_alloc(&program->arena, bytes + 1), *p = text;
	for (size_t i = 0; names[i]; i++) {
		p = stpcpy(p, names[i]);
		if (names[i + 1] || last)
			p = stpcpy(p, "::");
	}
	if (last)
		strcpy(p, last);
	return text;
}

static const char *function_of(struct norn_program *program, const struct norn_entry *entry)
{
	Dwarf_Die die = norn_die_get(entry->die), owner = norn_die_get(entry->owner);
	const char *own = entry->owner.address ? dwarf_diename(&owner) : NULL;
	if (!norn_die_is_scoped(&die))
		return own;
	const char **names = names_around(entry->owner.address ? owner : die);
	const char *text = names[0] || own ? join(program, (const char *const *)names, own) : own;
	free(names);
	return text;
}

/* The file that declares an entry, NULL if unknown. libdw's own dwarf_decl_file gives up by an assertion where a unit has no
 * lines. */
static const char *declaring_file(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Die unit;
	Dwarf_Files *files;
	size_t count;
	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) || dwarf_formudata(&attribute, &number) != 0)
		return NULL;
	if (!dwarf_cu_die(attribute.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, &count) != 0)
		return NULL;
	return number < count ? dwarf_filesrc(files, number, NULL, NULL) : NULL;
}

void norn_debug_describe(struct norn_program *program, struct norn_entry *entry)
{
	Dwarf_Die die = norn_die_get(entry->die);
	const char *file = declaring_file(&die);
	entry->symbol.file = file ? file : norn_debug_unit(entry);
	const char *function = function_of(program, entry);
	if (function && *function)
		entry->symbol.function = function;
}

const char *norn_debug_unit(const struct norn_entry *entry)
{
	if (!entry->die.address)
		return "";
	Dwarf_Die die = declaration_of(norn_die_get(entry->die)), unit;
	const char *name = dwarf_diecu(&die, &unit, NULL, NULL) ? dwarf_diename(&unit) : NULL;
	return name ? name : "";
}
