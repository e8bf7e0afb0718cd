/* Formatting: the tokens and comments of a file in their order, with new white space between them. Since nothing else changes, the
 * tree stays the same, and so do the words and parentheses that the author chose. Decisions here depend on tokens, on whether a
 * comment begins a line, and on whether an empty line stood before a statement: all of which formatting keeps, so it is stable. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "property/operator.h"
#include "property/parse.h"

#define WIDTH 100u
#define TAB 8u

struct item {
	enum norn_token_kind kind; /* of a comment: BAD */
	uint32_t offset, length;
	uint32_t partner; /* of a bracket: its other one */
	uint32_t column; /* at which it would begin if its statement stood on one line */
	uint32_t breaks; /* comments so far that end or contain lines */
	uint8_t newlines; /* before it: 0, 1, or 2 for more */
	bool space; /* before it */
	bool prefix; /* an operator before its operand, or part of one: no place to break */
	bool juxtaposed; /* begins an expression that follows another */
	bool block; /* a brace that is no repetition's */
};

struct formatter {
	const char *text;
	NORN_VECTOR(struct item) items;
	FILE *to;
	unsigned column;
	bool fresh; /* at the start of a line, not yet indented */
	bool after_line_comment;
};

static bool is_comment(const struct item *item)
{
	return item->kind == NORN_TOKEN_BAD;
}

static bool is_word(const struct formatter *f, const struct item *item, const char *word)
{
	return item->kind == NORN_TOKEN_ID && strlen(word) == item->length &&
	       memcmp(f->text + item->offset, word, item->length) == 0;
}

/* ---- tokens ---- */

static unsigned newlines(const char *from, const char *end)
{
	unsigned count = 0;
	for (; from < end && count < 2; from++)
		count += *from == '\n';
	return count;
}

/* The length of a comment without white space at its end. */
static uint32_t trimmed(const char *text, uint32_t length)
{
	while (length && (text[length - 1] == ' ' || (text[length - 1] >= '\t' && text[length - 1] <= '\r')))
		length--;
	return length;
}

/* Is a function, or a type, named after what was collected last? */
static bool names_function(const struct formatter *f)
{
	const struct item *last = f->items.count ? &f->items.items[f->items.count - 1] : NULL;
	return last && (is_word(f, last, "call") || is_word(f, last, "return") || last->kind == NORN_TOKEN_STRUCT ||
	                       last->kind == NORN_TOKEN_UNION);
}

static void collect(struct formatter *f, struct norn_sources *sources, uint32_t file)
{
	struct norn_lexer lexer;
	norn_lexer_init(&lexer, sources, file);
	lexer.quiet = true;
	f->text = lexer.text;
	for (uint32_t end = lexer.at;; end = lexer.at) {
		struct norn_span comment;
		struct item item = {0};
		if (norn_lexer_comment(&lexer, &comment)) {
			item.kind = NORN_TOKEN_BAD;
			item.offset = comment.offset;
			item.length = trimmed(f->text + comment.offset, comment.length);
		} else {
			struct norn_token token = norn_lexer_next(&lexer);
			if (token.kind == NORN_TOKEN_END)
				return;
			if (names_function(f))
				norn_lexer_function(&lexer, &token);
			item.kind = token.kind;
			item.offset = token.span.offset;
			item.length = token.span.length;
		}
		item.newlines = (uint8_t)newlines(f->text + end, f->text + item.offset);
		norn_must_push(&f->items, item);
	}
}

/* ---- what belongs together ---- */

static bool opens(enum norn_token_kind kind)
{
	return kind == NORN_TOKEN_LPAREN || kind == NORN_TOKEN_LBRACKET || kind == NORN_TOKEN_LBRACE;
}

static bool closes(enum norn_token_kind kind)
{
	return kind == NORN_TOKEN_RPAREN || kind == NORN_TOKEN_RBRACKET || kind == NORN_TOKEN_RBRACE;
}

/* Partners of brackets, which are right in a file without errors: an interval's `[` has a `)`. */
static void pair(struct formatter *f)
{
	uint32_t open = UINT32_MAX; /* innermost; the partner of an open bracket is the one around it, until its own is found */
	for (uint32_t i = 0; i < f->items.count; i++) {
		struct item *item = &f->items.items[i];
		if (opens(item->kind)) {
			uint32_t next = i + 1;
			while (next < f->items.count && is_comment(&f->items.items[next]))
				next++;
			item->block = item->kind == NORN_TOKEN_LBRACE && next < f->items.count &&
			              f->items.items[next].kind != NORN_TOKEN_INT;
			item->partner = open;
			open = i;
		} else if (closes(item->kind) && open != UINT32_MAX) {
			uint32_t outer = f->items.items[open].partner;
			item->partner = open;
			item->block = f->items.items[open].block;
			f->items.items[open].partner = i;
			open = outer;
		}
	}
}

static bool ends_operand(const struct item *item)
{
	return item->kind == NORN_TOKEN_ID || item->kind == NORN_TOKEN_INT || item->kind == NORN_TOKEN_REAL ||
	       item->kind == NORN_TOKEN_STR || item->kind == NORN_TOKEN_TRUE || item->kind == NORN_TOKEN_FALSE ||
	       item->kind == NORN_TOKEN_RPAREN || item->kind == NORN_TOKEN_RBRACKET;
}

/* The state while a statement is read from left to right. */
struct format_place {
	bool rex; /* in an expression over events */
	bool header; /* of a property */
	bool quantifier; /* before its dot */
	bool at; /* the token before is the name behind an @ */
	bool glued; /* no space behind the token before, whatever comes */
};

static bool is_postfix(const struct item *item)
{
	return item->kind == NORN_TOKEN_STAR || item->kind == NORN_TOKEN_PLUS || item->kind == NORN_TOKEN_QUESTION ||
	       (item->kind == NORN_TOKEN_LBRACE && !item->block);
}

static bool space_in_rex(const struct item *before, const struct item *item)
{
	if (before->kind == NORN_TOKEN_LPAREN || (before->kind == NORN_TOKEN_LBRACE && !before->block))
		return false;
	if (item->kind == NORN_TOKEN_RPAREN || item->kind == NORN_TOKEN_SEMICOLON ||
	        (item->kind == NORN_TOKEN_RBRACE && !item->block))
		return false;
	return item->kind != NORN_TOKEN_COMMA && before->kind != NORN_TOKEN_COMMA && !is_postfix(item);
}

/* True if there is a space between two tokens of a statement. */
static bool space(const struct format_place *place, const struct item *before, const struct item *item)
{
	if (place->glued)
		return false;
	if (place->rex)
		return space_in_rex(before, item);
	switch (item->kind) {
	case NORN_TOKEN_SEMICOLON:
	case NORN_TOKEN_COMMA:
	case NORN_TOKEN_COLON:
	case NORN_TOKEN_COLONS:
	case NORN_TOKEN_DOT:
	case NORN_TOKEN_RPAREN:
	case NORN_TOKEN_RBRACKET:
		return false;
	case NORN_TOKEN_LPAREN:
		return before->kind != NORN_TOKEN_ID || place->at;
	case NORN_TOKEN_LBRACKET:
		return place->header || !ends_operand(before);
	case NORN_TOKEN_ASSIGN:
		return !place->header;
	default:
		return true;
	}
}

static bool is_symbol(const struct formatter *f, const struct item *item)
{
	char c = f->text[item->offset] | 0x20;
	return c < 'a' || c > 'z';
}

/* Goes on past a token: what it means for the space behind it. */
static void pass(const struct formatter *f, struct format_place *place, const struct item *before, struct item *item)
{
	place->at = item->kind == NORN_TOKEN_ID && before && before->kind == NORN_TOKEN_AT;
	place->glued = false;
	item->prefix = (norn_operator_prefix(item->kind) && !(before && ends_operand(before))) || item->kind == NORN_TOKEN_AT;
	switch (item->kind) {
	case NORN_TOKEN_FORALL:
	case NORN_TOKEN_EXISTS:
		place->quantifier = true;
		break;
	case NORN_TOKEN_DOT:
		place->glued = !place->quantifier && !place->rex;
		place->quantifier = false;
		break;
	case NORN_TOKEN_LPAREN:
	case NORN_TOKEN_LBRACKET:
	case NORN_TOKEN_COLONS:
		place->glued = true;
		break;
	case NORN_TOKEN_ASSIGN:
		place->glued = place->header;
		break;
	case NORN_TOKEN_NOT:
	case NORN_TOKEN_TILDE:
		place->glued = is_symbol(f, item);
		break;
	default:
		place->glued = item->prefix && is_symbol(f, item);
	}
}

static bool begins_rex(const struct formatter *f, uint32_t first, const struct item *before, const struct item *item)
{
	if (item->kind == NORN_TOKEN_COLON && before)
		return is_word(f, before, "ere") || is_word(f, before, "forbid");
	return is_word(f, &f->items.items[first], "local") && is_word(f, item, "ere") && before && before->kind == NORN_TOKEN_COLON;
}

static uint32_t characters(const struct formatter *f, const struct item *item)
{
	uint32_t count = 0;
	for (uint32_t k = 0; k < item->length; k++)
		count += (f->text[item->offset + k] & 0xc0) != 0x80;
	return count;
}

static void measure_token(
        const struct formatter *f, uint32_t first, struct format_place *place, const struct item *before, struct item *item)
{
	if (place->glued && before->kind == NORN_TOKEN_DOT && !is_symbol(f, item))
		item->kind = NORN_TOKEN_ID; /* a field, whatever it is called */
	item->space = before && (space(place, before, item) || is_comment(item - 1));
	pass(f, place, before, item);
	item->prefix |= place->quantifier;
	bool operand = ends_operand(item) || item->kind == NORN_TOKEN_LPAREN || item->kind == NORN_TOKEN_DOT || item->prefix;
	item->juxtaposed = place->rex && item->space && (operand || item->kind == NORN_TOKEN_NOT) &&
	                   before->kind != NORN_TOKEN_BAR && before->kind != NORN_TOKEN_AMPERSAND &&
	                   before->kind != NORN_TOKEN_COLON;
	place->rex |= begins_rex(f, first, before, item);
}

/* Spaces and columns of a statement, and what its signs mean. */
static void measure(struct formatter *f, uint32_t first, uint32_t end)
{
	struct format_place place = {.header = is_word(f, &f->items.items[first], "property")};
	uint32_t column = 0, breaks = 0;
	const struct item *before = NULL;
	for (uint32_t i = first; i < end; i++) {
		struct item *item = &f->items.items[i];
		if (is_comment(item)) {
			const char *text = f->text + item->offset;
			item->space = i > first;
			breaks += text[1] == '/' || memchr(text, '\n', item->length);
		} else {
			measure_token(f, first, &place, before, item);
			before = item;
		}
		column += item->space;
		item->column = column;
		item->breaks = breaks;
		column += characters(f, item);
	}
}

/* ---- output ---- */

static void new_line(struct formatter *f)
{
	if (!f->fresh)
		fputc('\n', f->to);
	f->fresh = true;
	f->after_line_comment = false;
}

static void put(struct formatter *f, uint32_t i, unsigned indent)
{
	const struct item *item = &f->items.items[i];
	if (f->after_line_comment)
		new_line(f);
	if (f->fresh) {
		for (unsigned k = 0; k < indent; k++)
			fputc('\t', f->to);
		f->column = indent * TAB;
		f->fresh = false;
	} else if (item->space) {
		fputc(' ', f->to);
		f->column++;
	}
	fwrite(f->text + item->offset, 1, item->length, f->to);
	f->column += characters(f, item);
	f->after_line_comment = is_comment(item) && f->text[item->offset + 1] == '/';
}

/* Columns of [first, end) on one line. */
static uint32_t width(const struct formatter *f, uint32_t first, uint32_t end)
{
	const struct item *last = &f->items.items[end - 1];
	return last->column + characters(f, last) - f->items.items[first].column;
}

static bool fits(const struct formatter *f, uint32_t first, uint32_t end, unsigned indent, unsigned tail)
{
	if (first == end)
		return true;
	uint32_t breaks = f->items.items[end - 1].breaks - f->items.items[first].breaks;
	if (is_comment(&f->items.items[first]) || breaks || f->after_line_comment)
		return false;
	unsigned column = f->fresh ? indent * TAB : f->column + f->items.items[first].space;
	return column + width(f, first, end) + tail <= WIDTH;
}

/* The looseness with which a token at the top of a range holds it together, the loosest first; 0: it is no place to break. */
enum { LOOSE_COMMA = 1, LOOSE_BAR, LOOSE_OPERATOR /* and the levels of operators */, LOOSE_SEQUENCE = 50 };

static unsigned looseness(const struct formatter *f, uint32_t first, uint32_t end, uint32_t i)
{
	const struct item *item = &f->items.items[i];
	if (item->kind == NORN_TOKEN_COMMA)
		return i + 1 < end ? LOOSE_COMMA : 0;
	if (i == first || is_comment(item) || !item->space || (item->prefix && !item->juxtaposed))
		return 0;
	if (item->juxtaposed)
		return LOOSE_SEQUENCE;
	if (item->kind == NORN_TOKEN_BAR)
		return LOOSE_BAR;
	const struct norn_operator *o = norn_operator_binary(item->kind);
	return o ? LOOSE_OPERATOR + o->level : 0;
}

static uint32_t behind(const struct formatter *f, uint32_t i)
{
	return opens(f->items.items[i].kind) ? f->items.items[i].partner + 1 : i + 1;
}

static unsigned loosest(const struct formatter *f, uint32_t first, uint32_t end)
{
	unsigned least = 0;
	for (uint32_t i = first; i < end; i = behind(f, i)) {
		unsigned loose = looseness(f, first, end, i);
		if (loose && (!least || loose < least))
			least = loose;
	}
	return least;
}

static void emit(struct formatter *f, uint32_t first, uint32_t end, unsigned indent, unsigned tail);

static void emit_flat(struct formatter *f, uint32_t first, uint32_t end, unsigned indent)
{
	for (uint32_t i = first; i < end; i++)
		put(f, i, indent);
}

/* The widest bracket at the top of the range opens, its inside stands on lines of its own, and what follows goes on behind it. */
static void emit_bracket(struct formatter *f, uint32_t first, uint32_t end, unsigned indent, unsigned tail)
{
	uint32_t widest = end, most = 8; /* less gains nothing */
	for (uint32_t i = first; i < end; i = behind(f, i))
		if (opens(f->items.items[i].kind) && f->items.items[i].partner > i + 1 &&
		        width(f, i, f->items.items[i].partner) > most) {
			widest = i;
			most = width(f, i, f->items.items[i].partner);
		}
	if (widest == end) {
		emit_flat(f, first, end, indent);
		return;
	}
	uint32_t partner = f->items.items[widest].partner;
	emit_flat(f, first, widest + 1, indent);
	new_line(f);
	emit(f, widest + 1, partner, indent + 1, 0);
	new_line(f);
	emit_flat(f, partner, partner + 1, indent);
	emit(f, partner + 1, end, indent, tail);
}

/* [first, end) from where the output stands; further lines are indented by indent. tail: columns that must follow. */
static void emit(struct formatter *f, uint32_t first, uint32_t end, unsigned indent, unsigned tail)
{
	if (fits(f, first, end, indent, tail)) {
		emit_flat(f, first, end, indent);
		return;
	}
	unsigned loose = loosest(f, first, end);
	if (!loose) {
		emit_bracket(f, first, end, indent, tail);
		return;
	}
	bool fill = loose == LOOSE_COMMA || loose == LOOSE_SEQUENCE; /* as many to a line as fit */
	uint32_t from = first;
	for (uint32_t i = first; i < end; i = behind(f, i)) {
		if (looseness(f, first, end, i) != loose)
			continue;
		uint32_t part = loose == LOOSE_COMMA ? i + 1 : i; /* a comma ends a line, an operator begins one */
		if (from != first && (!fill || !fits(f, from, part, indent, 0)))
			new_line(f);
		emit(f, from, part, indent, 0);
		from = part;
	}
	if (!fill || !fits(f, from, end, indent, tail))
		new_line(f);
	emit(f, from, end, indent, tail);
}

/* ---- statements ---- */

/* Behind the statement that begins at first: its `;`, or the brace that opens or closes a block. */
static uint32_t statement_end(const struct formatter *f, uint32_t first)
{
	uint32_t i = first;
	while (i < f->items.count && f->items.items[i].kind != NORN_TOKEN_SEMICOLON && !f->items.items[i].block)
		i++;
	return i < f->items.count ? i + 1 : i;
}

/* Behind what stands to the left of a formula: `ltl:`, `pred p =`. */
static uint32_t head_end(const struct formatter *f, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i = behind(f, i))
		if (f->items.items[i].kind == NORN_TOKEN_COLON || f->items.items[i].kind == NORN_TOKEN_ASSIGN)
			return i + 1;
		else if (norn_token_reserved(f->items.items[i].kind) && f->items.items[i].kind != NORN_TOKEN_ELSE)
			break;
	return first;
}

static void emit_statement(struct formatter *f, uint32_t first, uint32_t end, unsigned indent)
{
	measure(f, first, end);
	if (fits(f, first, end, indent, 0)) {
		emit_flat(f, first, end, indent);
		return;
	}
	uint32_t head = head_end(f, first, end), last = end - 1;
	if (head == first && first < last)
		head++; /* the first token stands where the statement does */
	emit_flat(f, first, head, indent);
	unsigned further = indent + (loosest(f, head, last) != 0); /* a bracket's inside is indented anyway */
	emit(f, head, last, further, 2);
	emit_flat(f, last, end, f->items.items[last].block ? indent : further);
}

/* A block of a single short statement stands on one line. Returns behind it, 0 if it is none such. */
static uint32_t short_block(struct formatter *f, uint32_t first, uint32_t brace, unsigned indent)
{
	uint32_t inner = brace + 1, end = statement_end(f, inner);
	if (end >= f->items.count || f->items.items[end - 1].kind != NORN_TOKEN_SEMICOLON || f->items.items[end].partner != brace ||
	        f->items.items[end].kind != NORN_TOKEN_RBRACE)
		return 0;
	for (uint32_t i = first; i <= end; i++)
		if (is_comment(&f->items.items[i]))
			return 0;
	measure(f, first, inner);
	unsigned columns = indent * TAB + width(f, first, inner) + 1;
	measure(f, inner, end);
	if (columns + width(f, inner, end) + 2 > WIDTH)
		return 0;
	f->items.items[inner].space = f->items.items[end].space = true;
	emit_flat(f, first, end + 1, indent);
	return end + 1;
}

/* Comments that follow on the same line stay there. */
static uint32_t emit_trailing(struct formatter *f, uint32_t i, unsigned indent)
{
	for (; i < f->items.count && is_comment(&f->items.items[i]) && f->items.items[i].newlines == 0; i++) {
		f->items.items[i].space = true;
		put(f, i, indent);
	}
	new_line(f);
	return i;
}

static void format(struct formatter *f)
{
	unsigned indent = 0;
	bool first_of_block = true;
	f->fresh = true;
	for (uint32_t i = 0; i < f->items.count;) {
		struct item *item = &f->items.items[i];
		bool closing = item->kind == NORN_TOKEN_RBRACE;
		if (item->newlines > 1 && !first_of_block && !closing)
			fputc('\n', f->to);
		first_of_block = false;
		if (is_comment(item)) {
			put(f, i, indent);
			i = emit_trailing(f, i + 1, indent);
			continue;
		}
		if (closing) {
			indent -= indent > 0;
			put(f, i, indent);
			i = emit_trailing(f, i + 1, indent);
			continue;
		}
		uint32_t end = statement_end(f, i), brace = end - 1;
		bool opening = f->items.items[brace].kind == NORN_TOKEN_LBRACE && f->items.items[brace].block;
		uint32_t behind_block = opening ? short_block(f, i, brace, indent) : 0;
		if (!behind_block)
			emit_statement(f, i, end, indent);
		if (opening && !behind_block) {
			indent++;
			first_of_block = true;
		}
		i = emit_trailing(f, behind_block ? behind_block : end, indent);
	}
}

static char *write_text(struct formatter *f)
{
	char *text = NULL;
	size_t bytes;
	f->to = norn_must(open_memstream(&text, &bytes));
	format(f);
	norn_must_close(f->to);
	return text;
}

int norn_tree_format(const struct norn_sources *sources, uint32_t file, char **ret_text, struct norn_error *err)
{
	struct formatter f = {0};
	size_t bytes;
	const char *text = norn_sources_text(sources, file, &bytes);
	/* A copy of the file by itself: diagnostics about it are not the caller's, and includes do not matter. */
	struct norn_sources *copy = norn_sources_new();
	uint32_t copied = norn_sources_add(copy, norn_sources_name(sources, file), text, bytes);
	struct norn_tree *tree = norn_tree_parse_alone(copy, copied);
	int r = 0;
	if (norn_diagnostics_errors(copy))
		r = norn_error_set(err, -EINVAL, "%s has mistakes, and cannot be formatted", norn_sources_name(sources, file));
	if (r == 0) {
		collect(&f, copy, copied);
		pair(&f);
		*ret_text = write_text(&f);
	}
	norn_vector_done(&f.items);
	norn_tree_free(tree);
	norn_sources_free(copy);
	return r;
}
