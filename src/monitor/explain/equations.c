#include "monitor/explain/equations.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

struct equation_writer {
	const struct norn_property *property;
	const struct norn_ptltl *ptltl;
	uint32_t *names; /* per line: k if it is called tk, 0 if it is written out */
	FILE *to;
};

static bool leaf(enum norn_op op)
{
	return op <= NORN_OP_ATOM;
}

static void write_line(const struct equation_writer *w, uint32_t i);

static void write_atom(const struct equation_writer *w, uint32_t atom)
{
	const char *text = w->property->atoms[atom].text;
	fprintf(w->to, strchr(text, ' ') ? "(%s)" : "%s", text);
}

/* The value of a line now, as an operand. */
static void write_value(const struct equation_writer *w, uint32_t i)
{
	const struct norn_ptltl_line *line = &w->ptltl->lines[i];
	if (line->bit != NORN_PTLTL_NONE)
		fprintf(w->to, "b%u", line->bit + 1u);
	else if (w->names[i])
		fprintf(w->to, "t%u", w->names[i]);
	else if (line->op == NORN_OP_ATOM)
		write_atom(w, line->a);
	else if (leaf(line->op) || line->op == NORN_OP_NOT)
		write_line(w, i);
	else {
		fputc('(', w->to);
		write_line(w, i);
		fputc(')', w->to);
	}
}

/* Text with a and b for the operands' values, A for that of a before, S for the line's own before. */
static void write_pattern(const struct equation_writer *w, uint32_t i, const char *pattern)
{
	const struct norn_ptltl_line *line = &w->ptltl->lines[i];
	for (; *pattern; pattern++)
		switch (*pattern) {
		case 'a':
			write_value(w, line->a);
			break;
		case 'b':
			write_value(w, line->b);
			break;
		case 'A':
			fprintf(w->to, "b%u'", w->ptltl->lines[line->a].bit + 1u);
			break;
		case 'S':
			fprintf(w->to, "b%u'", line->bit + 1u);
			break;
		case 'F':
			fputs("first", w->to);
			break;
		default:
			fputc(*pattern, w->to);
		}
}

static void write_line(const struct equation_writer *w, uint32_t i)
{
	static const char *const patterns[] = {
	        [NORN_OP_NOT] = "!a",
	        [NORN_OP_AND] = "a & b",
	        [NORN_OP_OR] = "a | b",
	        [NORN_OP_PREV] = "F ? a : A",
	        [NORN_OP_START] = "a & !F & !A",
	        [NORN_OP_END] = "!a & !F & A",
	        [NORN_OP_ONCE] = "a | S",
	        [NORN_OP_HIST] = "a & (F | S)",
	        [NORN_OP_SINCE] = "b | (a & S)",
	        [NORN_OP_WEAK_SINCE] = "b | (a & (F | S))",
	        [NORN_OP_INTERVAL] = "!b & (a | S)",
	        [NORN_OP_WEAK_INTERVAL] = "!b & (a | F | S)",
	};
	const struct norn_ptltl_line *line = &w->ptltl->lines[i];
	if (line->op == NORN_OP_ATOM)
		fputs(w->property->atoms[line->a].text, w->to);
	else if (leaf(line->op))
		fputs(line->op == NORN_OP_TRUE ? "true" : "false", w->to);
	else
		write_pattern(w, i, patterns[line->op]);
}

/* Lines that are used more than once and are no bits get names, so that nothing is written out twice. */
static void name_lines(struct equation_writer *w)
{
	uint32_t named = 0;
	for (uint32_t i = 0; i < w->ptltl->count; i++) { /* first the number of uses */
		const struct norn_ptltl_line *line = &w->ptltl->lines[i];
		if (leaf(line->op))
			continue;
		w->names[line->a]++;
		if (line->op == NORN_OP_AND || line->op == NORN_OP_OR || line->op >= NORN_OP_SINCE)
			w->names[line->b]++;
	}
	for (uint32_t i = 0; i < w->ptltl->count; i++) {
		const struct norn_ptltl_line *line = &w->ptltl->lines[i];
		w->names[i] = w->names[i] > 1 && !leaf(line->op) && line->bit == NORN_PTLTL_NONE ? ++named : 0;
	}
}

void norn_equations_write(const struct norn_property *property, const struct norn_ptltl *ptltl, FILE *to)
{
	struct equation_writer w = {property, ptltl, norn_must_calloc(ptltl->count, sizeof(uint32_t)), to};
	name_lines(&w);
	for (uint32_t i = 0; i < ptltl->count; i++) {
		const struct norn_ptltl_line *line = &ptltl->lines[i];
		if (line->bit == NORN_PTLTL_NONE && !w.names[i])
			continue;
		fprintf(to, line->bit != NORN_PTLTL_NONE ? "  b%u = " : "  t%u = ",
		        line->bit != NORN_PTLTL_NONE ? line->bit + 1u : w.names[i]);
		write_line(&w, i);
		fputc('\n', to);
	}
	fputs("  verdict = ", to);
	if (ptltl->lines[ptltl->count - 1].bit != NORN_PTLTL_NONE)
		write_value(&w, ptltl->count - 1);
	else
		write_line(&w, ptltl->count - 1);
	fputc('\n', to);
	free(w.names);
}
