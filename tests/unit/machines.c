#include "machines.h"

#undef NDEBUG /* a test that does not check is none */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t machine_atom(struct machine *m, char name)
{
	const char *at = m->property.atom_count ? memchr(m->letters, name, m->property.atom_count) : NULL;
	if (at)
		return (uint32_t)(at - m->letters);
	uint32_t i = m->property.atom_count++;
	m->letters[i] = name;
	m->names[i][0] = name;
	m->events[i] = (struct norn_checked_event){.name = m->names[i], .selectors = &m->selectors[i], .selector_count = 1};
	m->selectors[i] = (struct norn_checked_selector){.kind = NORN_POINT_NOTE,
	        .note = m->names[i],
	        .thread_type = NORN_SLOT_NONE,
	        .place = NORN_SLOT_NONE,
	        .result = NORN_SLOT_NONE};
	m->places[i] = (struct norn_place){.kind = NORN_PLACE_FREE, .text = m->names[i]};
	m->exprs[i] = (struct norn_expr){.op = NORN_EXPR_PLACE, .index = i};
	m->atoms[i].event = i;
	m->atoms[i].predicate = &m->exprs[i];
	m->atoms[i].text = m->names[i];
	m->spec.event_count = m->spec.place_count = i + 1;
	return i;
}

static uint32_t node(struct machine *m, enum norn_op op, uint32_t a, uint32_t b)
{
	assert(m->property.node_count < sizeof m->nodes / sizeof *m->nodes);
	m->nodes[m->property.node_count] = (struct norn_node){.op = op, .a = a, .b = b};
	return m->property.node_count++;
}

static char next(const char **at)
{
	while (**at == ' ')
		++*at;
	return *(*at)++;
}

static uint32_t formula(struct machine *m, const char **at)
{
	static const char unary[] = "!Y/\\OHXN", binary[] = "&|STIJUR";
	static const enum norn_op unary_ops[] = {
	        NORN_OP_NOT, NORN_OP_PREV, NORN_OP_START, NORN_OP_END, NORN_OP_ONCE, NORN_OP_HIST, NORN_OP_NEXT, NORN_OP_WEAK_NEXT};
	static const enum norn_op binary_ops[] = {NORN_OP_AND, NORN_OP_OR, NORN_OP_SINCE, NORN_OP_WEAK_SINCE, NORN_OP_INTERVAL,
	        NORN_OP_WEAK_INTERVAL, NORN_OP_UNTIL, NORN_OP_RELEASE};
	char c = next(at);
	if (c >= 'a' && c <= 'z')
		return node(m, NORN_OP_ATOM, machine_atom(m, c), 0);
	if (c == '0' || c == '1')
		return node(m, c == '1' ? NORN_OP_TRUE : NORN_OP_FALSE, 0, 0);
	uint32_t a = formula(m, at);
	if (c == 'F')
		return node(m, NORN_OP_UNTIL, node(m, NORN_OP_TRUE, 0, 0), a);
	if (c == 'G')
		return node(m, NORN_OP_RELEASE, node(m, NORN_OP_FALSE, 0, 0), a);
	if (strchr(unary, c))
		return node(m, unary_ops[strchr(unary, c) - unary], a, 0);
	uint32_t b = formula(m, at);
	if (c == '>')
		return node(m, NORN_OP_OR, node(m, NORN_OP_NOT, a, 0), b);
	if (c == 'W')
		return node(m, NORN_OP_RELEASE, b, node(m, NORN_OP_OR, a, b));
	assert(strchr(binary, c));
	return node(m, binary_ops[strchr(binary, c) - binary], a, b);
}

static uint32_t rnode(struct machine *m, struct norn_rnode n)
{
	assert(m->property.rnode_count < sizeof m->rnodes / sizeof *m->rnodes);
	m->rnodes[m->property.rnode_count] = n;
	return m->property.rnode_count++;
}

static uint32_t expression(struct machine *m, const char **at)
{
	char c = next(at);
	if (c >= 'a' && c <= 'z')
		return rnode(m, (struct norn_rnode){.kind = NORN_REX_EVENT, .a = machine_atom(m, c)});
	if (c == '.')
		return rnode(m, (struct norn_rnode){.kind = NORN_REX_ANY});
	uint32_t least = c == '+' ? 1 : 0, most = c == '?' ? 1 : NORN_REX_UNBOUNDED;
	if (c == '{') {
		least = (uint32_t)(next(at) - '0');
		most = (uint32_t)(next(at) - '0');
		most = most == 9 ? NORN_REX_UNBOUNDED : most;
	}
	uint32_t a = expression(m, at);
	if (c == '!')
		return rnode(m, (struct norn_rnode){.kind = NORN_REX_NOT, .a = a});
	if (strchr("*+?{", c))
		return rnode(m, (struct norn_rnode){.kind = NORN_REX_REPEAT, .a = a, .least = least, .most = most});
	uint32_t b = expression(m, at);
	assert(strchr(";&|", c));
	return rnode(m, (struct norn_rnode){.kind = c == ';'   ? NORN_REX_CAT
	                                            : c == '&' ? NORN_REX_AND
	                                                       : NORN_REX_OR,
	                        .a = a,
	                        .b = b});
}

void machine_init(struct machine *m, enum norn_logic_kind logic, bool events, const char *polish)
{
	memset(m, 0, sizeof *m);
	m->spec.events = m->events;
	m->spec.places = m->places;
	m->property.name = "machine";
	m->property.logic = logic;
	m->property.atoms = m->atoms;
	m->property.nodes = m->nodes;
	m->property.rnodes = m->rnodes;
	for (unsigned i = 0; i < 64; i++)
		m->atoms[i].kind = events ? NORN_ATOM_EVENT : NORN_ATOM_PREDICATE;
	const char *at = polish;
	if (logic == NORN_LOGIC_PTLTL || logic == NORN_LOGIC_LTL)
		formula(m, &at);
	else if (logic != NORN_LOGIC_FSM)
		expression(m, &at);
	assert(logic == NORN_LOGIC_FSM || *at == '\0');
}

uint64_t machine_letter(const struct machine *m, const char *step, size_t length)
{
	uint64_t letter = 0;
	for (size_t i = 0; i < length; i++) {
		const char *at = memchr(m->letters, step[i], m->property.atom_count);
		letter |= at ? UINT64_C(1) << (at - m->letters) : 0;
	}
	return letter;
}

const char *machine_play(const struct machine *m, const struct norn_monitor_options *options, bool first, const char *trace)
{
	static char verdicts[4096];
	struct norn_error err;
	struct norn_monitor *monitor;
	if (norn_monitor_new(&m->spec, &m->property, options, &monitor, &err) != 0) {
		snprintf(verdicts, sizeof verdicts, "%s", err.message);
		return verdicts;
	}
	uint64_t state = norn_monitor_start(monitor);
	size_t count = 0;
	if (first)
		verdicts[count++] = norn_verdict_letter(norn_monitor_verdict(monitor, state));
	for (size_t length; *(trace += strspn(trace, " ")); trace += length) {
		length = strcspn(trace, " ");
		state = norn_monitor_step(monitor, state, machine_letter(m, trace, length));
		if (count > 0)
			verdicts[count++] = ' ';
		verdicts[count++] = norn_verdict_letter(norn_monitor_verdict(monitor, state));
	}
	verdicts[count] = '\0';
	norn_monitor_free(monitor);
	return verdicts;
}

uint32_t machine_random(uint32_t *seed, uint32_t below)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed % below;
}

void machine_random_text(uint32_t *seed, enum norn_logic_kind logic, unsigned atoms, unsigned size, char *ret_polish)
{
	const char *unary = logic == NORN_LOGIC_PTLTL ? "!!Y/\\OH" : logic == NORN_LOGIC_LTL ? "!!XNFG" : "!!*+?{";
	const char *binary = logic == NORN_LOGIC_PTLTL ? "&|>STIJ" : logic == NORN_LOGIC_LTL ? "&|>URW" : "&|;;;|";
	size_t length = 0;
	unsigned open = 1; /* operands that are still to come */
	while (open > 0) {
		unsigned choice = size > 0 ? machine_random(seed, 5) : 4;
		if (choice < 4)
			size--;
		if (choice < 2) {
			char c = unary[machine_random(seed, (uint32_t)strlen(unary))];
			ret_polish[length++] = c;
			if (c == '{') {
				unsigned least = machine_random(seed, 3);
				ret_polish[length++] = (char)('0' + least);
				ret_polish[length++] = (char)('0' + least + machine_random(seed, 3));
			}
		} else if (choice < 4) {
			ret_polish[length++] = binary[machine_random(seed, (uint32_t)strlen(binary))];
			open++;
		} else {
			bool rare = machine_random(seed, 16) == 0;
			bool words = logic != NORN_LOGIC_PTLTL && logic != NORN_LOGIC_LTL;
			ret_polish[length++] = rare ? (words ? '.' : (char)('0' + machine_random(seed, 2)))
			                            : (char)('a' + machine_random(seed, atoms));
			open--;
		}
	}
	ret_polish[length] = '\0';
}
