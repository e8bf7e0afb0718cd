/* See effects_parse.h. */
#include "effects/effects_parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "base/text/nearest_word.h"
#include "effects/c_types.h"
#include "effects/effects_parse_state.h"

bool norn_effects_complain(struct entry_parser *p, const char *format, ...)
{
	char message[sizeof p->err->message];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	norn_error_set(p->err, -EINVAL, "%s", message);
	if (p->err) {
		snprintf(p->err->file, sizeof p->err->file, "%s", p->file);
		p->err->line = p->line;
	}
	return false;
}

/* ---- words ---- */

static void skip(struct entry_parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

/* A word at the place, "" if there is none; the place stays. Resources have hyphens. */
static unsigned peek(struct entry_parser *p, char word[static WORD])
{
	skip(p);
	unsigned n = 0;
	while ((is_name(p->at[n]) || (n && p->at[n] == '-' && is_name(p->at[n + 1]))) && n < WORD - 1) {
		word[n] = p->at[n];
		n++;
	}
	word[n] = 0;
	return n;
}

static bool take_word(struct entry_parser *p, char word[static WORD])
{
	unsigned n = peek(p, word);
	p->at += n;
	return n > 0;
}

static bool accept(struct entry_parser *p, const char *what)
{
	char word[WORD];
	if (is_name(*what)) {
		unsigned n = peek(p, word);
		if (strcmp(word, what) != 0)
			return false;
		p->at += n;
		return true;
	}
	skip(p);
	if (strncmp(p->at, what, strlen(what)) != 0)
		return false;
	p->at += strlen(what);
	return true;
}

static bool expect(struct entry_parser *p, const char *what)
{
	return accept(p, what) || norn_effects_complain(p, "%s: \"%s\" is missing before \"%.20s\"", p->name, what, p->at);
}

static bool take_number(struct entry_parser *p, uint32_t *ret_number)
{
	skip(p);
	if (!isdigit((unsigned char)*p->at))
		return false;
	*ret_number = 0;
	while (isdigit((unsigned char)*p->at))
		*ret_number = *ret_number * 10 + (uint32_t)(*p->at++ - '0');
	return true;
}

static int find_argument(const struct entry_parser *p, const char *word)
{
	for (unsigned i = 0; i < p->argument_count; i++)
		if (strcmp(p->arguments[i].text, word) == 0)
			return (int)i;
	return -1;
}

int norn_effects_find_resource(const char *word)
{
	for (unsigned i = 0; i < NORN_EFFECTS_RESOURCES; i++)
		if (strcmp(norn_effects_resource_name(i), word) == 0)
			return (int)i;
	return -1;
}

static bool take_argument(struct entry_parser *p, uint8_t *ret_argument)
{
	char word[WORD];
	take_word(p, word);
	int argument = find_argument(p, word);
	if (argument < 0)
		return norn_effects_complain(p, "%s has no argument \"%s\"", p->name, word);
	*ret_argument = (uint8_t)argument;
	return true;
}

/* ---- clauses ---- */

/* Numbers that are multiplied: arguments, the result, sizes. */
static bool parse_factors(struct entry_parser *p, struct norn_effects_part *part)
{
	do {
		char word[WORD];
		uint32_t number;
		if (take_number(p, &number)) {
			part->bytes = (part->bytes ? part->bytes : 1) * number;
			continue;
		}
		bool behind = accept(p, "*");
		peek(p, word);
		if (strcmp(word, "struct") == 0 || strcmp(word, "sizeof") == 0) {
			char name[2 * WORD];
			bool tagged = strcmp(word, "struct") == 0;
			accept(p, word);
			take_word(p, word);
			snprintf(name, sizeof name, "%s%s", tagged ? "struct " : "", word);
			if (strcmp(word, "long") == 0 && accept(p, "double"))
				snprintf(name, sizeof name, "long double");
			const struct norn_c_type *type = norn_c_type_find(name);
			if (!type || !type->bytes)
				return norn_effects_complain(
				        p, "%s: the size of \"%s\" is not known; write the number of bytes", p->name, name);
			part->bytes = (part->bytes ? part->bytes : 1) * type->bytes;
		} else if (strcmp(word, "result") == 0) {
			accept(p, word);
			if (part->limit != NORN_EFFECTS_NONE)
				return norn_effects_complain(p, "%s: the result comes first among factors", p->name);
			part->limit = NORN_EFFECTS_RESULT;
		} else {
			uint8_t argument;
			if (!take_argument(p, &argument))
				return false;
			if (part->limit == NORN_EFFECTS_NONE) {
				part->limit = argument;
				part->limit_behind = behind ? p->arguments[argument].behind : 0;
			} else if (part->times == NORN_EFFECTS_NONE && !behind) {
				part->times = argument;
			} else {
				return norn_effects_complain(p, "%s: these are too many factors", p->name);
			}
		}
	} while (accept(p, "*"));
	return true;
}

static bool parse_max(struct entry_parser *p, struct norn_effects_part *part)
{
	return !accept(p, "max") || parse_factors(p, part);
}

static bool parse_text(struct entry_parser *p, struct norn_effects_part *part, uint8_t plain, uint8_t like, uint8_t until)
{
	part->extent = plain;
	if (accept(p, "like")) {
		part->extent = like;
		if (!take_argument(p, &part->other))
			return false;
	} else if (until && accept(p, "until")) {
		part->extent = until;
		if (!take_argument(p, &part->other))
			return false;
	} else if (plain == NORN_EFFECTS_NUMBER) {
		return norn_effects_complain(p, "%s: \"like\" is missing before \"%.20s\"", p->name, p->at);
	}
	return parse_max(p, part);
}

/* The text between the brackets. */
static bool parse_extent(struct entry_parser *p, struct norn_effects_part *part)
{
	if (accept(p, "text")) {
		if (!parse_text(p, part, NORN_EFFECTS_TEXT, NORN_EFFECTS_SAME, NORN_EFFECTS_UNTIL))
			return false;
		if (!accept(p, "from"))
			return true;
		if (!expect(p, "end"))
			return false;
		for (unsigned i = 0; i < p->parts.count; i++)
			if (p->parts.items[i].pointer == part->pointer && p->parts.items[i].how & NORN_EFFECTS_READS)
				part->after = (uint8_t)(i + 1);
		return part->after ||
		       norn_effects_complain(p, "%s: \"from end\" needs a text before it that is read there", p->name);
	}
	if (accept(p, "nocase"))
		return parse_text(p, part, NORN_EFFECTS_NUMBER, NORN_EFFECTS_SAME_CASE, 0);
	if (accept(p, "bytes"))
		return parse_text(p, part, NORN_EFFECTS_BYTES, NORN_EFFECTS_SAME_BYTES, NORN_EFFECTS_UNTIL_BYTES);
	if (accept(p, "wtext")) {
		part->extent = NORN_EFFECTS_WIDE_TEXT;
		return parse_max(p, part);
	}
	if (accept(p, "number")) {
		part->extent = NORN_EFFECTS_NUMBER;
		return true;
	}
	if (accept(p, "kernel"))
		part->extent = NORN_EFFECTS_KERNEL;
	else if (accept(p, "iovec"))
		part->extent = NORN_EFFECTS_IOVEC;
	else if (accept(p, "list")) {
		part->extent = NORN_EFFECTS_LIST;
		return true;
	} else if (accept(p, "texts")) {
		part->extent = NORN_EFFECTS_TEXTS;
		return true;
	} else if (accept(p, "whole")) {
		part->extent = NORN_EFFECTS_WHOLE;
		return true;
	}
	return parse_factors(p, part);
}

static struct norn_effects_part new_part(uint8_t how)
{
	return (struct norn_effects_part){.how = how,
	        .pointer = NORN_EFFECTS_NONE,
	        .other = NORN_EFFECTS_NONE,
	        .limit = NORN_EFFECTS_NONE,
	        .times = NORN_EFFECTS_NONE,
	        .subject = NORN_EFFECTS_NONE};
}

/* "result >= 1", "af == 2" */
static bool parse_condition(struct entry_parser *p, struct norn_effects_part *condition)
{
	uint32_t number;
	if (accept(p, "result"))
		condition->subject = NORN_EFFECTS_RESULT;
	else if (!take_argument(p, &condition->subject))
		return false;
	if (accept(p, ">="))
		condition->condition = NORN_EFFECTS_IF_AT_LEAST;
	else if (accept(p, "=="))
		condition->condition = NORN_EFFECTS_IF_IS;
	else if (accept(p, "!="))
		condition->condition = NORN_EFFECTS_IF_NOT;
	else
		return norn_effects_complain(p, "%s: a condition is >=, == or !=, not \"%.20s\"", p->name, p->at);
	bool minus = accept(p, "-");
	if (!take_number(p, &number) || number > 127)
		return norn_effects_complain(p, "%s: a condition needs a number below 128, not \"%.20s\"", p->name, p->at);
	condition->value = (int8_t)(minus ? -(int)number : (int)number);
	return true;
}

static bool parse_use(struct entry_parser *p, uint8_t how, int resource)
{
	struct norn_effects_use use = {.resource = (uint8_t)resource, .how = how, .key = NORN_EFFECTS_NONE};
	if (accept(p, "[")) {
		char word[WORD];
		peek(p, word);
		if (accept(p, "result")) {
			use.key = NORN_EFFECTS_RESULT;
		} else if (accept(p, "stdin") || accept(p, "stdout") || accept(p, "stderr")) {
			use.key = NORN_EFFECTS_GLOBAL;
			use.global = norn_must_arena_text(&p->list->arena, word, strlen(word));
		} else if (!take_argument(p, &use.key)) {
			return false;
		}
		if (!expect(p, "]"))
			return false;
	}
	norn_must_push(&p->uses, use);
	p->made.reads |= how & NORN_EFFECTS_READS ? 1u << resource : 0;
	p->made.writes |= how & NORN_EFFECTS_WRITES ? 1u << resource : 0;
	p->made.adds |= how & NORN_EFFECTS_ADDS ? 1u << resource : 0;
	return true;
}

static const char *name_of_thing(const void *parser, unsigned i)
{
	const struct entry_parser *p = parser;
	return i < p->argument_count ? p->arguments[i].text : norn_effects_resource_name(i - p->argument_count);
}

static bool unknown(struct entry_parser *p, const char *word)
{
	const char *near = norn_nearest(word, p->argument_count + NORN_EFFECTS_RESOURCES, name_of_thing, p);
	if (near)
		return norn_effects_complain(
		        p, "%s: \"%s\" is neither an argument nor a resource; did you mean \"%s\"?", p->name, word, near);
	return norn_effects_complain(p, "%s: \"%s\" is neither an argument nor a resource", p->name, word);
}

/* "name[text], environment" */
static bool parse_things(struct entry_parser *p, uint8_t how, bool maybe)
{
	uint32_t from = p->parts.count;
	do {
		char word[WORD];
		struct norn_effects_part part = new_part(how);
		part.maybe = maybe;
		part.behind = accept(p, "*");
		take_word(p, word);
		int argument = find_argument(p, word), resource = norn_effects_find_resource(word);
		if (!part.behind && resource >= 0) {
			if (!parse_use(p, how, resource))
				return false;
			continue;
		}
		if (strcmp(word, "result") == 0) {
			part.pointer = NORN_EFFECTS_RESULT;
		} else if (strcmp(word, "global") == 0) {
			part.pointer = NORN_EFFECTS_GLOBAL;
			if (!take_word(p, word))
				return norn_effects_complain(
				        p, "%s: the name of the variable is missing after \"global\"", p->name);
			part.global = norn_must_arena_text(&p->list->arena, word, strlen(word));
		} else if (argument >= 0) {
			part.pointer = (uint8_t)argument;
		} else {
			return unknown(p, word);
		}
		if (how & NORN_EFFECTS_ADDS)
			return norn_effects_complain(
			        p, "%s: only resources can be added to; write \"writes %s[…]\"", p->name, word);
		if (!expect(p, "[") || !parse_extent(p, &part) || !expect(p, "]"))
			return false;
		if (p->parts.count == UINT8_MAX)
			return norn_effects_complain(p, "%s: these are too many parts", p->name);
		norn_must_push(&p->parts, part);
	} while (accept(p, ","));
	if (!accept(p, "if"))
		return true;
	struct norn_effects_part condition = new_part(0);
	if (!parse_condition(p, &condition))
		return false;
	for (uint32_t i = from; i < p->parts.count; i++) {
		p->parts.items[i].condition = condition.condition;
		p->parts.items[i].subject = condition.subject;
		p->parts.items[i].value = condition.value;
	}
	return true;
}

/* "format f", "format f from list" */
static bool parse_format(struct entry_parser *p, uint8_t extent)
{
	struct norn_effects_part part = new_part(NORN_EFFECTS_READS);
	part.extent = extent;
	part.other = (uint8_t)p->fixed;
	if (!take_argument(p, &part.pointer))
		return false;
	if (accept(p, "from")) {
		part.list = true;
		if (!take_argument(p, &part.other))
			return false;
	} else if (!p->more) {
		return norn_effects_complain(
		        p, "%s: a format needs \"...\" in the declaration, or \"from\" and the va_list", p->name);
	}
	norn_must_push(&p->parts, part);
	return true;
}

static bool parse_waits(struct entry_parser *p)
{
	static const char *const words[] = {"child", "input", "lock", "output", "signal", "thread", "time"};
	do {
		char word[WORD];
		unsigned i = 0;
		take_word(p, word);
		while (i < 7 && strcmp(word, words[i]) != 0)
			i++;
		if (i == 7)
			return norn_effects_complain(p,
			        "%s: it waits for a child, input, lock, output, signal, thread or time, not \"%s\"", p->name, word);
		p->made.waits |= (uint16_t)(1u << i);
	} while (accept(p, ","));
	return true;
}

static bool parse_arguments(struct entry_parser *p, uint16_t *arguments)
{
	do {
		uint8_t argument;
		if (!take_argument(p, &argument))
			return false;
		*arguments |= (uint16_t)(1u << argument);
	} while (accept(p, ","));
	return true;
}

static bool parse_clause(struct entry_parser *p)
{
	static const struct {
		const char *word;
		uint16_t flag;
	} flags[] = {{"errno", NORN_EFFECTS_ERRNO}, {"hooked", NORN_EFFECTS_HOOKED}, {"ends", NORN_EFFECTS_ENDS},
	        {"allocates", NORN_EFFECTS_ALLOCATES}, {"outside", NORN_EFFECTS_OUTSIDE}, {"opaque", NORN_EFFECTS_OPAQUE},
	        {"twice", NORN_EFFECTS_TWICE}, {"nothing", 0}};
	for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++)
		if (accept(p, flags[i].word)) {
			p->made.flags |= flags[i].flag;
			if (flags[i].flag == NORN_EFFECTS_HOOKED && accept(p, "memory"))
				p->made.flags |= NORN_EFFECTS_HOOKED_MEMORY;
			if (flags[i].flag == NORN_EFFECTS_HOOKED && accept(p, "call"))
				p->made.flags |= NORN_EFFECTS_HOOKED_CALL;
			return true;
		}
	bool maybe = accept(p, "may");
	if (accept(p, "reads") || (maybe && accept(p, "read")))
		return parse_things(p, NORN_EFFECTS_READS, maybe);
	if (accept(p, "writes") || (maybe && accept(p, "write")))
		return parse_things(p, NORN_EFFECTS_WRITES, maybe);
	if (accept(p, "updates") || (maybe && accept(p, "update")))
		return parse_things(p, NORN_EFFECTS_READS | NORN_EFFECTS_WRITES, maybe);
	if (accept(p, "adds"))
		return parse_things(p, NORN_EFFECTS_ADDS, maybe);
	if (accept(p, "format"))
		return parse_format(p, NORN_EFFECTS_FORMAT);
	if (accept(p, "scan"))
		return parse_format(p, NORN_EFFECTS_SCAN);
	if (accept(p, "wformat"))
		return parse_format(p, NORN_EFFECTS_WIDE_FORMAT);
	if (accept(p, "wscan"))
		return parse_format(p, NORN_EFFECTS_WIDE_SCAN);
	if (accept(p, "waits"))
		return parse_waits(p);
	if (accept(p, "calls"))
		return parse_arguments(p, &p->made.calls);
	if (accept(p, "keeps"))
		return parse_arguments(p, &p->made.keeps);
	if (accept(p, "frees"))
		return parse_arguments(p, &p->made.frees);
	return norn_effects_complain(p,
	        "%s: \"%.30s\" is no effect; there are reads, writes, updates, adds, may, format, scan, wformat, wscan, waits, "
	        "calls, keeps, frees, allocates, errno, hooked, outside, opaque, ends, twice and nothing",
	        p->name, p->at);
}

static bool parse_clauses(struct entry_parser *p, const char *text)
{
	for (p->at = text;;) {
		if (!parse_clause(p))
			return false;
		skip(p);
		if (*p->at == 0)
			return true;
		if (!expect(p, ";"))
			return false;
	}
}

/* ---- entries ---- */

static void add_entry(struct entry_parser *p, const char *text)
{
	struct norn_arena *arena = &p->list->arena;
	struct norn_effects e = p->made;
	e.name = norn_must_arena_text(arena, p->name, strlen(p->name));
	e.type = p->any_type ? NULL : norn_must_arena_text(arena, p->type, strlen(p->type));
	e.text = norn_must_arena_text(arena, text, strlen(text));
	e.file = p->file;
	e.line = p->line;
	e.use_count = (uint8_t)p->uses.count;
	e.part_count = (uint8_t)p->parts.count;
	e.uses = norn_must_arena_copy(arena, p->uses.items, p->uses.count, sizeof *p->uses.items);
	e.parts = norn_must_arena_copy(arena, p->parts.items, p->parts.count, sizeof *p->parts.items);
	norn_must_push(&p->list->entries, e);
}

static const struct norn_effects *find_base(const struct norn_effects_list *list, const char *name)
{
	for (uint32_t i = list->entries.count; i-- > 0;)
		if (strcmp(list->entries.items[i].name, name) == 0)
			return list->entries.items + i;
	return norn_effects_find(name, NULL);
}

static struct entry_parser begin(const struct entry_parser *of)
{
	return (struct entry_parser){
	        .list = of->list, .err = of->err, .file = of->file, .line = of->line, .made.reason = of->made.reason};
}

static bool finish(struct entry_parser *p, const char *text)
{
	bool good = parse_clauses(p, text);
	if (good)
		add_entry(p, text);
	norn_vector_done(&p->uses);
	norn_vector_done(&p->parts);
	return good;
}

/* "open64, __open = open": names alone have the other's type, too. */
static bool parse_alias(struct entry_parser *of, const char *left, size_t length, const char *name)
{
	const struct norn_effects *base = find_base(of->list, name);
	if (!base)
		return norn_effects_complain(of, "there is no entry \"%s\" before this one", name);
	if (memchr(left, '(', length)) {
		struct entry_parser p = begin(of);
		if (!p.made.reason)
			p.made.reason = base->reason;
		return norn_effects_parse_declaration(&p, left, length) && finish(&p, base->text);
	}
	while (length) {
		size_t n = 0;
		while (n < length && left[n] != ',')
			n++;
		size_t end = n;
		while (end && isspace((unsigned char)left[end - 1]))
			end--;
		if (end == 0)
			return norn_effects_complain(of, "a name is missing before \"= %s\"", name);
		struct norn_effects e = *find_base(of->list, name);
		e.name = norn_must_arena_text(&of->list->arena, left, end);
		if (of->made.reason)
			e.reason = of->made.reason;
		e.file = of->file;
		e.line = of->line;
		norn_must_push(&of->list->entries, e);
		n += n < length;
		while (n < length && isspace((unsigned char)left[n]))
			n++;
		left += n;
		length -= n;
	}
	return true;
}

/* "checksum pure": a name, of this length, and a class, which stands for effects. */
static bool parse_class(struct entry_parser *of, const char *text, size_t length)
{
	static const char *const classes[][2] = {{"pure", "nothing"}, {"output", "adds files"}, {"quiet", "hooked"},
	        {"ordered", "updates statics"}, {"ends", "ends"}, {"opaque", "opaque"}};
	const char *class = text + length + strspn(text + length, " \t");
	size_t class_length = strcspn(class, " \t");
	const char *rest = class + class_length + strspn(class + class_length, " \t");
	if (class_length == 0)
		return norn_effects_complain(of, "%s: say what it is, pure for instance, or a colon and its effects", text);
	for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++) {
		if (strlen(classes[i][0]) != class_length || strncmp(classes[i][0], class, class_length) != 0)
			continue;
		if (*rest)
			return norn_effects_complain(of, "there is something after the class: %s", rest);
		struct entry_parser p = begin(of);
		return norn_effects_parse_declaration(&p, text, length) && finish(&p, classes[i][1]);
	}
	return norn_effects_complain(of,
	        "%.*s is no class; there are pure, output, quiet, ordered, ends and opaque, or write a colon and effects after the "
	        "name",
	        (int)class_length, class);
}

/* One entry, all of it on one line, without its comment. */
static bool parse_entry(struct entry_parser *of, const char *text)
{
	size_t length;
	if (norn_effects_begins_cxx(text, &length)) {
		const char *colon = text + length + strspn(text + length, " \t");
		if (*colon != ':')
			return parse_class(of, text, length);
		struct entry_parser p = begin(of);
		return norn_effects_parse_declaration(&p, text, length) && finish(&p, colon + 1);
	}
	length = strcspn(text, ":=");
	if (text[length] == 0)
		return parse_class(of, text, strcspn(text, " \t"));
	const char *right = text + length + 1;
	bool alias = text[length] == '=';
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	if (length == 0)
		return norn_effects_complain(of, "the name of a function is missing before \"%.20s\"", text);
	right += strspn(right, " \t");
	if (alias)
		return parse_alias(of, text, length, right);
	struct entry_parser p = begin(of);
	return norn_effects_parse_declaration(&p, text, length) && finish(&p, right);
}

/* Replaces ~ by the suffix, and the words real and complex by the types that belong to it. */
static void expand(char to[static TEXT], const char *text, const char *suffix, const char *type)
{
	size_t n = 0;
	for (const char *t = text; *t && n < TEXT - 64;) {
		unsigned length = 0;
		while (is_name(t[length]))
			length++;
		bool real = length == 4 && strncmp(t, "real", 4) == 0, complex = length == 7 && strncmp(t, "complex", 7) == 0;
		if (real || complex)
			n += (size_t)sprintf(to + n, "%s%s", type, complex ? " complex" : "");
		else if (length)
			n += (size_t)sprintf(to + n, "%.*s", (int)(length < 60 ? length : 60), t);
		else if (*t == '~')
			n += (size_t)sprintf(to + n, "%s", suffix);
		else
			to[n++] = *t;
		t += length + !length;
	}
	to[n] = 0;
}

static bool parse_entries(struct entry_parser *p, const char *text)
{
	static const char *const kinds[][2] = {{"", "double"}, {"f", "float"}, {"l", "long double"}, {"f32", "_Float32"},
	        {"f64", "_Float64"}, {"f128", "_Float128"}, {"f32x", "_Float32x"}, {"f64x", "_Float64x"}};
	size_t cxx; /* where ~ is a destructor's */
	if (!strchr(text, '~') || norn_effects_begins_cxx(text, &cxx))
		return parse_entry(p, text);
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		char expanded[TEXT];
		expand(expanded, text, kinds[i][0], kinds[i][1]);
		if (!parse_entry(p, expanded))
			return false;
	}
	return true;
}

/* Adds a line to what an entry has so far, and to its reason. */
static bool join(struct entry_parser *p, char to[static TEXT], char reason[static TEXT], const char *line, size_t length)
{
	const char *hash = memchr(line, '#', length), *end = line + length;
	const char *parts[2] = {line, hash ? hash + 1 : end}, *ends[2] = {hash ? hash : end, end};
	char *into[2] = {to, reason};
	for (unsigned i = 0; i < 2; i++) {
		const char *from = parts[i], *until = ends[i];
		while (from < until && isspace((unsigned char)*from))
			from++;
		while (until > from && isspace((unsigned char)until[-1]))
			until--;
		size_t have = strlen(into[i]);
		if (have + (size_t)(until - from) + 2 > TEXT)
			return norn_effects_complain(p, "the entry is too long");
		if (from < until)
			sprintf(into[i] + have, "%s%.*s", have ? " " : "", (int)(until - from), from);
	}
	return true;
}

int norn_effects_parse(const char *text, const char *file, struct norn_effects_list *list, struct norn_error *err)
{
	char entry[TEXT], reason[TEXT];
	file = norn_must_arena_text(&list->arena, file, strlen(file));
	for (unsigned number = 1; *text;) {
		struct entry_parser p = {.list = list, .err = err, .file = file, .line = number};
		*entry = *reason = 0;
		do {
			size_t length = strcspn(text, "\n");
			if (!join(&p, entry, reason, text, length))
				return -EINVAL;
			text += length;
			text += *text == '\n';
			number++;
		} while (strpbrk(entry, "(:=,") && (*text == ' ' || *text == '\t') && text[strspn(text, " \t\r")] != '\n');
		if (*reason)
			p.made.reason = norn_must_arena_text(&list->arena, reason, strlen(reason));
		if (*entry && !parse_entries(&p, entry))
			return -EINVAL;
	}
	return 0;
}

void norn_effects_list_done(struct norn_effects_list *list)
{
	norn_vector_done(&list->entries);
	norn_arena_done(&list->arena);
}
