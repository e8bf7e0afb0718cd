#include "text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "trace/site.h"

static const char local_names[] = "ijqrstuv", variable_names[] = "fgpwxyzab", lock_names[] = "KLMNRS", function_names[] = "FGH",
                  order_names[] = "~<>&@"; /* from NORN_ORDER_RELAXED on */
static const char *const operators[] = {"", "", "+", "-", "&", "^", "==", "!=", "<", "!"};

struct parser {
	const char *p, *error;
	struct program *program;
};

static int member(const char *names, char c)
{
	const char *found = c ? strchr(names, c) : NULL;
	return found ? (int)(found - names) : -1;
}

static void blank(struct parser *p)
{
	while (isspace((unsigned char)*p->p))
		p->p++;
}

static bool accept(struct parser *p, const char *token)
{
	blank(p);
	size_t n = strlen(token);
	if (strncmp(p->p, token, n) || (isalpha((unsigned char)token[0]) && isalnum((unsigned char)p->p[n])))
		return false;
	p->p += n;
	return true;
}

static void expect(struct parser *p, const char *token)
{
	if (!accept(p, token) && !p->error)
		p->error = p->p;
}

static int name(struct parser *p, const char *names)
{
	blank(p);
	int i = isalnum((unsigned char)p->p[0]) && isalnum((unsigned char)p->p[1]) ? -1 : member(names, *p->p);
	if (i >= 0)
		p->p++;
	return i;
}

static unsigned needed(struct parser *p, const char *names)
{
	int i = name(p, names);
	if (i < 0 && !p->error)
		p->error = p->p;
	return i < 0 ? 0 : (unsigned)i;
}

static uint8_t digit(struct parser *p)
{
	return (uint8_t)needed(p, "0123456789");
}

static void operand(struct parser *p, struct expression *e)
{
	int local = name(p, local_names);
	if (local >= 0)
		e->b = (int8_t)local;
	else
		e->c = digit(p);
}

static struct expression parse_expression(struct parser *p)
{
	struct expression e = {.op = E_CONST, .b = -1};
	bool not = accept(p, "!");
	int local = name(p, local_names);
	if (local < 0) {
		e.c = digit(p);
		return e;
	}
	e.op = not ? E_NOT : E_LOCAL;
	e.a = (int8_t)local;
	for (unsigned op = E_ADD; !not&&op < E_NOT; op++)
		if (accept(p, operators[op])) {
			e.op = (uint8_t)op;
			operand(p, &e);
			break;
		}
	return e;
}

static void array_place(struct parser *p, struct place *place)
{
	place->kind = PLACE_ARRAY;
	expect(p, "[");
	place->index = (struct expression){.op = E_CONST, .b = -1};
	int local = name(p, local_names);
	if (local < 0) {
		place->index.c = digit(p);
	} else {
		place->index.op = E_LOCAL;
		place->index.a = (int8_t)local;
		place->masked = accept(p, "&");
		if (place->masked)
			expect(p, "1");
	}
	expect(p, "]");
}

/* Is there a place? Then it is read. */
static bool parse_place(struct parser *p, struct place *ret_place)
{
	struct place place = {.atomic = accept(p, "@")};
	int order = place.atomic ? name(p, order_names) : -1;
	place.order = (uint8_t)(order + 1);
	if (accept(p, "*")) {
		place.kind = PLACE_BLOCK;
		place.index = (struct expression){.op = E_LOCAL, .a = (int8_t)needed(p, local_names), .b = -1};
	} else {
		int variable = name(p, variable_names);
		if (variable < 0)
			return false;
		place.variable = (uint8_t)variable;
		if (variable >= VAR_A)
			array_place(p, &place);
	}
	if (place.kind != PLACE_ARRAY)
		place.part = accept(p, ".l") ? PART_LOW : accept(p, ".h") ? PART_HIGH : accept(p, ".d") ? PART_DOUBLE : PART_WHOLE;
	*ret_place = place;
	return true;
}

static void parse_lock(struct parser *p, struct statement *s)
{
	if (accept(p, "la")) {
		expect(p, "[");
		s->e = parse_expression(p);
		s->masked = true;
		if (s->e.op == E_AND)
			s->e = (struct expression){.op = E_LOCAL, .a = s->e.a, .b = -1};
		expect(p, "]");
	} else {
		s->number = (uint8_t)needed(p, lock_names);
	}
}

static void arguments(struct parser *p, struct statement *s)
{
	expect(p, "(");
	s->e = s->e2 = (struct expression){.op = E_CONST, .b = -1};
	if (accept(p, ")"))
		return;
	s->e = parse_expression(p);
	if (accept(p, ","))
		s->e2 = parse_expression(p);
	expect(p, ")");
}

static const char *const resource_words[][2] = {[RESOURCE_LOOK] = {"look", "look"},
        [RESOURCE_WATCH] = {"watch", "watch"},
        [RESOURCE_PUT] = {"put", "put"},
        [RESOURCE_SWAP] = {"swap", "lateswap"},
        [RESOURCE_CARRY] = {"carry", "latecarry"}};

static bool parse_resource(struct parser *p, struct statement *s)
{
	for (unsigned form = 0; form <= RESOURCE_CARRY; form++)
		for (unsigned late = 0; late < 2; late++)
			if (accept(p, resource_words[form][late])) {
				s->kind = S_RESOURCE;
				s->number = (uint8_t)form;
				s->masked = late;
				s->e = (struct expression){.op = E_CONST, .b = -1};
				if (form >= RESOURCE_PUT)
					s->e = parse_expression(p);
				return true;
			}
	return false;
}

/* What can stand after "r=". */
static void parse_right(struct parser *p, struct statement *s)
{
	static const struct {
		const char *word;
		uint8_t kind;
	} words[] = {{"try", S_TRYLOCK}, {"trywr", S_TRYLOCK}, {"tryrd", S_TRYRDLOCK}, {"trytake", S_TRYTAKE}, {"malloc", S_MALLOC},
	        {"rand", S_RAND}, {"add", S_ADD}, {"xchg", S_XCHG}, {"cas", S_CAS}, {"div", S_DIV}, {"timedwait", S_TIMEDWAIT}};
	if (parse_resource(p, s))
		return;
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (accept(p, words[i].word))
			s->kind = words[i].kind;
	if (s->kind == S_TRYLOCK || s->kind == S_TRYRDLOCK) {
		parse_lock(p, s);
	} else if (s->kind == S_TIMEDWAIT) {
		s->number = (uint8_t)needed(p, "cd");
		s->lock = (uint8_t)needed(p, lock_names);
	} else if (s->kind == S_TRYTAKE) {
		expect(p, "e");
	} else if (s->kind == S_ADD || s->kind == S_XCHG || s->kind == S_CAS) {
		expect(p, "(");
		if (!parse_place(p, &s->place))
			p->error = p->p;
		expect(p, ",");
		s->e = parse_expression(p);
		if (s->kind == S_CAS) {
			expect(p, ",");
			s->e2 = parse_expression(p);
		}
		s->place.atomic = true;
		expect(p, ")");
	} else if (s->kind == S_DIV) {
		arguments(p, s);
	} else if (!s->kind && parse_place(p, &s->place)) {
		s->kind = S_READ;
	} else if (!s->kind) {
		int function = name(p, function_names);
		s->kind = function >= 0 ? S_CALL : S_LOCAL;
		if (function >= 0) {
			s->number = (uint8_t)(THREADS + function);
			arguments(p, s);
		} else {
			s->e = parse_expression(p);
		}
	}
}

static uint8_t parse_list(struct parser *p);

static void parse_if(struct parser *p, struct statement *s)
{
	expect(p, "(");
	s->e = parse_expression(p);
	expect(p, ")");
	s->body = parse_list(p);
	s->other = accept(p, "else") ? parse_list(p) : 0;
}

static void parse_while(struct parser *p, struct statement *s)
{
	expect(p, "(");
	bool not = accept(p, "!");
	if (!parse_place(p, &s->place) && !p->error)
		p->error = p->p;
	s->e = (struct expression){.op = not? E_EQ : E_NE, .b = -1};
	for (unsigned op = E_EQ; !not&&op <= E_LT; op++)
		if (accept(p, operators[op])) {
			s->e.op = (uint8_t)op;
			s->e.c = digit(p);
			break;
		}
	expect(p, ")");
	s->body = parse_list(p);
}

static void parse_for(struct parser *p, struct statement *s)
{
	expect(p, "(");
	s->dst = (int8_t)needed(p, local_names);
	expect(p, "<");
	s->e = parse_expression(p);
	expect(p, ")");
	s->body = parse_list(p);
}

static void parse_fork(struct parser *p, struct statement *s)
{
	s->number = digit(p);
	s->e = (struct expression){.op = E_CONST, .b = -1};
	if (accept(p, "(")) {
		s->e = parse_expression(p);
		expect(p, ")");
	}
}

static void parse_range(struct parser *p, struct statement *s)
{
	if (!parse_place(p, &s->place) && !p->error)
		p->error = p->p;
	if (s->kind == S_SET)
		s->e = parse_expression(p);
	else if (!parse_place(p, &s->place2) && !p->error)
		p->error = p->p;
}

/* Statements that begin with a word. */
static bool parse_word(struct parser *p, struct statement *s)
{
	static const struct {
		const char *word;
		uint8_t kind;
	} words[] = {{"if", S_IF}, {"while", S_WHILE}, {"for", S_FOR}, {"break", S_BREAK}, {"return", S_RETURN}, {"lock", S_LOCK},
	        {"unlock", S_UNLOCK}, {"wrlock", S_LOCK}, {"rdlock", S_RDLOCK}, {"fork", S_FORK}, {"join", S_JOIN},
	        {"wait", S_WAIT}, {"signal", S_SIGNAL}, {"broadcast", S_BROADCAST}, {"init", S_INIT}, {"post", S_POST},
	        {"take", S_TAKE}, {"arrive", S_ARRIVE}, {"once", S_ONCE}, {"free", S_FREE}, {"exit", S_EXIT}, {"assert", S_ASSERT},
	        {"begin", S_BEGIN}, {"end", S_END}, {"mark", S_MARK}, {"opaque", S_OPAQUE}, {"copy", S_COPY}, {"set", S_SET},
	        {"create", S_CREATE}, {"destroy", S_DESTROY}, {"fence", S_FENCE}};
	if (parse_resource(p, s))
		return true;
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]) && !s->kind; i++)
		if (accept(p, words[i].word))
			s->kind = words[i].kind;
	switch (s->kind) {
	case S_NONE:
		return false;
	case S_IF:
		parse_if(p, s);
		break;
	case S_WHILE:
		parse_while(p, s);
		break;
	case S_FOR:
		parse_for(p, s);
		break;
	case S_COPY:
	case S_SET:
		parse_range(p, s);
		break;
	case S_LOCK:
	case S_UNLOCK:
	case S_RDLOCK:
	case S_CREATE:
	case S_DESTROY:
		parse_lock(p, s);
		break;
	case S_ASSERT:
		expect(p, "(");
		s->e = parse_expression(p);
		expect(p, ")");
		break;
	case S_RETURN:
	case S_FREE:
		s->e = parse_expression(p);
		break;
	case S_FORK:
	case S_JOIN:
		parse_fork(p, s);
		break;
	case S_WAIT:
	case S_SIGNAL:
	case S_BROADCAST:
		s->number = (uint8_t)needed(p, "cd");
		if (s->kind == S_WAIT)
			s->lock = (uint8_t)needed(p, lock_names);
		break;
	case S_INIT:
		s->masked = needed(p, "eb") == 1;
		s->number = s->masked ? 0 : digit(p);
		break;
	case S_POST:
	case S_TAKE:
		expect(p, "e");
		break;
	case S_MARK:
		s->number = (uint8_t)needed(p, "ABC");
		break;
	case S_FENCE:
		s->number = (uint8_t)(NORN_ORDER_RELAXED + needed(p, order_names));
		break;
	case S_ONCE:
		s->number = (uint8_t)(THREADS + needed(p, function_names));
		break;
	default:
		break;
	}
	return true;
}

static void parse_statement(struct parser *p, struct statement *s)
{
	s->dst = -1;
	if (s->kind || parse_word(p, s))
		return;
	if (parse_place(p, &s->place)) {
		expect(p, "=");
		s->kind = S_WRITE;
		s->e = parse_expression(p);
		return;
	}
	int local = name(p, local_names);
	if (local >= 0) {
		s->dst = (int8_t)local;
		expect(p, "=");
	}
	parse_right(p, s);
}

static uint8_t parse_list(struct parser *p)
{
	uint8_t first = 0, last = 0;
	expect(p, "{");
	while (!p->error && !accept(p, "}")) {
		if (p->program->count + 1 >= STATEMENTS) {
			p->error = p->p;
			break;
		}
		uint8_t i = ++p->program->count;
		struct statement s = {.kind = S_NONE};
		parse_statement(p, &s);
		p->program->statements[i] = s;
		*(last ? &p->program->statements[last].next : &first) = i;
		last = i;
		if (s.kind != S_IF && s.kind != S_WHILE && s.kind != S_FOR)
			expect(p, ";");
		else
			accept(p, ";");
	}
	return first;
}

static void parse_schedule(struct parser *p)
{
	struct program *program = p->program;
	for (blank(p); isdigit((unsigned char)*p->p) && program->steps < SCHEDULE; blank(p)) {
		program->schedule[program->steps] = digit(p);
		if (accept(p, "."))
			program->schedule[program->steps] |= 0x80;
		program->steps++;
	}
}

static void parse_body(struct parser *p, unsigned body)
{
	if (accept(p, "(")) {
		while (name(p, local_names) >= 0) {
			p->program->parameters[body]++;
			accept(p, ",");
		}
		expect(p, ")");
	}
	p->program->first[body] = parse_list(p);
}

const char *program_parse(const char *text, struct program *ret_program)
{
	struct parser p = {.p = text, .program = ret_program};
	memset(ret_program, 0, sizeof(*ret_program));
	while (!p.error) {
		int i;
		blank(&p);
		if (!*p.p)
			return NULL;
		if (accept(&p, "sched")) {
			parse_schedule(&p);
		} else if (accept(&p, "announces")) {
			ret_program->announces = true;
		} else if (accept(&p, "atomic")) {
			ret_program->atomic = true;
		} else if (accept(&p, "maps")) {
			ret_program->maps = true;
		} else if (accept(&p, "dirty")) {
			ret_program->dirty = true;
		} else if (accept(&p, "returns")) {
			ret_program->returns = true;
		} else if ((i = name(&p, variable_names)) >= 0) {
			expect(&p, "=");
			ret_program->initial[i] = digit(&p);
		} else if ((i = name(&p, function_names)) >= 0) {
			parse_body(&p, THREADS + (unsigned)i);
		} else if (*p.p == 'T' && p.p[1] >= '0' && p.p[1] < '0' + THREADS) {
			i = p.p[1] - '0';
			p.p += 2;
			parse_body(&p, (unsigned)i);
		} else {
			p.error = p.p;
		}
	}
	return p.error;
}

static void print_expression(FILE *out, const struct expression *e)
{
	if (e->op == E_CONST)
		fprintf(out, "%u", e->c);
	else if (e->op == E_LOCAL || e->op == E_NOT)
		fprintf(out, "%s%c", operators[e->op], local_names[e->a]);
	else if (e->b >= 0)
		fprintf(out, "%c%s%c", local_names[e->a], operators[e->op], local_names[e->b]);
	else
		fprintf(out, "%c%s%u", local_names[e->a], operators[e->op], e->c);
}

static void print_place(FILE *out, const struct place *place, bool rmw)
{
	if (place->atomic && (!rmw || place->order))
		fputc('@', out);
	if (place->atomic && place->order)
		fputc(order_names[place->order - 1], out);
	if (place->kind == PLACE_BLOCK) {
		fputc('*', out);
		print_expression(out, &place->index);
	} else {
		fputc(variable_names[place->variable], out);
	}
	if (place->kind == PLACE_ARRAY) {
		fputc('[', out);
		print_expression(out, &place->index);
		fputs(place->masked ? "&1]" : "]", out);
	} else if (place->part != PART_WHOLE) {
		fputs(place->part == PART_LOW ? ".l" : place->part == PART_HIGH ? ".h" : ".d", out);
	}
}

static void print_lock(FILE *out, const struct statement *s)
{
	if (s->masked) {
		fputs("la[", out);
		print_expression(out, &s->e);
		fputs("&1]", out);
	} else {
		fputc(lock_names[s->number], out);
	}
}

static void print_arguments(FILE *out, const struct statement *s)
{
	fputc('(', out);
	print_expression(out, &s->e);
	fputc(',', out);
	print_expression(out, &s->e2);
	fputc(')', out);
}

static void print_access(FILE *out, const struct statement *s)
{
	switch (s->kind) {
	case S_READ:
		print_place(out, &s->place, false);
		break;
	case S_WRITE:
		print_place(out, &s->place, false);
		fputc('=', out);
		print_expression(out, &s->e);
		break;
	default:
		fputs(s->kind == S_ADD ? "add(" : s->kind == S_XCHG ? "xchg(" : "cas(", out);
		print_place(out, &s->place, true);
		fputc(',', out);
		print_expression(out, &s->e);
		if (s->kind == S_CAS) {
			fputc(',', out);
			print_expression(out, &s->e2);
		}
		fputc(')', out);
	}
}

static void print_control(FILE *out, const struct statement *s)
{
	switch (s->kind) {
	case S_IF:
		fputs("if(", out);
		print_expression(out, &s->e);
		fputc(')', out);
		break;
	case S_WHILE:
		fputs("while(", out);
		print_place(out, &s->place, false);
		fprintf(out, "%s%u)", operators[s->e.op], s->e.c);
		break;
	default:
		fprintf(out, "for(%c<", local_names[s->dst]);
		print_expression(out, &s->e);
		fputc(')', out);
	}
}

static const char *const plain[STATEMENT_KINDS] = {[S_BREAK] = "break",
        [S_RETURN] = "return ",
        [S_TRYLOCK] = "try ",
        [S_TRYRDLOCK] = "tryrd ",
        [S_RDLOCK] = "rdlock ",
        [S_LOCK] = "lock ",
        [S_UNLOCK] = "unlock ",
        [S_FORK] = "fork ",
        [S_JOIN] = "join ",
        [S_WAIT] = "wait ",
        [S_SIGNAL] = "signal ",
        [S_BROADCAST] = "broadcast ",
        [S_INIT] = "init ",
        [S_POST] = "post e",
        [S_TAKE] = "take e",
        [S_TRYTAKE] = "trytake e",
        [S_ARRIVE] = "arrive",
        [S_ONCE] = "once ",
        [S_MALLOC] = "malloc",
        [S_FREE] = "free ",
        [S_EXIT] = "exit",
        [S_ASSERT] = "assert(",
        [S_DIV] = "div",
        [S_BEGIN] = "begin",
        [S_END] = "end",
        [S_MARK] = "mark ",
        [S_RAND] = "rand",
        [S_OPAQUE] = "opaque",
        [S_COPY] = "copy ",
        [S_SET] = "set ",
        [S_TIMEDWAIT] = "timedwait ",
        [S_CREATE] = "create ",
        [S_FENCE] = "fence ",
        [S_DESTROY] = "destroy "};

void statement_print(FILE *out, const struct statement *s)
{
	if (s->kind == S_IF || s->kind == S_WHILE || s->kind == S_FOR) {
		print_control(out, s);
		return;
	}
	if (s->dst >= 0)
		fprintf(out, "%c=", local_names[s->dst]);
	fputs(plain[s->kind] ? plain[s->kind] : "", out);
	if (s->kind == S_RESOURCE) {
		fprintf(out, "%s ", resource_words[s->number][s->masked]);
		if (s->number >= RESOURCE_PUT)
			print_expression(out, &s->e);
	} else if (s->kind >= S_READ && s->kind <= S_CAS)
		print_access(out, s);
	else if ((s->kind >= S_LOCK && s->kind <= S_TRYRDLOCK) || s->kind == S_CREATE || s->kind == S_DESTROY)
		print_lock(out, s);
	else if (s->kind == S_LOCAL || s->kind == S_RETURN || s->kind == S_FREE || s->kind == S_ASSERT)
		print_expression(out, &s->e);
	else if (s->kind == S_DIV)
		print_arguments(out, s);
	else if (s->kind == S_CALL || s->kind == S_ONCE)
		fputc(function_names[s->number - THREADS], out);
	else if (s->kind == S_MARK)
		fputc("ABC"[s->number], out);
	else if (s->kind == S_FENCE)
		fputc(order_names[s->number - 1], out);
	else if (s->kind == S_INIT)
		fprintf(out, s->masked ? "b%.0u" : "e %u", s->masked ? 0 : s->number);
	else if (s->kind == S_FORK || s->kind == S_JOIN)
		fprintf(out, "%u", s->number);
	else if (s->kind == S_WAIT || s->kind == S_TIMEDWAIT || s->kind == S_SIGNAL || s->kind == S_BROADCAST)
		fputc("cd"[s->number], out);
	if (s->kind == S_CALL)
		print_arguments(out, s);
	if (s->kind == S_COPY || s->kind == S_SET) {
		print_place(out, &s->place, false);
		fputc(' ', out);
	}
	if (s->kind == S_COPY)
		print_place(out, &s->place2, false);
	else if (s->kind == S_SET)
		print_expression(out, &s->e);
	if (s->kind == S_ASSERT)
		fputc(')', out);
	if (s->kind == S_WAIT || s->kind == S_TIMEDWAIT)
		fprintf(out, " %c", lock_names[s->lock]);
	if (s->kind == S_FORK && (s->e.op != E_CONST || s->e.c)) {
		fputc('(', out);
		print_expression(out, &s->e);
		fputc(')', out);
	}
}

static void print_list(FILE *out, const struct program *program, uint8_t first)
{
	fputs("{ ", out);
	for (uint8_t i = first; i; i = program->statements[i].next) {
		const struct statement *s = &program->statements[i];
		statement_print(out, s);
		bool braces = s->kind == S_IF || s->kind == S_WHILE || s->kind == S_FOR;
		if (braces)
			print_list(out, program, s->body);
		if (s->kind == S_IF && s->other) {
			fputs("else ", out);
			print_list(out, program, s->other);
		}
		fputs(braces ? "" : "; ", out);
	}
	fputs("} ", out);
}

void program_print(FILE *out, const struct program *program)
{
	for (unsigned v = 0; v < VARIABLES; v++)
		if (program->initial[v])
			fprintf(out, "%c=%u ", variable_names[v], program->initial[v]);
	fputs(program->announces ? "announces " : "", out);
	fputs(program->atomic ? "atomic " : "", out);
	fputs(program->maps ? "maps " : "", out);
	fputs(program->dirty ? "dirty " : "", out);
	fputs(program->returns ? "returns\n" : "\n", out);
	for (unsigned b = 0; b < BODIES; b++) {
		unsigned body = (b + THREADS) % BODIES;
		if (!program->first[body])
			continue;
		if (body < THREADS)
			fprintf(out, "T%u", body);
		else
			fputc(function_names[body - THREADS], out);
		if (program->parameters[body])
			fputs(program->parameters[body] > 1 ? "(r,s)" : "(r)", out);
		print_list(out, program, program->first[body]);
		fputc('\n', out);
	}
	fputs("sched", out);
	for (unsigned i = 0; i < program->steps; i++)
		fprintf(out, " %u%s", program->schedule[i] & 0x7fu, program->schedule[i] & 0x80 ? "." : "");
	fputc('\n', out);
}
