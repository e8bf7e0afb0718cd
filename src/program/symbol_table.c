#include "program/symbol_table.h"

#include <string.h>

#include "base/must.h"

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
static void undecorate(struct norn_program *program, const char *name, bool is_function, struct decorated *ret_name)
{
	*ret_name = (struct decorated){.name = name, .function = "", .plain = true};
	size_t length = strcspn(name, "@"), first = strcspn(name, ".");
	if (name[length]) {
		ret_name->name = norn_must_arena_text(&program->arena, name, length);
		return;
	}
	if (!name[first] || first == 0)
		return;
	ret_name->plain = false;
	ret_name->part = strstr(name, ".cold") || strstr(name, ".part.");
	const char *head = norn_must_arena_text(&program->arena, name, first), *rest = name + first + 1;
	const char *tail = norn_must_arena_text(&program->arena, rest, strcspn(rest, "."));
	bool optimiser = strcmp(tail, "llvm") == 0 || strcmp(tail, "lto_priv") == 0;
	if (is_function || is_number(tail) || optimiser || !norn_index_first(program, true, head)) {
		ret_name->name = head;
	} else {
		ret_name->name = tail;
		ret_name->function = head;
	}
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
	for (; entry; entry = entry->next)
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

/* The debugging information about a global symbol, but not its place. */
static struct norn_die without_place(const struct norn_object *object, const struct norn_symbol *symbol)
{
	const struct norn_entry *entry = norn_index_first(object->program, symbol->is_function, symbol->name);
	for (; entry; entry = entry->next)
		if (entry->symbol.module == object->number && entry->symbol.optimised_out && !entry->symbol.is_static)
			return entry->die;
	uint32_t declared = norn_table_find(&object->declared, symbol->name, strlen(symbol->name));
	bool known_type = declared != NORN_TABLE_NONE && !symbol->is_function;
	return known_type ? object->declarations.items[declared] : (struct norn_die){0};
}

static void add(struct norn_object *object, const struct norn_symbol *symbol, const struct decorated *name, bool is_local)
{
	struct norn_entry *same = known(object, symbol);
	bool alias = same && strcmp(same->symbol.name, symbol->name) != 0;
	if (same && (!alias || is_local || !name->plain || strncmp(symbol->name, "_Z", 2) == 0)) {
		merge(same, symbol);
		return;
	}
	struct norn_entry entry = {.symbol = *symbol};
	if (same)
		entry.die = same->die;
	else if (!is_local)
		entry.die = without_place(object, symbol);
	norn_index_add(object, &entry);
}

static void add_symbol(struct norn_object *object, const GElf_Sym *elf, const char *name, const char *file)
{
	int type = GELF_ST_TYPE(elf->st_info);
	bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
	/* A hidden symbol was global until the linker made it local. */
	bool is_local = GELF_ST_BIND(elf->st_info) == STB_LOCAL && GELF_ST_VISIBILITY(elf->st_other) == STV_DEFAULT;
	if (elf->st_shndx == SHN_UNDEF || elf->st_shndx == SHN_ABS || strncmp(name, "norn.", 5) == 0)
		return;
	if (!is_function && type != STT_OBJECT && type != STT_COMMON && type != STT_TLS)
		return;
	if (type == STT_TLS ? elf->st_value >= object->elf.tls.p_memsz : !norn_elf_holds(&object->elf, elf->st_value, 1))
		return;
	struct decorated decorated;
	undecorate(object->program, name, is_function, &decorated);
	if (decorated.part || !*decorated.name)
		return;
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
	add(object, &symbol, &decorated, is_local);
}

static void add_symbols(struct norn_object *object, Elf_Scn *table, bool functions)
{
	const char *file = "";
	for (size_t i = 0, n = norn_elf_symbol_count(table); i < n; i++) {
		GElf_Sym symbol;
		const char *name;
		bool named = norn_elf_symbol(&object->elf, table, i, &symbol, &name);
		if (GELF_ST_TYPE(symbol.st_info) == STT_FILE)
			file = named ? name : "";
		bool is_function = GELF_ST_TYPE(symbol.st_info) == STT_FUNC || GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC;
		if (named && is_function == functions)
			add_symbol(object, &symbol, name, file);
	}
}

/* A function that has events but no symbol: the table was stripped. */
static void add_site_function(struct norn_object *object, const struct norn_named_site *site)
{
	struct norn_program *program = object->program;
	const char *name = site->name, *function = "";
	for (const char *p; (p = strstr(name, "::"));) {
		name = p + 2;
		function = NULL;
	}
	struct norn_entry *entry = norn_index_first(program, true, name);
	for (; entry; entry = entry->next)
		if (entry->symbol.module == object->number && !entry->symbol.optimised_out)
			return;
	if (!function)
		function = norn_must_arena_text(&program->arena, site->name, name - site->name - 2);
	struct norn_entry new = {
	        .symbol = {.name = name, .file = site->file, .function = function, .is_function = true, .instrumented = true}};
	if (*name)
		norn_index_add(object, &new);
}

void norn_symtab_index(struct norn_object *object)
{
	Elf_Scn *table = object->elf.symbols ? object->elf.symbols : object->elf.dynamic_symbols;
	/* Functions first: they tell which names of statics begin with one. */
	add_symbols(object, table, true);
	add_symbols(object, table, false);
	for (uint32_t i = 0; i < object->sites.named.count; i++)
		if (object->sites.named.items[i].site->kind == NORN_SITE_ENTER)
			add_site_function(object, &object->sites.named.items[i]);
}
