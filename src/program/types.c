#include "program/types.h"

#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "program/debug_info.h"

#define HOPS_MAX 64 /* typedefs and qualifiers around a type: more make a circle in a damaged file */
#define DIMENSIONS_MAX 16
#define RENDER_DEPTH 8

const struct norn_type norn_type_unknown = {.kind = NORN_TYPE_UNKNOWN, .name = ""};
static const struct norn_type type_void = {.kind = NORN_TYPE_VOID, .name = "void"};
const struct norn_type norn_type_unknown_function = {.kind = NORN_TYPE_FUNCTION, .name = "", .variadic = true};

/* A type, and the DIE that it is to be filled from. */
struct made {
	struct norn_type *type;
	Dwarf_Die die;
};

/* Types that refer to each other are made together, without recursion: those that were met wait until it is their turn. */
struct build {
	struct norn_program *program;
	NORN_VECTOR(struct made) made;
};

/* ---- looking through ---- */

static bool is_qualifier(int tag)
{
	return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
	       tag == DW_TAG_atomic_type || tag == DW_TAG_immutable_type || tag == DW_TAG_packed_type || tag == DW_TAG_shared_type;
}

static bool is_record(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

/* The target of DW_AT_type; false if there is none: void. */
static bool step(Dwarf_Die *die)
{
	return norn_die_reference(die, DW_AT_type, die);
}

/* Goes on to what is neither a qualifier nor, if aliases is set, a typedef. The name of the last typedef is *ret_alias. False:
 * void. */
static bool strip(Dwarf_Die *die, bool aliases, const char **ret_alias)
{
	for (int hops = 0; hops < HOPS_MAX; hops++) {
		int tag = dwarf_tag(die);
		if (!is_qualifier(tag) && !(aliases && tag == DW_TAG_typedef))
			return true;
		if (tag == DW_TAG_typedef && ret_alias)
			*ret_alias = dwarf_diename(die);
		if (!step(die))
			return false;
	}
	return false;
}

/* The definition of a struct that is only declared here. */
static void complete(const struct norn_program *program, Dwarf_Die *die)
{
	if (norn_die_reference(die, DW_AT_signature, die) || !norn_die_flag(die, DW_AT_declaration))
		return;
	const char *name = dwarf_diename(die);
	if (!name)
		return;
	uint64_t scope = norn_die_is_scoped(die) ? norn_die_scope(die) : 0;
	bool is_union = dwarf_tag(die) == DW_TAG_union_type;
	for (const struct norn_type_tag *tag = norn_index_tag(program, name); tag; tag = norn_index_next_tag(program, tag)) {
		if (!tag->is_alias && tag->is_union == is_union && tag->scope == scope) {
			*die = norn_die_get(tag->die);
			return;
		}
	}
}

/* The type of a type's DIE, which may still have to be filled. */
static const struct norn_type *meet(struct build *b, Dwarf_Die die)
{
	const char *alias = NULL;
	if (!strip(&die, false, NULL))
		return &type_void;
	Dwarf_Die base = die;
	if (!strip(&base, true, &alias))
		return &type_void;
	if (is_record(dwarf_tag(&base))) {
		die = base; /* a record has one name: its tag */
		complete(b->program, &die);
	}
	struct norn_type **place = norn_must_map_put(&b->program->types, (uintptr_t)die.addr), *type = *place;
	if (!type) {
		type = *place = norn_must_arena_alloc(&b->program->arena, sizeof *type);
		type->name = "";
		norn_must_push(&b->made, (struct made){type, die});
	}
	if (alias && is_record(dwarf_tag(&die)) && !*type->name && !dwarf_diename(&die))
		type->name = alias;
	return type;
}

static const struct norn_type *meet_type_of(struct build *b, Dwarf_Die *die)
{
	Dwarf_Die type = *die;
	return step(&type) ? meet(b, type) : &type_void;
}

/* ---- scalars ---- */

static enum norn_type_kind kind_of_encoding(Dwarf_Word encoding)
{
	switch (encoding) {
	case DW_ATE_boolean:
		return NORN_TYPE_BOOL;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return NORN_TYPE_SIGNED;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		return NORN_TYPE_UNSIGNED;
	case DW_ATE_float:
		return NORN_TYPE_FLOAT;
	case DW_ATE_address:
		return NORN_TYPE_POINTER;
	default:
		return NORN_TYPE_UNKNOWN;
	}
}

static void fill_base(struct norn_type *type, Dwarf_Die *die)
{
	uint64_t encoding = 0;
	norn_die_number(die, DW_AT_encoding, &encoding);
	type->kind = kind_of_encoding(encoding);
}

static void fill_enum(struct build *b, struct norn_type *type, Dwarf_Die *die)
{
	Dwarf_Die base = *die;
	uint64_t encoding = DW_ATE_signed;
	if (step(&base) && strip(&base, true, NULL))
		norn_die_number(&base, DW_AT_encoding, &encoding);
	else
		norn_die_number(die, DW_AT_encoding, &encoding);
	type->kind = kind_of_encoding(encoding);
	if (type->kind != NORN_TYPE_UNSIGNED && type->kind != NORN_TYPE_BOOL)
		type->kind = NORN_TYPE_SIGNED;
	const char *tag = dwarf_diename(die);
	size_t length = tag ? strlen(tag) : 0;
	char *name = *type->name ? NULL : norn_must_arena_alloc(&b->program->arena, length + sizeof "enum ");
	if (name) {
		sprintf(name, tag ? "enum %s" : "enum", tag);
		type->name = name;
	}
}

/* ---- structs, unions, functions ---- */

/* A bit-field that begins at the given bit of its struct: its word, as declared, if it lies in one. */
static void place_bits(struct norn_member *member, uint64_t bit, uint64_t bits, uint64_t word)
{
	uint64_t offset = word ? bit / (8 * word) * word : bit / 8;
	if (!word || bit + bits > (offset + word) * 8)
		offset = bit / 8;
	member->offset = offset;
	member->bit_offset = bit - offset * 8;
	member->bit_size = bits;
}

/* False if the member has no fixed place. */
static bool place_member(struct norn_member *member, Dwarf_Die *die)
{
	uint64_t bits, bit, word = 0;
	int64_t from_top;
	Dwarf_Die type = *die;
	if (step(&type) && strip(&type, true, NULL))
		norn_die_number(&type, DW_AT_byte_size, &word);
	if (norn_die_has(die, DW_AT_data_member_location) && !norn_die_member_location(die, &member->offset))
		return false;
	if (!norn_die_number(die, DW_AT_bit_size, &bits) || bits == 0 || bits > 128)
		return true;
	if (norn_die_number(die, DW_AT_data_bit_offset, &bit)) {
		place_bits(member, bit, bits, word);
	} else if (norn_die_signed(die, DW_AT_bit_offset, &from_top)) { /* counted from the most significant bit of its storage */
		uint64_t storage = word;
		norn_die_number(die, DW_AT_byte_size, &storage);
		place_bits(member, member->offset * 8 + storage * 8 - (uint64_t)from_top - bits, bits, word);
	} else {
		place_bits(member, member->offset * 8, bits, word);
	}
	return true;
}

static bool is_field(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	return tag == DW_TAG_inheritance ||
	       (tag == DW_TAG_member && !norn_die_flag(die, DW_AT_external) && !norn_die_flag(die, DW_AT_declaration));
}

static bool is_parameter(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_formal_parameter;
}

static void fill_members(struct build *b, struct norn_type *type, Dwarf_Die *die, bool (*wanted)(Dwarf_Die *))
{
	Dwarf_Die child;
	uint32_t count = 0;
	for (bool more = norn_die_child(die, &child); more; more = norn_die_next(&child))
		count += wanted(&child);
	if (!count)
		return;
	struct norn_member *members = norn_must_arena_alloc(&b->program->arena, count * sizeof *members);
	uint32_t used = 0;
	for (bool more = norn_die_child(die, &child); more && used < count; more = norn_die_next(&child)) {
		if (!wanted(&child))
			continue;
		struct norn_member *member = &members[used];
		const char *name = dwarf_tag(&child) == DW_TAG_inheritance ? NULL : dwarf_diename(&child);
		*member = (struct norn_member){.name = name ? name : ""};
		if (type->kind != NORN_TYPE_FUNCTION && !place_member(member, &child))
			continue;
		member->type = meet_type_of(b, &child);
		used++;
	}
	type->members = members;
	type->member_count = used;
}

static void fill_record(struct build *b, struct norn_type *type, Dwarf_Die *die)
{
	type->kind = dwarf_tag(die) == DW_TAG_union_type ? NORN_TYPE_UNION : NORN_TYPE_STRUCT;
	const char *tag = dwarf_diename(die);
	if (tag)
		type->name = tag;
	fill_members(b, type, die, is_field);
}

static bool has_child(Dwarf_Die *die, int tag)
{
	Dwarf_Die child;
	for (bool more = norn_die_child(die, &child); more; more = norn_die_next(&child))
		if (dwarf_tag(&child) == tag)
			return true;
	return false;
}

static void fill_function(struct build *b, struct norn_type *type, Dwarf_Die *die)
{
	type->kind = NORN_TYPE_FUNCTION;
	Dwarf_Die origin = *die, result = *die;
	/* A function that the optimiser changed may lack parameters that it had. */
	if (norn_die_reference(die, DW_AT_abstract_origin, &origin) && !has_child(&origin, DW_TAG_formal_parameter))
		origin = *die;
	fill_members(b, type, &origin, is_parameter);
	if (step(&result))
		type->target = meet(b, result);
	/* With -g1 no function has parameters or a result, nor says that it has a prototype. */
	bool bare = !type->member_count && !type->target && !norn_die_flag(die, DW_AT_prototyped) && !norn_die_is_scoped(die);
	type->variadic = bare || has_child(&origin, DW_TAG_unspecified_parameters);
}

/* ---- arrays ---- */

static uint64_t dimension(Dwarf_Die *range)
{
	uint64_t count;
	if (norn_die_number(range, DW_AT_count, &count))
		return count;
	int64_t last;
	return norn_die_signed(range, DW_AT_upper_bound, &last) && last >= 0 ? (uint64_t)last + 1 : 0;
}

static void fill_array(struct build *b, struct norn_type *type, Dwarf_Die *die)
{
	const struct norn_type *element = meet_type_of(b, die);
	Dwarf_Die child;
	uint64_t counts[DIMENSIONS_MAX];
	unsigned dimensions = 0;
	for (bool more = norn_die_child(die, &child); more && dimensions < DIMENSIONS_MAX; more = norn_die_next(&child))
		if (dwarf_tag(&child) == DW_TAG_subrange_type)
			counts[dimensions++] = dimension(&child);
	type->kind = NORN_TYPE_ARRAY;
	type->count = dimensions ? counts[0] : 0;
	for (unsigned i = 1; i < dimensions; i++) {
		struct norn_type *row = norn_must_arena_alloc(&b->program->arena, sizeof *row);
		*row = (struct norn_type){.kind = NORN_TYPE_ARRAY, .name = "", .count = counts[i]};
		type->target = row;
		type = row;
	}
	type->target = element;
}

/* Once its elements have theirs. */
static uint64_t array_size(const struct norn_type *type)
{
	uint64_t size = 1;
	for (int hops = 0; hops < HOPS_MAX; hops++, type = type->target) {
		if (type->kind != NORN_TYPE_ARRAY || !type->target)
			return __builtin_mul_overflow(size, type->size, &size) ? 0 : size;
		if (__builtin_mul_overflow(size, type->count, &size))
			return 0;
	}
	return 0;
}

/* ---- all of them ---- */

static void fill(struct build *b, struct norn_type *type, Dwarf_Die die)
{
	if (dwarf_tag(&die) == DW_TAG_typedef) {
		const char *alias = dwarf_diename(&die);
		type->name = alias ? alias : "";
		if (!strip(&die, true, NULL))
			return;
	}
	int tag = dwarf_tag(&die);
	norn_die_number(&die, DW_AT_byte_size, &type->size);
	const char *name = dwarf_diename(&die);
	switch (tag) {
	case DW_TAG_base_type:
		fill_base(type, &die);
		break;
	case DW_TAG_enumeration_type:
		fill_enum(b, type, &die);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		type->kind = NORN_TYPE_POINTER;
		type->size = type->size ? type->size : 8;
		type->target = meet_type_of(b, &die);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		fill_record(b, type, &die);
		break;
	case DW_TAG_array_type:
		fill_array(b, type, &die);
		break;
	case DW_TAG_subprogram:
	case DW_TAG_subroutine_type:
		fill_function(b, type, &die);
		return; /* a function's name is not that of its type */
	default:
		break;
	}
	if (!*type->name && name)
		type->name = name;
}

/* ---- names ---- */

struct type_text {
	char chars[240];
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void say(struct type_text *text, const char *format, ...)
{
	size_t room = sizeof text->chars - text->used;
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(text->chars + text->used, room, format, arguments);
	va_end(arguments);
	text->used += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

static void render(struct type_text *text, const struct norn_type *type, int depth);

static void render_parameters(struct type_text *text, const struct norn_type *type, int depth)
{
	say(text, "(");
	for (uint32_t i = 0; i < type->member_count && text->used < sizeof text->chars - 1; i++) {
		say(text, "%s", i ? ", " : "");
		render(text, type->members[i].type, depth + 1);
	}
	say(text, "%s)", type->variadic ? type->member_count ? ", ..." : "" : type->member_count ? "" : "void");
}

static void render_pointer(struct type_text *text, const struct norn_type *target, int depth)
{
	if (target && target->kind == NORN_TYPE_FUNCTION && (!*target->name || strchr(target->name, '('))) { /* no typedef */
		render(text, target->target ? target->target : &type_void, depth + 1);
		say(text, " (*)");
		render_parameters(text, target, depth);
		return;
	}
	render(text, target ? target : &type_void, depth + 1);
	say(text, text->used && text->chars[text->used - 1] == '*' ? "*" : " *");
}

/* As C spells it. */
static void render(struct type_text *text, const struct norn_type *type, int depth)
{
	if (depth > RENDER_DEPTH || text->used >= sizeof text->chars - 1) {
		say(text, "...");
	} else if (type->kind == NORN_TYPE_STRUCT || type->kind == NORN_TYPE_UNION) {
		say(text, "%s%s%s", type->kind == NORN_TYPE_STRUCT ? "struct" : "union", *type->name ? " " : "", type->name);
	} else if (*type->name) {
		say(text, "%s", type->name);
	} else if (type->kind == NORN_TYPE_POINTER) {
		render_pointer(text, type->target, depth);
	} else if (type->kind == NORN_TYPE_ARRAY) {
		const struct norn_type *element = type;
		for (int i = 0; i < DIMENSIONS_MAX && element->kind == NORN_TYPE_ARRAY && !*element->name && element->target; i++)
			element = element->target;
		render(text, element, depth + 1);
		say(text, " ");
		for (const struct norn_type *t = type; t != element; t = t->target)
			t->count ? say(text, "[%llu]", (unsigned long long)t->count) : say(text, "[]");
	} else if (type->kind == NORN_TYPE_FUNCTION) {
		render(text, type->target ? type->target : &type_void, depth + 1);
		say(text, " ");
		render_parameters(text, type, depth);
	}
}

static bool is_derived(const struct norn_type *type)
{
	return type->kind == NORN_TYPE_POINTER || type->kind == NORN_TYPE_ARRAY || type->kind == NORN_TYPE_FUNCTION;
}

static void name_type(struct norn_program *program, struct norn_type *type)
{
	struct type_text text = {.used = 0};
	render(&text, type, 0);
	if (text.used)
		type->name = norn_must_arena_text(&program->arena, text.chars, text.used);
}

/* Names are given last, when all types that they are made of are filled, and each by itself: none is taken from another. */
static void finish(struct build *b)
{
	for (uint32_t i = 0; i < b->made.count; i++) /* which grows meanwhile */
		fill(b, b->made.items[i].type, b->made.items[i].die);
	for (uint32_t i = 0; i < b->made.count; i++)
		for (struct norn_type *t = b->made.items[i].type; t->kind == NORN_TYPE_ARRAY && !t->size;) {
			t->size = array_size(t);
			struct norn_type *row = (struct norn_type *)t->target;
			if (!row || row->kind != NORN_TYPE_ARRAY || *row->name || !t->size)
				break;
			t = row;
		}
	for (uint32_t i = 0; i < b->made.count; i++)
		for (struct norn_type *t = b->made.items[i].type; is_derived(t) && !*t->name;) {
			name_type(b->program, t);
			if (t->kind != NORN_TYPE_ARRAY || !t->target || t->target->kind != NORN_TYPE_ARRAY)
				break;
			t = (struct norn_type *)t->target;
		}
	norn_vector_done(&b->made);
}

const struct norn_type *norn_type_of(struct norn_program *program, Dwarf_Die *die)
{
	struct build b = {.program = program};
	Dwarf_Die type = *die;
	const struct norn_type *met = step(&type) ? meet(&b, type) : &norn_type_unknown; /* no variable is void */
	finish(&b);
	return met;
}

const struct norn_type *norn_type_at(struct norn_program *program, Dwarf_Die *die)
{
	struct build b = {.program = program};
	const struct norn_type *met = meet(&b, *die);
	finish(&b);
	return met;
}

const struct norn_type *norn_type_of_function(struct norn_program *program, Dwarf_Die *die)
{
	const struct norn_type *type = norn_type_at(program, die);
	return type->kind == NORN_TYPE_FUNCTION ? type : &norn_type_unknown_function;
}

/* ---- by sites ---- */

static enum norn_type_kind kind_of_site(const struct norn_named_site *site)
{
	if (site->site->flags & NORN_SITE_FLOAT)
		return NORN_TYPE_FLOAT;
	if (site->site->flags & NORN_SITE_POINTER)
		return NORN_TYPE_POINTER;
	if (site->site->flags & NORN_SITE_SIGNED)
		return NORN_TYPE_SIGNED;
	/* Without a type's name the pass knows nothing of signs. */
	if (!*site->type || site->site->flags & NORN_SITE_BITFIELD)
		return NORN_TYPE_UNKNOWN;
	if (strncmp(site->type, "struct", 6) == 0 || strncmp(site->type, "union", 5) == 0 || strchr(site->type, '['))
		return NORN_TYPE_UNKNOWN;
	return strcmp(site->type, "_Bool") == 0 || strcmp(site->type, "bool") == 0 ? NORN_TYPE_BOOL : NORN_TYPE_UNSIGNED;
}

const struct norn_type *norn_type_of_size(struct norn_program *program, uint64_t bytes)
{
	if (!bytes)
		return &norn_type_unknown;
	struct norn_type *type = norn_must_arena_alloc(&program->arena, sizeof *type);
	*type = (struct norn_type){.kind = NORN_TYPE_UNKNOWN, .name = "", .size = bytes};
	return type;
}

const struct norn_type *norn_type_of_site(struct norn_program *program, const struct norn_named_site *site, uint64_t bytes)
{
	if (!site->site->size || (bytes && site->site->size != bytes))
		return norn_type_of_size(program, bytes);
	struct norn_type *type = norn_must_arena_alloc(&program->arena, sizeof *type);
	*type = (struct norn_type){.kind = kind_of_site(site), .name = site->type, .size = site->site->size};
	if (type->kind == NORN_TYPE_POINTER)
		type->target = &norn_type_unknown;
	return type;
}

const struct norn_type *norn_type_of_element(struct norn_program *program, const struct norn_named_site *site, uint64_t bytes)
{
	uint64_t size = site->site->size;
	if (!size || bytes % size)
		return norn_type_of_size(program, bytes);
	struct norn_type *type = norn_must_arena_alloc(&program->arena, sizeof *type);
	*type = (struct norn_type){.kind = NORN_TYPE_ARRAY, .name = "", .size = bytes, .count = bytes / size};
	type->target = norn_type_of_site(program, site, 0);
	name_type(program, type);
	return type;
}
