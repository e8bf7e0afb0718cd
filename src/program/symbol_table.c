#include "program/symbol_table.h"

#include <errno.h>
#include <string.h>

/* A symbol's name as compilers decorate it. */
struct decorated {
	const char *name; /* of the source */
	const char *function; /* that it is a static of, "" if unknown */
	bool plain; /* not decorated */
	bool part; /* no whole function */
};

static bool is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

/* A symbol "radio.set" or "fn.count" of clang, "count.7" of gcc; "fn.part.0", "x.llvm.123" of optimisers; "f@@VERSION". */
static int undecorate(struct norn_program *program, const char *name, bool is_function, struct decorated *ret_name)
{
	*ret_name = (struct decorated){.name = name, .function = "", .plain = true};
	size_t length = strcspn(name, "@"), first = strcspn(name, ".");
	if (name[length]) {
		ret_name->name = norn_arena_text(&program->arena, name, length);
		return ret_name->name ? 0 : -ENOMEM;
	}
	if (!name[first] || first == 0)
		return 0;
	ret_name->plain = false;
	ret_name->part = strstr(name, ".cold") || strstr(name, ".part.");
	const char *head = norn_arena_text(&program->arena, name, first), *rest = name + first + 1;
	if (!head)
		return -ENOMEM;
	size_t word = strcspn(rest, ".");
	const char *tail = norn_arena_text(&program->arena, rest, word);
	if (!tail)
		return -ENOMEM;
	bool optimiser = strcmp(tail, "llvm") == 0 || strcmp(tail, "lto_priv") == 0;
	if (is_function || is_number(tail) || optimiser || !norn_index_first(program, true, head)) {
		ret_name->name = head;
	} else {
		ret_name->name = tail;
		ret_name->function = head;
	}
	return 0;
}

/* The entry that debugging information has for a symbol, whatever its name. */
static struct norn_entry *known(struct norn_object *object, const struct norn_symbol *symbol)
{
	if (!symbol->is_thread_local) {
		struct norn_entry *first = norn_index_at(object, symbol->is_function, symbol->address);
		if (!first || strcmp(first->symbol.name, symbol->name) == 0)
			return first;
	}
	struct norn_entry *entry = norn_index_first(object->program, symbol->is_function, symbol->name);
	for (; entry; entry = norn_index_next(object->program, entry))
		if (entry->symbol.module == object->number && entry->symbol.address == symbol->address &&
		        !entry->symbol.optimised_out && entry->symbol.is_thread_local == symbol->is_thread_local)
			return entry;
	return symbol->is_thread_local ? NULL : norn_index_at(object, symbol->is_function, symbol->address);
}

/* Debugging information may lack what a decorated name tells: clang forgets the function of a static that was inlined. */
static void merge(struct norn_entry *entry, const struct norn_symbol *symbol)
{
	if (strcmp(entry->symbol.name, symbol->name) != 0)
		return;
	entry->symbol.size = symbol->size;
	if (!*entry->symbol.function)
		entry->symbol.function = symbol->function;
}

/* What debugging information knows of a global symbol, but not its place. */
static struct norn_die without_place(const struct norn_object *object, const struct norn_symbol *symbol)
{
	const struct norn_entry *entry = norn_index_first(object->program, symbol->is_function, symbol->name);
	for (; entry; entry = norn_index_next(object->program, entry))
		if (entry->symbol.module == object->number && entry->symbol.optimised_out && !entry->symbol.is_static)
			return entry->die;
	const struct norn_die *declared = norn_map_get(&object->declared, norn_name_hash(symbol->name));
	return declared && !symbol->is_function ? *declared : (struct norn_die){0};
}

static int add(struct norn_object *object, const struct norn_symbol *symbol, const struct decorated *name, bool is_local)
{
	struct norn_entry *same = known(object, symbol);
	bool alias = same && strcmp(same->symbol.name, symbol->name) != 0;
	if (same && (!alias || is_local || !name->plain || strncmp(symbol->name, "_Z", 2) == 0)) {
		merge(same, symbol);
		return 0;
	}
	struct norn_entry entry = {.symbol = *symbol};
	if (same)
		entry.die = same->die;
	else if (!is_local)
		entry.die = without_place(object, symbol);
	return norn_index_add(object, &entry, NULL);
}

static int add_symbol(struct norn_object *object, const GElf_Sym *elf, const char *name, const char *file)
{
	int type = GELF_ST_TYPE(elf->st_info);
	bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
	/* A hidden symbol was global until the linker made it local. */
	bool is_local = GELF_ST_BIND(elf->st_info) == STB_LOCAL && GELF_ST_VISIBILITY(elf->st_other) == STV_DEFAULT;
	if (elf->st_shndx == SHN_UNDEF || elf->st_shndx == SHN_ABS || strncmp(name, "norn.", 5) == 0)
		return 0;
	if (!is_function && type != STT_OBJECT && type != STT_COMMON && type != STT_TLS)
		return 0;
	if (type == STT_TLS ? elf->st_value >= object->elf.tls.p_memsz : !norn_elf_holds(&object->elf, elf->st_value, 1))
		return 0;
	struct decorated decorated;
	int r = undecorate(object->program, name, is_function, &decorated);
	if (r < 0 || decorated.part || !*decorated.name)
		return r;
	struct norn_symbol symbol = {
	        .name = decorated.name,
	        .file = is_local ? file : "",
	        .function = decorated.function,
	        .address = elf->st_value,
	        .size = elf->st_size,
	        .is_function = is_function,
	        .is_static = is_local,
	        .is_thread_local = type == STT_TLS,
	};
	return add(object, &symbol, &decorated, is_local);
}

static int add_symbols(struct norn_object *object, Elf_Scn *table, bool functions)
{
	const char *file = "";
	for (size_t i = 0, n = norn_elf_symbol_count(table); i < n; i++) {
		GElf_Sym symbol;
		const char *name;
		bool named = norn_elf_symbol(&object->elf, table, i, &symbol, &name);
		if (GELF_ST_TYPE(symbol.st_info) == STT_FILE)
			file = named ? name : "";
		bool is_function = GELF_ST_TYPE(symbol.st_info) == STT_FUNC || GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC;
		int r = named && is_function == functions ? add_symbol(object, &symbol, name, file) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

/* A function that has events but no symbol: the table was stripped. */
static int add_site_function(struct norn_object *object, const struct norn_named_site *site)
{
	struct norn_program *program = object->program;
	const char *name = site->name, *function = "";
	for (const char *p; (p = strstr(name, "::"));) {
		name = p + 2;
		function = NULL;
	}
	struct norn_entry *entry = norn_index_first(program, true, name);
	for (; entry; entry = norn_index_next(program, entry))
		if (entry->symbol.module == object->number && !entry->symbol.optimised_out)
			return 0;
	if (!function)
		function = norn_arena_text(&program->arena, site->name, name - site->name - 2);
	if (!function)
		return -ENOMEM;
	struct norn_entry new = {
	        .symbol = {.name = name, .file = site->file, .function = function, .is_function = true, .instrumented = true}};
	return *name ? norn_index_add(object, &new, NULL) : 0;
}

int norn_symtab_index(struct norn_object *object)
{
	Elf_Scn *table = object->elf.symbols ? object->elf.symbols : object->elf.dynamic_symbols;
	/* Functions first: they tell which names of statics begin with one. */
	int r = add_symbols(object, table, true);
	if (r == 0)
		r = add_symbols(object, table, false);
	for (uint32_t i = 0; r == 0 && i < object->sites.named_count; i++)
		if (object->sites.named[i].site->kind == NORN_SITE_ENTER)
			r = add_site_function(object, &object->sites.named[i]);
	return r;
}
