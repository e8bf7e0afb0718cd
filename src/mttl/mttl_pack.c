#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mttl/mttl.h"

void norn_mttl_done(struct norn_mttl *program)
{
	free(program->lines);
	free(program->arguments);
	free(program->remotes);
	free(program->tables);
	free(program->locals);
	free(program->updates);
	free(program->places);
	free(program->properties);
	free(program->variables);
	free(program->event_properties);
	free(program->texts);
	*program = (struct norn_mttl){0};
}

/* Those with few dimensions first: where they are does not depend on how many threads there are. */
void norn_mttl_lay_out(struct norn_mttl *p)
{
	memset(p->remotes_of, 0, sizeof p->remotes_of);
	memset(p->tables_of, 0, sizeof p->tables_of);
	for (uint32_t dimensions = 0; dimensions <= NORN_MTTL_DIMENSIONS; dimensions++) {
		for (uint32_t i = 0; i < p->remote_count; i++)
			if (p->remotes[i].dimensions == dimensions) {
				memcpy(p->remotes[i].before, p->remotes_of, sizeof p->remotes_of);
				p->remotes_of[dimensions]++;
			}
		for (uint32_t i = 0; i < p->table_count; i++)
			if (p->tables[i].dimensions == dimensions) {
				memcpy(p->tables[i].before, p->tables_of, sizeof p->tables_of);
				p->tables_of[dimensions]++;
			}
	}
}

static void pack_wide(struct norn_pack *pack, __int128 number)
{
	norn_pack_number(pack, (uint64_t)number);
	norn_pack_number(pack, (uint64_t)(number >> 64));
}

static __int128 unpack_wide(struct norn_unpack *in)
{
	unsigned __int128 low = norn_unpack_number(in), high = norn_unpack_number(in);
	return (__int128)(high << 64 | low);
}

static void pack_dimensions(struct norn_pack *pack, uint32_t count, const uint32_t *dimension)
{
	norn_pack_number(pack, count);
	for (uint32_t i = 0; i < count; i++)
		norn_pack_number(pack, dimension[i]);
}

static uint32_t unpack_dimensions(struct norn_unpack *in, uint32_t variables, uint32_t *ret_dimension)
{
	uint32_t count = norn_unpack_below(in, NORN_MTTL_DIMENSIONS + 1);
	for (uint32_t i = 0; i < count; i++)
		ret_dimension[i] = norn_unpack_below(in, variables);
	return count;
}

void norn_mttl_pack(const struct norn_mttl *p, struct norn_pack *pack)
{
	const uint32_t counts[] = {p->variable_count, p->line_count, p->argument_count, p->remote_count, p->table_count,
	        p->local_count, p->update_count, p->place_count, p->property_count, p->event_count, p->valued};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		norn_pack_number(pack, counts[i]);
	for (uint32_t i = 0; i < p->variable_count; i++) {
		norn_pack_text(pack, p->variables[i].name);
		norn_pack_number(pack, p->variables[i].type);
		norn_pack_number(pack, p->variables[i].other);
	}
	for (uint32_t i = 0; i < p->line_count; i++) {
		const struct norn_mttl_line *l = &p->lines[i];
		const uint64_t numbers[] = {l->op, l->a, l->b, l->index, l->property, l->free};
		for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
			norn_pack_number(pack, numbers[k]);
		pack_wide(pack, l->number);
	}
	for (uint32_t i = 0; i < p->argument_count; i++)
		norn_pack_number(pack, p->arguments[i]);
	for (uint32_t i = 0; i < p->remote_count; i++) {
		const struct norn_mttl_remote *r = &p->remotes[i];
		norn_pack_number(pack, r->line);
		norn_pack_number(pack, r->variable);
		pack_dimensions(pack, r->dimensions, r->dimension);
		norn_pack_text(pack, r->text);
	}
	for (uint32_t i = 0; i < p->table_count; i++) {
		norn_pack_number(pack, p->tables[i].line);
		pack_dimensions(pack, p->tables[i].dimensions, p->tables[i].dimension);
	}
	for (uint32_t i = 0; i < p->local_count; i++) {
		norn_pack_number(pack, p->locals[i].ghost);
		norn_pack_number(pack, p->locals[i].index);
		norn_pack_number(pack, p->locals[i].properties);
		pack_wide(pack, p->locals[i].initial);
	}
	for (uint32_t i = 0; i < p->update_count; i++) {
		norn_pack_number(pack, p->updates[i].local);
		norn_pack_number(pack, p->updates[i].event);
		norn_pack_number(pack, p->updates[i].fresh);
		norn_pack_number(pack, p->updates[i].line);
	}
	for (uint32_t i = 0; i < p->place_count; i++) {
		norn_pack_number(pack, p->places[i].place);
		norn_pack_number(pack, p->places[i].valued);
	}
	for (uint32_t i = 0; i < p->property_count; i++) {
		norn_pack_number(pack, p->properties[i].index);
		norn_pack_number(pack, p->properties[i].root);
		norn_pack_number(pack, p->properties[i].variable);
	}
	for (uint32_t i = 0; i < p->event_count; i++)
		norn_pack_number(pack, p->event_properties[i]);
}

/* The operands of line i lie before it; everything that it names is there. */
static bool line_fits(const struct norn_mttl *p, uint32_t i)
{
	const struct norn_mttl_line *l = &p->lines[i];
	if (l->property >= p->property_count && l->property != UINT32_MAX)
		return false;
	switch (l->op) {
	case NORN_MTTL_CONST:
	case NORN_MTTL_SLOT:
		return true;
	case NORN_MTTL_PLACE:
		return l->index < p->valued;
	case NORN_MTTL_LOCAL:
		return l->index < p->local_count;
	case NORN_MTTL_EVENT:
		if (l->index >= p->event_count || l->a > p->argument_count || l->b > p->argument_count - l->a)
			return false;
		for (uint32_t k = 0; k < l->b; k++)
			if (p->arguments[l->a + k] >= i && p->arguments[l->a + k] != NORN_SLOT_NONE)
				return false;
		return true;
	case NORN_MTTL_ACCESS:
		return l->index < p->place_count;
	case NORN_MTTL_AT:
		return l->a < i && l->b < p->variable_count && l->index < p->remote_count;
	case NORN_MTTL_FORALL:
	case NORN_MTTL_EXISTS:
		return l->a < i && l->b < p->variable_count;
	default:
		if (l->a >= i || l->b >= i || l->op > NORN_MTTL_VALUE + (uint32_t)NORN_EXPR_BITAND)
			return false;
		return l->op < NORN_MTTL_PREV || l->op > NORN_MTTL_WEAK_INTERVAL || l->index < p->table_count;
	}
}

static bool fits(const struct norn_spec *spec, const struct norn_mttl *p)
{
	bool good = p->event_count <= spec->event_count && p->valued <= p->place_count;
	for (uint32_t i = 0; good && i < p->line_count; i++)
		good = line_fits(p, i);
	for (uint32_t i = 0; good && i < p->remote_count; i++)
		good = p->remotes[i].line < p->line_count && p->remotes[i].variable < p->variable_count;
	for (uint32_t i = 0; good && i < p->table_count; i++)
		good = p->tables[i].line < p->line_count && p->lines[p->tables[i].line].index == i;
	for (uint32_t i = 0; good && i < p->local_count; i++)
		good = p->locals[i].index < (p->locals[i].ghost ? spec->ghost_count : spec->place_count);
	for (uint32_t i = 0; good && i < p->update_count; i++)
		good = p->updates[i].local < p->local_count && p->updates[i].event < p->event_count &&
		       (p->updates[i].fresh || p->updates[i].line < p->line_count);
	for (uint32_t i = 0; good && i < p->place_count; i++)
		good = p->places[i].place < spec->place_count;
	for (uint32_t i = 0; good && i < p->property_count; i++)
		good = p->properties[i].index < spec->property_count && p->properties[i].root < p->line_count &&
		       p->properties[i].variable < p->variable_count;
	for (uint32_t i = 0; good && i < p->variable_count; i++)
		good = (p->variables[i].other == NORN_SLOT_NONE || p->variables[i].other < p->variable_count) &&
		       (p->variables[i].type == NORN_SLOT_NONE || p->variables[i].type < spec->type_count);
	return good;
}

static bool allocate(struct norn_mttl *p)
{
	p->variables = calloc(p->variable_count + 1ul, sizeof *p->variables);
	p->lines = calloc(p->line_count + 1ul, sizeof *p->lines);
	p->arguments = calloc(p->argument_count + 1ul, sizeof *p->arguments);
	p->remotes = calloc(p->remote_count + 1ul, sizeof *p->remotes);
	p->tables = calloc(p->table_count + 1ul, sizeof *p->tables);
	p->locals = calloc(p->local_count + 1ul, sizeof *p->locals);
	p->updates = calloc(p->update_count + 1ul, sizeof *p->updates);
	p->places = calloc(p->place_count + 1ul, sizeof *p->places);
	p->properties = calloc(p->property_count + 1ul, sizeof *p->properties);
	p->event_properties = calloc(p->event_count + 1ul, sizeof *p->event_properties);
	return p->variables && p->lines && p->arguments && p->remotes && p->tables && p->locals && p->updates && p->places &&
	       p->properties && p->event_properties;
}

static void unpack_lines(struct norn_unpack *in, struct norn_mttl *p)
{
	for (uint32_t i = 0; i < p->variable_count; i++) {
		p->variables[i].name = norn_unpack_text(in);
		p->variables[i].type = (uint32_t)norn_unpack_number(in);
		p->variables[i].other = (uint32_t)norn_unpack_number(in);
	}
	for (uint32_t i = 0; i < p->line_count; i++) {
		struct norn_mttl_line *l = &p->lines[i];
		uint32_t *const numbers[] = {&l->op, &l->a, &l->b, &l->index, &l->property};
		for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
			*numbers[k] = (uint32_t)norn_unpack_number(in);
		l->free = norn_unpack_number(in);
		l->number = unpack_wide(in);
	}
	for (uint32_t i = 0; i < p->argument_count; i++)
		p->arguments[i] = (uint32_t)norn_unpack_number(in);
	for (uint32_t i = 0; i < p->remote_count; i++) {
		struct norn_mttl_remote *r = &p->remotes[i];
		r->line = norn_unpack_below(in, p->line_count);
		r->variable = norn_unpack_below(in, p->variable_count);
		r->dimensions = unpack_dimensions(in, p->variable_count, r->dimension);
		r->text = norn_unpack_text(in);
		r->text = r->text ? r->text : "";
	}
	for (uint32_t i = 0; i < p->table_count; i++) {
		p->tables[i].line = norn_unpack_below(in, p->line_count);
		p->tables[i].dimensions = unpack_dimensions(in, p->variable_count, p->tables[i].dimension);
	}
}

static void unpack_rest(struct norn_unpack *in, struct norn_mttl *p)
{
	for (uint32_t i = 0; i < p->local_count; i++) {
		p->locals[i].ghost = norn_unpack_below(in, 2);
		p->locals[i].index = (uint32_t)norn_unpack_number(in);
		p->locals[i].properties = norn_unpack_number(in);
		p->locals[i].initial = unpack_wide(in);
	}
	for (uint32_t i = 0; i < p->update_count; i++) {
		p->updates[i].local = (uint32_t)norn_unpack_number(in);
		p->updates[i].event = (uint32_t)norn_unpack_number(in);
		p->updates[i].fresh = norn_unpack_below(in, 2);
		p->updates[i].line = (uint32_t)norn_unpack_number(in);
	}
	for (uint32_t i = 0; i < p->place_count; i++) {
		p->places[i].place = (uint32_t)norn_unpack_number(in);
		p->places[i].valued = norn_unpack_below(in, 2);
	}
	for (uint32_t i = 0; i < p->property_count; i++) {
		p->properties[i].index = (uint32_t)norn_unpack_number(in);
		p->properties[i].root = (uint32_t)norn_unpack_number(in);
		p->properties[i].variable = (uint32_t)norn_unpack_number(in);
	}
	for (uint32_t i = 0; i < p->event_count; i++)
		p->event_properties[i] = norn_unpack_number(in);
}

int norn_mttl_unpack(const struct norn_spec *spec, struct norn_unpack *in, struct norn_mttl *ret_program)
{
	struct norn_mttl p = {0};
	p.variable_count = norn_unpack_below(in, NORN_MTTL_VARIABLES_MAX + 1);
	p.line_count = norn_unpack_below(in, NORN_MTTL_LINES_MAX + 1);
	uint32_t *const counts[] = {
	        &p.argument_count, &p.remote_count, &p.table_count, &p.local_count, &p.update_count, &p.place_count};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		*counts[i] = norn_unpack_count(in);
	p.property_count = norn_unpack_below(in, NORN_MTTL_PROPERTIES_MAX + 1);
	p.event_count = norn_unpack_count(in);
	p.valued = norn_unpack_count(in);
	if (in->failed)
		return -EINVAL;
	int r = allocate(&p) ? 0 : -ENOMEM;
	if (r == 0) {
		unpack_lines(in, &p);
		unpack_rest(in, &p);
		r = in->failed || !fits(spec, &p) ? -EINVAL : 0;
	}
	if (r < 0) {
		norn_mttl_done(&p);
		return r;
	}
	norn_mttl_lay_out(&p);
	*ret_program = p;
	return 0;
}
