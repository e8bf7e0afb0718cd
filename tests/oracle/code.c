#include "code.h"

struct maker {
	struct code *code;
	uint16_t breaks[64]; /* jumps to be directed to the end of the loop */
	unsigned break_count;
	bool full;
};

static unsigned put(struct maker *m, unsigned op, unsigned statement, unsigned body)
{
	struct code *code = m->code;
	if (code->count == CODE) {
		m->full = true;
		return 0;
	}
	code->code[code->count] = (struct instruction){.op = (uint8_t)op, .statement = (uint8_t)statement, .body = (uint8_t)body};
	return code->count++;
}

static void direct(struct maker *m, unsigned from, unsigned to)
{
	m->code->code[from].target = (uint16_t)to;
}

static void put_list(struct maker *m, uint8_t first, unsigned body);

static void put_loop(struct maker *m, uint8_t i, unsigned body)
{
	const struct statement *s = &m->code->program->statements[i];
	unsigned outer = m->break_count;
	if (s->kind == S_FOR)
		put(m, I_ZERO, i, body);
	unsigned head = m->code->count;
	if (s->kind == S_WHILE)
		put(m, I_STATEMENT, i, body);
	unsigned test = put(m, s->kind == S_WHILE ? I_WHILE : I_FOR, i, body);
	put_list(m, s->body, body);
	if (s->kind == S_FOR)
		put(m, I_COUNT, i, body);
	direct(m, put(m, I_JUMP, i, body), head);
	direct(m, test, m->code->count);
	while (m->break_count > outer)
		direct(m, m->breaks[--m->break_count], m->code->count);
}

static void put_if(struct maker *m, uint8_t i, unsigned body)
{
	const struct statement *s = &m->code->program->statements[i];
	unsigned test = put(m, I_BRANCH, i, body);
	put_list(m, s->body, body);
	unsigned over = s->other ? put(m, I_JUMP, i, body) : 0;
	direct(m, test, m->code->count);
	if (s->other) {
		put_list(m, s->other, body);
		direct(m, over, m->code->count);
	}
}

static void put_list(struct maker *m, uint8_t first, unsigned body)
{
	for (uint8_t i = first; i; i = m->code->program->statements[i].next) {
		unsigned kind = m->code->program->statements[i].kind;
		if (kind == S_IF) {
			put_if(m, i, body);
		} else if (kind == S_WHILE || kind == S_FOR) {
			put_loop(m, i, body);
		} else if (kind == S_BREAK) {
			if (m->break_count < 64)
				m->breaks[m->break_count++] = (uint16_t)put(m, I_JUMP, i, body);
		} else if (kind == S_RETURN) {
			put(m, I_RESULT, i, body);
			put(m, I_LEAVE, 0, body);
		} else if (kind == S_LOCAL) {
			put(m, I_LOCAL, i, body);
		} else {
			if (kind == S_CALL && m->code->program->announces)
				put(m, I_ANNOUNCE, i, body);
			put(m, kind == S_CALL ? I_CALL : I_STATEMENT, i, body);
			m->code->atomic_blocks |= kind == S_BEGIN;
			const struct place *place = &m->code->program->statements[i].place;
			m->code->weak |= kind == S_FENCE || (place->atomic && place->order);
		}
	}
}

bool code_make(const struct program *program, struct code *ret_code)
{
	struct maker m = {.code = ret_code};
	ret_code->program = program;
	ret_code->count = 0;
	ret_code->atomic_blocks = program->atomic;
	ret_code->weak = false;
	ret_code->monitored = false;
	for (unsigned body = 0; body < BODIES; body++) {
		ret_code->start[body] = (uint16_t)ret_code->count;
		m.break_count = 0;
		put(&m, I_ENTER, 0, body);
		put_list(&m, program->first[body], body);
		while (m.break_count) /* outside of a loop: returns */
			direct(&m, m.breaks[--m.break_count], ret_code->count);
		put(&m, I_LEAVE, 0, body);
		put(&m, I_END, 0, body);
	}
	return !m.full;
}
