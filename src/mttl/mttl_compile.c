#include "mttl/mttl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "mttl/mttl_text.h"

/* A formula on its way to lines. */
struct compiler {
	struct norn_mttl *p;
	const struct norn_sources *sources;
	const struct norn_spec *spec;
	const struct norn_property *property; /* NULL: an update */
	uint32_t number, base; /* of the property; of its first variable */
	uint32_t line_room, argument_room, remote_room, table_room, local_room, update_room, place_room, variable_room;
	size_t text_length;
	uint32_t text_room;
	int error; /* the first failure */
	const char *why;
};

static uint32_t fail(struct compiler *c, int error, const char *why)
{
	if (!c->error) {
		c->error = error;
		c->why = why;
	}
	return 0;
}

/* Room for one more behind count, of zero bytes. */
static void grow(void *array, uint32_t *room, uint32_t count, size_t bytes)
{
	uint32_t old = *room;
	norn_must_grow(array, count + UINT64_C(1), room, bytes);
	if (*room > old)
		memset(*(char **)array + old * bytes, 0, (*room - old) * bytes);
}

static bool same_line(const struct norn_mttl_line *x, const struct norn_mttl_line *y)
{
	return x->op == y->op && x->a == y->a && x->b == y->b && x->index == y->index && x->property == y->property &&
	       x->number == y->number;
}

static uint32_t add_line(struct compiler *c, struct norn_mttl_line line)
{
	struct norn_mttl *p = c->p;
	line.property = c->property ? c->number : UINT32_MAX;
	for (uint32_t i = 0; i < p->line_count && line.op != NORN_MTTL_EVENT; i++)
		if (same_line(&p->lines[i], &line))
			return i;
	if (p->line_count == NORN_MTTL_LINES_MAX)
		return fail(c, -E2BIG, "the formula is too large");
	if (c->error)
		return 0;
	grow(&p->lines, &c->line_room, p->line_count, sizeof *p->lines);
	p->lines[p->line_count] = line;
	return p->line_count++;
}

static uint64_t free_of(const struct compiler *c, uint32_t line)
{
	return c->error ? 0 : c->p->lines[line].free;
}

/* ---- what lines speak of ---- */

static uint32_t place_number(struct compiler *c, uint32_t place, bool valued)
{
	struct norn_mttl *p = c->p;
	uint32_t i = 0;
	while (i < p->place_count && p->places[i].place != place)
		i++;
	if (i == p->place_count) {
		grow(&p->places, &c->place_room, i, sizeof *p->places);
		p->places[p->place_count++].place = place;
	}
	p->places[i].valued |= valued;
	return i;
}

static uint32_t local_number(struct compiler *c, bool ghost, uint32_t index)
{
	struct norn_mttl *p = c->p;
	for (uint32_t i = 0; i < p->local_count; i++)
		if (p->locals[i].ghost == ghost && p->locals[i].index == index)
			return i;
	grow(&p->locals, &c->local_room, p->local_count, sizeof *p->locals);
	const struct norn_expr *initial = ghost ? c->spec->ghosts[index].initial : NULL;
	p->locals[p->local_count] = (struct norn_mttl_local){
	        .ghost = ghost, .index = index, .initial = initial && initial->op == NORN_EXPR_INT ? initial->number : 0};
	return p->local_count++;
}

static uint32_t dimensions_of(struct compiler *c, uint64_t free, uint32_t ret_dimension[NORN_MTTL_DIMENSIONS])
{
	uint32_t count = 0;
	for (uint32_t v = 0; v < NORN_MTTL_VARIABLES_MAX; v++) {
		if (!(free >> v & 1))
			continue;
		if (count == NORN_MTTL_DIMENSIONS)
			return fail(c, -E2BIG, "a part of the formula speaks of more than two threads besides its own");
		ret_dimension[count++] = v;
	}
	return count;
}

/* Texts are offsets until all are there, since they move while they grow: 1 + where it begins. */
static void add_text(struct compiler *c, const char *text, size_t length)
{
	norn_must_grow(&c->p->texts, c->text_length + length, &c->text_room, 1);
	memcpy(c->p->texts + c->text_length, text, length);
	c->text_length += length;
}

/* Of a formula that stands for a built-in form (property/check_builtin.c). */
static void add_remote_text(struct compiler *c, uint32_t variable, uint32_t line)
{
	char *text = NULL;
	size_t length;
	FILE *to = norn_must(open_memstream(&text, &length));
	norn_mttl_put_remote(c->p, c->spec, variable, line, to);
	norn_must_close(to);
	add_text(c, text, length);
	free(text);
}

/* The source text of the formula, or the formula printed. */
static const char *text_of(struct compiler *c, struct norn_span span, uint32_t line, uint32_t variable)
{
	size_t bytes = 0, start = c->text_length;
	const struct norn_decl *decl = c->property ? c->property->decl : NULL;
	const char *text = c->sources ? norn_sources_text(c->sources, span.file, &bytes) : NULL;
	if (decl && decl->logic.kind != NORN_LOGIC_MTTL) {
		add_remote_text(c, variable, line);
	} else if (text && span.offset < bytes) {
		add_text(c, text + span.offset, span.length < bytes - span.offset ? span.length : bytes - span.offset);
	}
	add_text(c, "", 1);
	return (const char *)(uintptr_t)(start + 1);
}

static uint32_t remote_number(struct compiler *c, uint32_t line, uint32_t variable, struct norn_span span)
{
	struct norn_mttl *p = c->p;
	for (uint32_t i = 0; i < p->remote_count; i++)
		if (p->remotes[i].line == line && p->remotes[i].variable == variable)
			return i;
	grow(&p->remotes, &c->remote_room, p->remote_count, sizeof *p->remotes);
	struct norn_mttl_remote r = {.line = line, .variable = variable};
	r.dimensions = dimensions_of(c, free_of(c, line) & ~(UINT64_C(1) << variable), r.dimension);
	r.text = c->error ? NULL : text_of(c, span, line, variable);
	p->remotes[p->remote_count] = r;
	return p->remote_count++;
}

static uint32_t at_line(struct compiler *c, uint32_t a, uint32_t variable, struct norn_span span)
{
	uint64_t free = free_of(c, a) | UINT64_C(1) << variable;
	return add_line(
	        c, (struct norn_mttl_line){
	                   .op = NORN_MTTL_AT, .a = a, .b = variable, .index = remote_number(c, a, variable, span), .free = free});
}

/* ---- expressions ---- */

static uint32_t expression(struct compiler *c, const struct norn_expr *e);

static uint32_t place_line(struct compiler *c, uint32_t place)
{
	if (c->spec->places[place].kind == NORN_PLACE_SET)
		return add_line(c, (struct norn_mttl_line){.op = NORN_MTTL_LOCAL, .index = local_number(c, false, place)});
	return add_line(c, (struct norn_mttl_line){.op = NORN_MTTL_PLACE, .index = place_number(c, place, true)});
}

static uint32_t operation(struct compiler *c, const struct norn_expr *e)
{
	uint32_t a = expression(c, e->a), b = e->b ? expression(c, e->b) : a;
	struct norn_mttl_line line = {.a = a, .b = b, .free = free_of(c, a) | free_of(c, b)};
	line.op = e->op == NORN_EXPR_AND ? NORN_MTTL_AND : e->op == NORN_EXPR_OR ? NORN_MTTL_OR : NORN_MTTL_VALUE + (uint32_t)e->op;
	return add_line(c, line);
}

static uint32_t expression(struct compiler *c, const struct norn_expr *e)
{
	switch (e->op) {
	case NORN_EXPR_INT:
		return add_line(c, (struct norn_mttl_line){.op = NORN_MTTL_CONST, .number = e->number});
	case NORN_EXPR_REAL:
		return add_line(c, (struct norn_mttl_line){.op = NORN_MTTL_CONST, .index = NORN_MTTL_REAL, .number = e->number});
	case NORN_EXPR_PLACE:
		return place_line(c, e->index);
	case NORN_EXPR_GHOST:
		return add_line(c, (struct norn_mttl_line){.op = NORN_MTTL_LOCAL, .index = local_number(c, true, e->index)});
	case NORN_EXPR_SLOT:
		return add_line(c, (struct norn_mttl_line){.op = NORN_MTTL_SLOT, .index = e->index});
	case NORN_EXPR_EVENT:
		return add_line(c, (struct norn_mttl_line){.op = NORN_MTTL_EVENT, .index = e->index});
	case NORN_EXPR_AT:
		return at_line(c, expression(c, e->a), c->base + e->index, e->span);
	case NORN_EXPR_KEY:
	case NORN_EXPR_VALUE:
	case NORN_EXPR_OLD:
	case NORN_EXPR_SELF:
	case NORN_EXPR_TID:
		return fail(c, -ENOTSUP, "facts about an event are not known in mttl");
	default:
		return operation(c, e);
	}
}

/* ---- formulas ---- */

static uint32_t event_line(struct compiler *c, const struct norn_atom *atom)
{
	struct norn_mttl *p = c->p;
	struct norn_mttl_line line = {.op = NORN_MTTL_EVENT, .index = atom->event};
	uint32_t lines[64], count = atom->arguments ? c->spec->events[atom->event].parameter_count : 0;
	for (uint32_t i = 0; i < count && i < 64; i++) {
		lines[i] = atom->arguments[i] ? expression(c, atom->arguments[i]) : NORN_SLOT_NONE;
		line.free |= atom->arguments[i] ? free_of(c, lines[i]) : 0;
	}
	line.a = p->argument_count;
	for (uint32_t i = 0; i < count && i < 64; i++, line.b++) {
		grow(&p->arguments, &c->argument_room, p->argument_count, sizeof *p->arguments);
		p->arguments[p->argument_count++] = lines[i];
	}
	return add_line(c, line);
}

static uint32_t atom_line(struct compiler *c, const struct norn_atom *atom)
{
	switch (atom->kind) {
	case NORN_ATOM_EVENT:
		return event_line(c, atom);
	case NORN_ATOM_ACCESS:
		return add_line(c, (struct norn_mttl_line){
		                           .op = NORN_MTTL_ACCESS, .a = atom->word, .index = place_number(c, atom->place, false)});
	default:
		return expression(c, atom->predicate);
	}
}

static uint32_t temporal_line(struct compiler *c, enum norn_mttl_op op, uint32_t a, uint32_t b)
{
	struct norn_mttl *p = c->p;
	struct norn_mttl_table table = {0};
	uint64_t free = free_of(c, a) | free_of(c, b);
	table.dimensions = dimensions_of(c, free, table.dimension);
	if (c->error)
		return 0;
	grow(&p->tables, &c->table_room, p->table_count, sizeof *p->tables);
	uint32_t line = add_line(c, (struct norn_mttl_line){.op = op, .a = a, .b = b, .index = p->table_count, .free = free});
	table.line = line;
	p->tables[p->table_count++] = table;
	return line;
}

static uint32_t node_line(struct compiler *c, const struct norn_node *n, const uint32_t *lines)
{
	static const uint32_t temporal[] = {[NORN_OP_PREV] = NORN_MTTL_PREV,
	        [NORN_OP_START] = NORN_MTTL_START,
	        [NORN_OP_END] = NORN_MTTL_END,
	        [NORN_OP_ONCE] = NORN_MTTL_ONCE,
	        [NORN_OP_HIST] = NORN_MTTL_HIST,
	        [NORN_OP_SINCE] = NORN_MTTL_SINCE,
	        [NORN_OP_WEAK_SINCE] = NORN_MTTL_WEAK_SINCE,
	        [NORN_OP_INTERVAL] = NORN_MTTL_INTERVAL,
	        [NORN_OP_WEAK_INTERVAL] = NORN_MTTL_WEAK_INTERVAL};
	uint32_t a = lines[n->op == NORN_OP_ATOM ? 0 : n->a];
	switch (n->op) {
	case NORN_OP_TRUE:
	case NORN_OP_FALSE:
		return add_line(c, (struct norn_mttl_line){.op = NORN_MTTL_CONST, .number = n->op == NORN_OP_TRUE});
	case NORN_OP_ATOM:
		return atom_line(c, &c->property->atoms[n->a]);
	case NORN_OP_NOT:
		return add_line(
		        c, (struct norn_mttl_line){.op = NORN_MTTL_VALUE + NORN_EXPR_NOT, .a = a, .b = a, .free = free_of(c, a)});
	case NORN_OP_AND:
	case NORN_OP_OR:
		return add_line(c, (struct norn_mttl_line){.op = n->op == NORN_OP_AND ? NORN_MTTL_AND : NORN_MTTL_OR,
		                           .a = a,
		                           .b = lines[n->b],
		                           .free = free_of(c, a) | free_of(c, lines[n->b])});
	case NORN_OP_AT:
		return at_line(c, a, c->base + n->b, n->span);
	case NORN_OP_FORALL:
	case NORN_OP_EXISTS:
		return add_line(c, (struct norn_mttl_line){.op = n->op == NORN_OP_FORALL ? NORN_MTTL_FORALL : NORN_MTTL_EXISTS,
		                           .a = a,
		                           .b = c->base + n->b,
		                           .free = (free_of(c, a) & ~(UINT64_C(1) << (c->base + n->b))) |
		                                   (c->property->threads[n->b].other == NORN_SLOT_NONE
		                                                   ? 0
		                                                   : UINT64_C(1) << (c->base + c->property->threads[n->b].other))});
	case NORN_OP_PREV:
	case NORN_OP_START:
	case NORN_OP_END:
	case NORN_OP_ONCE:
	case NORN_OP_HIST:
		return temporal_line(c, temporal[n->op], a, a);
	case NORN_OP_SINCE:
	case NORN_OP_WEAK_SINCE:
	case NORN_OP_INTERVAL:
	case NORN_OP_WEAK_INTERVAL:
		return temporal_line(c, temporal[n->op], a, lines[n->b]);
	default:
		return fail(c, -ENOTSUP, "mttl looks back only");
	}
}

static void add_variables(struct compiler *c)
{
	struct norn_mttl *p = c->p;
	c->base = p->variable_count;
	if (p->variable_count + c->property->thread_count > NORN_MTTL_VARIABLES_MAX)
		fail(c, -E2BIG, "the formulas together name too many threads");
	for (uint32_t i = 0; !c->error && i < c->property->thread_count; i++) {
		grow(&p->variables, &c->variable_room, p->variable_count, sizeof *p->variables);
		struct norn_thread_name v = c->property->threads[i];
		v.other = v.other == NORN_SLOT_NONE ? v.other : c->base + v.other;
		p->variables[p->variable_count++] = v;
	}
}

static void compile_property(struct compiler *c, uint32_t index)
{
	struct norn_mttl *p = c->p;
	const struct norn_property *property = &c->spec->properties[index];
	c->property = property;
	c->number = p->property_count;
	if (p->property_count == NORN_MTTL_PROPERTIES_MAX) {
		fail(c, -E2BIG, "there are more than 64 mttl properties");
		return;
	}
	uint32_t *lines = norn_must_calloc(property->node_count, sizeof *lines);
	add_variables(c);
	for (uint32_t i = 0; !c->error && i < property->node_count; i++)
		lines[i] = node_line(c, &property->nodes[i], lines);
	p->properties[p->property_count++] = (struct norn_mttl_property){
	        .index = index, .root = property->node_count ? lines[property->node_count - 1] : 0, .variable = c->base};
	free(lines);
}

/* ---- ghosts ---- */

static void compile_updates(struct compiler *c)
{
	struct norn_mttl *p = c->p;
	c->property = NULL;
	/* Updates may bring further ghosts, which come behind. */
	for (uint32_t l = 0; !c->error && l < p->local_count; l++) {
		if (!p->locals[l].ghost)
			continue;
		const struct norn_ghost *ghost = &c->spec->ghosts[p->locals[l].index];
		for (uint32_t i = 0; !c->error && i < ghost->update_count; i++) {
			const struct norn_checked_update *u = &ghost->updates[i];
			uint32_t line = u->fresh ? 0 : expression(c, u->value);
			grow(&p->updates, &c->update_room, p->update_count, sizeof *p->updates);
			p->updates[p->update_count++] =
			        (struct norn_mttl_update){.local = l, .event = u->event, .fresh = u->fresh, .line = line};
		}
	}
}

/* Properties that a line of an update depends on through this local. */
static void spread(struct norn_mttl *p, uint32_t line, uint64_t properties, bool *changed)
{
	const struct norn_mttl_line *l = &p->lines[line];
	if (l->op == NORN_MTTL_LOCAL) {
		*changed |= (properties & ~p->locals[l->index].properties) != 0;
		p->locals[l->index].properties |= properties;
	} else if (l->op >= NORN_MTTL_AND) {
		spread(p, l->a, properties, changed);
		spread(p, l->b, properties, changed);
	}
}

static void relate_events(struct compiler *c)
{
	struct norn_mttl *p = c->p;
	p->event_count = c->spec->event_count;
	p->event_properties = norn_must_calloc(p->event_count, sizeof *p->event_properties);
	for (uint32_t i = 0; i < p->line_count; i++) {
		const struct norn_mttl_line *l = &p->lines[i];
		if (l->property == UINT32_MAX)
			continue;
		if (l->op == NORN_MTTL_LOCAL)
			p->locals[l->index].properties |= UINT64_C(1) << l->property;
		if (l->op == NORN_MTTL_EVENT)
			p->event_properties[l->index] |= UINT64_C(1) << l->property;
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < p->update_count; i++)
			if (!p->updates[i].fresh)
				spread(p, p->updates[i].line, p->locals[p->updates[i].local].properties, &changed);
	}
	for (uint32_t i = 0; i < p->update_count; i++)
		p->event_properties[p->updates[i].event] |= p->locals[p->updates[i].local].properties;
}

/* Places with values first, since only these have entries in knowledge vectors. */
static void order_places(struct compiler *c)
{
	struct norn_mttl *p = c->p;
	struct norn_mttl_place *sorted = norn_must_calloc(p->place_count, sizeof *sorted);
	uint32_t *numbers = norn_must_calloc(p->place_count, sizeof *numbers), count = 0;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < p->place_count; i++)
			if (p->places[i].valued == !pass) {
				sorted[count] = p->places[i];
				p->valued += !pass;
				numbers[i] = count++;
			}
	for (uint32_t i = 0; i < p->line_count; i++)
		if (p->lines[i].op == NORN_MTTL_PLACE || p->lines[i].op == NORN_MTTL_ACCESS)
			p->lines[i].index = numbers[p->lines[i].index];
	free(numbers);
	free(p->places);
	p->places = sorted;
}

static void resolve_texts(struct norn_mttl *p)
{
	for (uint32_t i = 0; i < p->remote_count; i++) {
		uintptr_t offset = (uintptr_t)p->remotes[i].text;
		p->remotes[i].text = offset ? p->texts + offset - 1 : "";
	}
}

int norn_mttl_compile(
        const struct norn_sources *sources, const struct norn_spec *spec, struct norn_mttl *ret_program, struct norn_error *err)
{
	struct norn_mttl program = {0};
	struct compiler c = {.p = &program, .sources = sources, .spec = spec};
	const char *name = "";
	program.properties = norn_must_calloc(NORN_MTTL_PROPERTIES_MAX, sizeof *program.properties);
	for (uint32_t i = 0; !c.error && i < spec->property_count; i++) {
		if (spec->properties[i].logic != NORN_LOGIC_MTTL)
			continue;
		name = spec->properties[i].name;
		compile_property(&c, i);
	}
	if (!c.error)
		compile_updates(&c);
	if (!c.error)
		relate_events(&c);
	if (!c.error)
		order_places(&c);
	if (c.error) {
		norn_mttl_done(&program);
		return norn_error_set(err, c.error, "property %s: %s", name, c.why);
	}
	resolve_texts(&program);
	norn_mttl_lay_out(&program);
	*ret_program = program;
	return 0;
}
