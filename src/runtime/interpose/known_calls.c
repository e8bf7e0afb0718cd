/* See known_calls.h. */
#include "runtime/interpose/known_calls.h"

#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>

#include "effects/effects.h"
#include "effects/effects_image.h"
#include "runtime/hooks.h"
#include "runtime/interpose/interpose.h"
#include "runtime/interpose/libraries.h"
#include "runtime/self.h"
#include "runtime/sys.h"
#include "trace/session.h"
#include "trace/site.h"

/* ---- images ---- */

#define OWN ((const struct norn_effects_image *)(const void *)norn_effects_own_image)
static const struct norn_effects_image *model; /* NULL: none. Written once, before there are threads */

/* Rows of both are numbered, the model's behind the others. */
static const struct norn_effects_image *image_of(uint32_t row)
{
	return row < OWN->rows ? OWN : model;
}

static const struct norn_effects_row *row_at(uint32_t row)
{
	return row < OWN->rows ? norn_effects_image_rows(OWN) + row : norn_effects_image_rows(model) + (row - OWN->rows);
}

static const char *text_of(uint32_t row, uint32_t text)
{
	return norn_effects_image_text(image_of(row), text);
}

void norn_known_calls_start(const char *directory)
{
	char path[4096 + sizeof NORN_SESSION_MODEL];
	struct norn_effects_image head;
	if (strlen(directory) >= 4096)
		return;
	strcpy(path, directory);
	strcat(path, NORN_SESSION_MODEL);
	int fd = norn_sys_open_own(path, O_RDONLY);
	if (fd < 0)
		return;
	if (norn_syscall(SYS_pread64, fd, (long)&head, sizeof head, 0, 0, 0) == sizeof head &&
	        head.magic == NORN_EFFECTS_IMAGE_MAGIC) {
		struct norn_effects_image *copy = norn_sys_memory(head.bytes);
		if (copy && norn_syscall(SYS_pread64, fd, (long)copy, head.bytes, 0, 0, 0) == (long)head.bytes)
			model = copy;
	}
	norn_sys_close(fd);
}

/* ---- rows by name ---- */

/* The later entry wins. rows: 1 + number, 0: none. */
static uint32_t find_in_model(const char *name)
{
	for (uint32_t i = model ? model->rows : 0; i-- > 0;) {
		const struct norn_effects_row *row = norn_effects_image_rows(model) + i;
		const char *entry = norn_effects_image_text(model, row->name);
		bool prefix = row->flags & NORN_EFFECTS_ROW_PREFIX;
		if (prefix ? strncmp(name, entry, strlen(entry)) == 0 : strcmp(name, entry) == 0)
			return OWN->rows + i + 1;
	}
	return 0;
}

/* The first of this name. */
static uint32_t find_own(const char *name)
{
	const struct norn_effects_row *rows = norn_effects_image_rows(OWN);
	uint32_t low = 0, high = OWN->rows;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (strcmp(norn_effects_image_text(OWN, rows[middle].name), name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < OWN->rows && strcmp(norn_effects_image_text(OWN, rows[low].name), name) == 0 ? low + 1 : 0;
}

/* ---- rows by address ---- */

#define SLOTS (1u << 14)
static struct {
	uintptr_t address; /* 0: free */
	uint32_t row; /* 1 + number */
} slots[SLOTS]; /* open addressing; all is written before `ready` is */
static uint32_t slot_count;
static _Atomic uint32_t ready; /* 0: not yet, 1: being made, 2: made. Pairs with the release of the thread that made it */

static uint32_t slot_of(uintptr_t address)
{
	return (uint32_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 50);
}

static void put(uintptr_t address, uint32_t row)
{
	uint32_t i = slot_of(address);
	while (slots[i].address)
		i = (i + 1) % SLOTS;
	slots[i].address = address;
	slots[i].row = row;
	slot_count++;
}

struct symbols {
	const ElfW(Sym) * all;
	const char *names;
	const uint16_t *versions;
	const uint32_t *hash; /* DT_GNU_HASH */
};

static struct symbols symbols_of(const struct norn_library *library)
{
	struct symbols s = {0};
	for (const ElfW(Dyn) *d = library->dynamic; d->d_tag != DT_NULL; d++) {
		/* The loader has made these addresses, but in the kernel's own library, which is not asked for. */
		const void *at = (const void *)(d->d_un.d_ptr < library->base ? d->d_un.d_ptr + library->base : d->d_un.d_ptr);
		if (d->d_tag == DT_SYMTAB)
			s.all = at;
		else if (d->d_tag == DT_STRTAB)
			s.names = at;
		else if (d->d_tag == DT_VERSYM)
			s.versions = at;
		else if (d->d_tag == DT_GNU_HASH)
			s.hash = at;
	}
	return s;
}

/* A table by DT_GNU_HASH has the symbols that are defined, from its second word on; the last of a chain is odd. */
static uint32_t count_symbols(const struct symbols *s)
{
	uint32_t buckets = s->hash[0], first = s->hash[1], last = 0;
	const uint32_t *bucket = s->hash + 4 + (size_t)s->hash[2] * 2, *chain = bucket + buckets;
	for (uint32_t i = 0; i < buckets; i++)
		last = bucket[i] > last ? bucket[i] : last;
	if (last < first)
		return 0;
	while (!(chain[last - first] & 1))
		last++;
	return last + 1;
}

static bool is_hooked(uint32_t row)
{
	return row_at(row)->flags & NORN_EFFECTS_ROW_HOOKED;
}

static void note_symbol(const struct norn_library *library, const struct symbols *s, uint32_t number)
{
	const ElfW(Sym) *symbol = s->all + number;
	unsigned type = ELF64_ST_TYPE(symbol->st_info);
	bool hidden = s->versions && s->versions[number] & 0x8000; /* an older version */
	if (symbol->st_shndx == SHN_UNDEF || !symbol->st_value || hidden || (type != STT_FUNC && type != STT_GNU_IFUNC))
		return;
	const char *name = s->names + symbol->st_name;
	uint32_t row = find_in_model(name);
	row = !row && library->known ? find_own(name) : row;
	if (!row || slot_count > SLOTS / 2 || (row <= OWN->rows && is_hooked(row - 1) && !library->own))
		return;
	uintptr_t address = library->base + symbol->st_value;
	if (type == STT_GNU_IFUNC && !library->known)
		return;
	if (type == STT_GNU_IFUNC) /* as the loader does */
		address = ((uintptr_t (*)(uint64_t))address)(getauxval(AT_HWCAP));
	put(address, row);
}

static NORN_COLD void make_table(void)
{
	for (unsigned i = 0; i < norn_library_count; i++) {
		const struct norn_library *library = norn_libraries + i;
		struct symbols s = library->known || model ? symbols_of(library) : (struct symbols){0};
		if (!s.all || !s.names || !s.hash)
			continue;
		for (uint32_t n = s.hash[1], count = count_symbols(&s); n < count; n++)
			note_symbol(library, &s, n);
	}
}

/* One thread makes it, without being interrupted: a handler of signals may call through a pointer, too. */
static NORN_COLD void await_table(void)
{
	uint64_t mask = norn_sys_block();
	uint32_t none = 0;
	if (atomic_compare_exchange_strong(&ready, &none, 1)) {
		make_table();
		atomic_store_explicit(&ready, 2, memory_order_release);
	}
	norn_sys_unblock(mask);
	for (unsigned waits = 0; atomic_load_explicit(&ready, memory_order_acquire) != 2; waits++)
		norn_sys_yield(waits);
}

void norn_known_calls_fork_child(void)
{
	if (atomic_load(&ready) == 2)
		return;
	memset(slots, 0, sizeof slots); /* another thread was about to fill it, and is not here */
	slot_count = 0;
	atomic_store(&ready, 0);
}

/* ---- the row of a call ---- */

/* Does the row speak of calls with these types? They end where a name begins. */
static bool fits(uint32_t row, const char *types)
{
	uint32_t type = row_at(row)->type;
	if (!type)
		return true;
	const char *wanted = text_of(row, type);
	size_t length = strlen(wanted);
	return strncmp(types, wanted, length) == 0 && (types[length] == 0 || types[length] == ':');
}

/* The row, or another entry of the same name: they stand side by side. */
static uint32_t find_fitting(uint32_t row, const char *types)
{
	const char *name = text_of(row, row_at(row)->name);
	for (uint32_t i = row; i < OWN->rows && strcmp(text_of(i, row_at(i)->name), name) == 0; i++)
		if (fits(i, types))
			return i + 1;
	return row >= OWN->rows && fits(row, types) ? row + 1 : 0;
}

static uint32_t find_by_address(const struct norn_known_call *call)
{
	if (atomic_load_explicit(&ready, memory_order_acquire) != 2)
		await_table();
	uint32_t found = 0;
	uintptr_t address = (uintptr_t)call->target;
	for (uint32_t i = slot_of(address); slots[i].address && !found; i = (i + 1) % SLOTS)
		if (slots[i].address == address)
			found = find_fitting(slots[i].row - 1, call->types);
	return found;
}

static uint32_t find(const struct norn_known_call *call)
{
	const char *name = strchr(call->types, ':');
	if (!name)
		return call->target ? find_by_address(call) : 0;
	uint32_t row = find_in_model(name + 1);
	return row && fits(row - 1, call->types) ? row : 0;
}

/* ---- memory ---- */

#define NONE NORN_EFFECTS_NONE

struct extent {
	const void *pointer, *other;
	size_t limit;
	uint32_t kind;
};

static size_t product(size_t a, size_t b)
{
	size_t result;
	return __builtin_mul_overflow(a, b, &result) ? SIZE_MAX : result;
}

static size_t limit_of(const struct norn_known_call *call, const struct norn_effects_row_part *p, int64_t result)
{
	bool of_result = p->limit == NORN_EFFECTS_RESULT, given = p->limit != NONE;
	if (p->limit_behind)
		return call->arguments[p->limit];
	size_t limit = p->bytes ? p->bytes : given || p->times != NONE ? 1 : SIZE_MAX;
	if (given)
		limit = product(limit, of_result ? (size_t)(result > 0 ? result : 0) : call->arguments[p->limit]);
	return p->times != NONE ? product(limit, call->arguments[p->times]) : limit;
}

/* Before the call its result is unknown. */
static bool is_touched(const struct norn_known_call *call, const struct norn_effects_row_part *p, bool after, int64_t result)
{
	bool of_result = p->subject == NORN_EFFECTS_RESULT;
	if (p->condition == NORN_EFFECTS_ALWAYS || (of_result && !after))
		return true;
	int64_t subject = of_result ? result : (int64_t)call->arguments[p->subject];
	return p->condition == NORN_EFFECTS_IF_AT_LEAST ? subject >= p->value
	       : p->condition == NORN_EFFECTS_IF_IS     ? subject == p->value
	                                                : subject != p->value;
}

static const void *variable(uint32_t row, const struct norn_effects_row_part *p)
{
	const char *name = text_of(row, p->global);
	const void *found = strcmp(name, "environ") == 0 ? (const void *)&environ : NULL;
	return found && p->behind ? *(const void *const *)found : found;
}

/* False: it is not touched, or never changes. */
static bool find_extent(const struct norn_known_call *call, uint32_t row, const struct norn_effects_row_part *p, bool after,
        int64_t result, struct extent *ret_extent)
{
	if (!is_touched(call, p, after, result))
		return false;
	ret_extent->pointer = p->pointer == NORN_EFFECTS_GLOBAL   ? variable(row, p)
	                      : p->pointer == NORN_EFFECTS_RESULT ? (const void *)result
	                                                          : (const void *)call->arguments[p->pointer];
	ret_extent->other = p->other == NONE ? NULL : (const void *)call->arguments[p->other];
	ret_extent->limit = limit_of(call, p, result);
	ret_extent->kind = p->extent | (p->limit_behind ? NORN_EXTENT_BEHIND : 0u) |
	                   (row_at(row)->flags & NORN_EFFECTS_ROW_CAREFUL ? NORN_EXTENT_CAREFUL : 0u);
	return ret_extent->pointer && !norn_is_constant(ret_extent->pointer);
}

uint64_t *norn_known_call_room(const struct norn_known_call *call)
{
	return call->arguments - 1;
}

/* Bytes of the text that another part begins at the end of. */
static uint64_t *bytes_before(const struct norn_known_call *call)
{
	return call->arguments - 2;
}

static unsigned argument_count(const struct norn_known_call *call)
{
	return (unsigned)call->arguments[-NORN_KNOWN_CALL_ROOM];
}

static const struct norn_effects_row_part *parts_of(uint32_t row)
{
	return norn_effects_image_parts(image_of(row)) + row_at(row)->parts;
}

/* ---- formats of printf ---- */

/* One argument that a format takes. */
struct call_conversion {
	char letter;
	unsigned argument;
	size_t limit; /* s: so many bytes at most; n: so many bytes */
};

/* Behind a %: 1 if it takes an argument that matters, 0 if not, -1 if it is not understood. *next: the next argument. */
static int convert(const struct norn_known_call *call, const char **format, unsigned *next, struct call_conversion *c)
{
	const char *at = *format + strspn(*format, "-+ #0'I");
	unsigned longs = 0, shorts = 0;
	c->limit = SIZE_MAX;
	for (unsigned precision = 0; precision < 2; precision++) {
		int64_t number = 0;
		if (*at == '*' && *next >= argument_count(call))
			return -1;
		if (*at == '*')
			number = (int32_t)call->arguments[(*next)++];
		for (at += *at == '*'; *at >= '0' && *at <= '9'; at++)
			number = number < 1 << 20 ? number * 10 + (*at - '0') : number;
		if (precision && number >= 0)
			c->limit = (size_t)number;
		if (precision || *at != '.')
			break;
		at++;
	}
	for (; *at && strchr("hlLjztq", *at); at++) {
		longs += *at != 'h';
		shorts += *at == 'h';
	}
	c->letter = *at;
	*format = at + (*at != 0);
	if (!c->letter || !strchr("diouxXeEfFgGaAcspnm%", c->letter) || (longs && strchr("cs", c->letter)))
		return -1;
	if (strchr("m%", c->letter))
		return 0;
	c->argument = (*next)++;
	if (c->letter == 'n')
		c->limit = longs ? 8 : 4u >> shorts;
	return c->argument >= argument_count(call) ? -1 : c->letter == 's' || c->letter == 'n';
}

/* The memory that it reads (s), or has written (n). False: something is not understood. letter 0: only looks whether all is. */
static bool go_through_format(const struct norn_known_call *call, const struct norn_effects_row_part *p, char letter)
{
	const char *at = (const char *)call->arguments[p->pointer];
	unsigned next = p->other;
	while (at && (at = strchr(at, '%'))) {
		struct call_conversion c;
		at++;
		int matters = convert(call, &at, &next, &c);
		if (matters < 0)
			return false;
		void *memory = matters && c.letter == letter ? (void *)call->arguments[c.argument] : NULL;
		if (!memory || !c.limit || norn_is_constant(memory))
			continue;
		if (letter == 's')
			__norn_passed_memory(memory, NULL, c.limit, NORN_EXTENT_TEXT, call->site);
		else
			__norn_filled(memory, c.limit, NORN_EXTENT_BYTES, call->site);
	}
	return true;
}

static bool understands_formats(const struct norn_known_call *call, uint32_t row)
{
	const struct norn_effects_row_part *parts = parts_of(row);
	for (uint8_t i = 0; i < row_at(row)->part_count; i++)
		if (parts[i].extent == NORN_EFFECTS_FORMAT && !go_through_format(call, parts + i, 0))
			return false;
	return true;
}

static bool record_format(const struct norn_known_call *call, const struct norn_effects_row_part *p, char letter)
{
	const char *format = p->extent == NORN_EFFECTS_FORMAT ? (const char *)call->arguments[p->pointer] : NULL;
	if (format && letter == 's' && !norn_is_constant(format))
		__norn_passed_memory(format, NULL, SIZE_MAX, NORN_EXTENT_TEXT, call->site);
	if (format)
		go_through_format(call, p, letter);
	return p->extent == NORN_EFFECTS_FORMAT;
}

/* ---- records ---- */

static void record_reads(const struct norn_known_call *call, uint32_t row)
{
	const struct norn_effects_row_part *parts = parts_of(row);
	uint8_t count = row_at(row)->part_count, after = 0;
	for (uint8_t i = 0; i < count; i++)
		after = parts[i].after ? parts[i].after : after;
	for (uint8_t i = 0; i < count; i++) {
		struct extent e;
		size_t bytes = 0;
		if (record_format(call, parts + i, 's'))
			continue;
		if (parts[i].how & NORN_EFFECTS_READS && find_extent(call, row, parts + i, false, 0, &e))
			bytes = __norn_passed_memory(e.pointer, e.other, e.limit, e.kind, call->site);
		if (after == i + 1)
			*bytes_before(call) = bytes;
	}
}

static void record_writes(const struct norn_known_call *call, uint32_t row, int64_t result)
{
	const struct norn_effects_row_part *parts = parts_of(row);
	for (uint8_t i = 0; i < row_at(row)->part_count; i++) {
		struct extent e;
		if (record_format(call, parts + i, 'n') || !(parts[i].how & NORN_EFFECTS_WRITES) ||
		        !find_extent(call, row, parts + i, true, result, &e))
			continue;
		size_t before = parts[i].after ? *bytes_before(call) : 0;
		char *at = (char *)e.pointer + (before ? before - 1 : 0);
		__norn_filled(at, e.limit, e.kind, call->site);
	}
}

/* ---- calls ---- */

static void use_objects(
        const struct norn_known_call *call, const struct norn_effects_row *r, bool changed, enum norn_object_use use)
{
	for (unsigned i = 0; i < r->object_count; i++)
		if (changed == !!(r->objects[i] & NORN_EFFECTS_OBJECT_CHANGES))
			__norn_object((const void *)call->arguments[r->objects[i] & ~NORN_EFFECTS_OBJECT_CHANGES], use, call->site);
}

uint32_t norn_known_call_begin(const struct norn_known_call *call)
{
	uint32_t found = find(call);
	if (!found)
		return 0;
	uint32_t row = found - 1;
	const struct norn_effects_row *r = row_at(row);
	bool opaque = r->flags & NORN_EFFECTS_ROW_OPAQUE || !understands_formats(call, row);
	bool reads = !opaque && r->flags & NORN_EFFECTS_ROW_READS, changes = r->changes;
	uint32_t looks = r->looks & ~r->changes;
	for (unsigned i = 0; i < r->object_count; i++)
		changes |= r->objects[i] & NORN_EFFECTS_OBJECT_CHANGES;
	use_objects(call, r, true, reads ? NORN_OBJECT_CHANGES : NORN_OBJECT_SETS);
	if (r->changes || (reads && changes && looks))
		__norn_changes(r->changes, reads ? looks << 1 | 1 : 0, call->site);
	if (reads && changes)
		use_objects(call, r, false, NORN_OBJECT_LOOKED);
	if (opaque)
		return 0;
	norn_call_recorded(call->site);
	record_reads(call, row);
	return found;
}

bool norn_known_call_is_modelled(uint32_t row)
{
	return row > OWN->rows;
}

void norn_known_call_end(const struct norn_known_call *call, uint32_t row, uint64_t result)
{
	const struct norn_effects_row *r = row_at(row - 1);
	record_writes(call, row - 1, (int64_t)result);
	if (!(r->flags & NORN_EFFECTS_ROW_READS))
		return;
	use_objects(call, r, false, NORN_OBJECT_LOOKED);
	if (r->looks | r->changes)
		__norn_looked((r->looks & ~r->changes) | (r->flags & NORN_EFFECTS_ROW_SIZES ? NORN_LOOKED_SIZES : 0), r->changes,
		        call->site);
	use_objects(call, r, true, NORN_OBJECT_CHANGED);
}
