/* large_parts COUNT STEPS SEED: random parts of a run (step_model.h) with about so many steps, and what must-order answers,
 * as text for tests/oracle/sat:
 *
 *	part THREADS LOCKS SEMAPHORES GROUPS
 *	semaphore VALUE …                       at the start; locks are free, then
 *	content NUMBER …                        of groups, at the start
 *	step THREAD RULE OBJECT OPAQUE needs THREAD:COUNT … reads GROUP:CONTENT … writes GROUP:CONTENT …
 *	goal COUNT …                            steps of each thread
 *	answer found | never | open             or refused: the order that was found is none
 *
 * Steps come in the observed order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "sliced/search/must_order.h"

#define THREADS 8u
#define LOCKS 4u
#define OBJECTS (LOCKS + 2) /* two semaphores */
#define GROUPS 6u

static uint64_t seed;

static uint32_t chance(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 32) % below;
}

static const struct norn_rule rules[] = {
        {"access", "R6", 0, .exact = true},
        {"acquire", "S1", 0, .guard = NORN_GUARD_FREE, .effect = NORN_EFFECT_LOCK},
        {"release", "S1", 0, .effect = NORN_EFFECT_UNLOCK},
        {"share", "S1", 0, .guard = NORN_GUARD_NO_WRITER, .effect = NORN_EFFECT_SHARE},
        {"unshare", "S1", 0, .effect = NORN_EFFECT_UNSHARE},
        {"try", "S2", 0, .guard = NORN_GUARD_HELD},
        {"tryshare", "S3", 0, .guard = NORN_GUARD_WRITER},
        {"post", "S10", 0, .effect = NORN_EFFECT_UP},
        {"wait", "S10", 0, .guard = NORN_GUARD_POSITIVE, .effect = NORN_EFFECT_DOWN},
        {"trywait", "S11", 0, .guard = NORN_GUARD_ZERO},
};
enum { ACCESS, ACQUIRE, RELEASE, SHARE, UNSHARE, TRY, TRYSHARE, POST, WAIT, TRYWAIT };

struct part {
	struct norn_step_model model;
	uint32_t contents[GROUPS], states[OBJECTS], content[GROUPS], state[OBJECTS];
	uint8_t held[THREADS][LOCKS]; /* rule that took it, 0: none */
	NORN_VECTOR(struct norn_step_model_step) made[THREADS];
	NORN_VECTOR(struct norn_step_model_access) accesses;
	NORN_VECTOR(struct norn_step_model_need) needs;
	struct norn_numbers order;
	uint32_t next_content;
	bool equal; /* values come again */
};

static void add_access(struct part *p, struct norn_step_model_step *s)
{
	uint32_t group = chance(GROUPS), how = chance(5);
	if (how) {
		s->read = p->accesses.count;
		s->read_count = 1;
		norn_must_push(&p->accesses, (struct norn_step_model_access){group, p->content[group]});
	}
	if (how < 3) {
		p->content[group] = p->equal ? 1 + chance(4) : p->next_content++;
		s->write = p->accesses.count;
		s->write_count = 1;
		norn_must_push(&p->accesses, (struct norn_step_model_access){group, p->content[group]});
	}
}

static void add_sync(struct part *p, uint32_t thread, struct norn_step_model_step *s)
{
	uint32_t object = chance(OBJECTS), rule;
	if (object >= LOCKS)
		rule = POST + chance(7) % 3;
	else if (p->held[thread][object])
		rule = p->held[thread][object] + 1u;
	else
		rule = chance(8) == 0 ? TRY + chance(2) : chance(3) ? ACQUIRE : SHARE;
	if (!norn_rule_enabled(rules + rule, p->state[object]))
		return;
	s->rule = rules + rule;
	s->object = object;
	p->state[object] = norn_rule_apply(s->rule, p->state[object], 0);
	if (rule <= UNSHARE)
		p->held[thread][object] = rule == ACQUIRE || rule == SHARE ? (uint8_t)rule : 0;
}

/* Steps in the observed order, which can be; a few of them need another one besides. */
static void make_steps(struct part *p, uint32_t total)
{
	for (uint32_t i = 0; i < total; i++) {
		uint32_t t = chance(p->model.threads), other = chance(p->model.threads);
		struct norn_step_model_step s = {.event = i + 1,
		        .rule = rules,
		        .need = p->needs.count,
		        .object = NORN_STEP_MODEL_NONE,
		        .condition = NORN_STEP_MODEL_NONE,
		        .opaque = chance(400) == 0};
		if (chance(2))
			add_access(p, &s);
		else
			add_sync(p, t, &s);
		if (other != t && p->made[other].count && chance(20) == 0) {
			norn_must_push(&p->needs, (struct norn_step_model_need){other, p->made[other].count});
			s.need_count = 1;
		}
		norn_must_push(&p->made[t], s);
		norn_must_push(&p->order, t);
	}
}

static void print_accesses(const struct part *p, const char *word, uint32_t from, uint32_t count)
{
	printf(" %s", word);
	for (uint32_t k = from; k < from + count; k++)
		printf(" %u:%u", p->accesses.items[k].group, p->accesses.items[k].content);
}

static void print_part(const struct part *p)
{
	const struct norn_step_model *m = &p->model;
	uint32_t next[THREADS] = {0};
	printf("part %u %u %u %u\nsemaphore", m->threads, LOCKS, OBJECTS - LOCKS, GROUPS);
	for (uint32_t o = LOCKS; o < OBJECTS; o++)
		printf(" %u", p->states[o]);
	printf("\ncontent");
	for (uint32_t g = 0; g < GROUPS; g++)
		printf(" %u", p->contents[g]);
	for (uint32_t i = 0; i < p->order.count; i++) {
		uint32_t t = p->order.items[i];
		const struct norn_step_model_step *s = m->steps + m->first[t] + next[t]++;
		printf("\nstep %u %s %d %d needs", t, s->rule->name, (int)s->object, s->opaque);
		for (uint32_t k = s->need; k < s->need + s->need_count; k++)
			printf(" %u:%u", m->needs[k].thread, m->needs[k].count);
		print_accesses(p, "reads", s->read, s->read_count);
		print_accesses(p, "writes", s->write, s->write_count);
	}
	printf("\n");
}

/* Is the goal reached by these steps, one by one? */
static bool holds(const struct norn_step_model *m, const uint32_t *counts, const uint32_t *made, uint32_t count)
{
	uint32_t *node = norn_must_alloc(norn_step_model_words(m), sizeof *node);
	bool good = true;
	norn_step_model_start(m, node);
	for (uint32_t i = 0; i < count && good; i++) {
		uint32_t t = 0;
		while (made[i] >= m->first[t + 1])
			t++;
		good = made[i] == m->first[t] + node[t] && norn_step_model_enabled(m, m->steps + made[i], t, node);
		if (good)
			norn_step_model_make(m, m->steps + made[i], t, node);
	}
	for (uint32_t t = 0; t < m->threads && good; t++)
		good = node[t] >= counts[t];
	free(node);
	return good;
}

/* Two threads stop somewhere, close to each other in the observed order: the one before, or the one after its step there. */
static void ask(struct part *p)
{
	static const char *const words[] = {
	        [NORN_MUST_ORDER_NEVER] = "never", [NORN_MUST_ORDER_FOUND] = "found", [NORN_MUST_ORDER_GIVEN_UP] = "open"};
	const struct norn_step_model *m = &p->model;
	uint32_t counts[THREADS] = {0}, count, *made = norn_must_alloc(p->order.count, sizeof *made);
	uint8_t wakes[THREADS] = {0};
	uint64_t cost = 0;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t t = chance(m->threads), length = m->first[t + 1] - m->first[t];
		counts[t] = length ? length / 2 + chance(length / 2 + 1) : 0;
	}
	printf("goal");
	for (uint32_t t = 0; t < m->threads; t++)
		printf(" %u", counts[t]);
	const struct norn_must_order_goal goal = {counts, wakes};
	enum norn_must_order_result r = norn_must_order(m, &goal, 3000, &cost, made, &count);
	printf("\nanswer %s\n", r == NORN_MUST_ORDER_FOUND && !holds(m, counts, made, count) ? "refused" : words[r]);
	free(made);
}

static void finish(struct part *p, uint32_t total)
{
	struct norn_step_model *m = &p->model;
	m->byte_groups = GROUPS;
	m->objects = OBJECTS;
	m->numbers = norn_must_calloc(THREADS, sizeof *m->numbers);
	m->first = norn_must_calloc(THREADS + 1, sizeof *m->first);
	m->steps = norn_must_alloc(total, sizeof *m->steps);
	m->needs = p->needs.items;
	m->accesses = p->accesses.items;
	m->contents = p->contents;
	m->states = p->states;
	m->order = p->order.items;
	m->last_read = norn_must_calloc(GROUPS * THREADS, sizeof *m->last_read);
	for (uint32_t t = 0; t < m->threads; t++) {
		m->first[t + 1] = m->first[t] + p->made[t].count;
		if (p->made[t].count)
			memcpy(m->steps + m->first[t], p->made[t].items, p->made[t].count * sizeof *m->steps);
		for (uint32_t i = 0; i < p->made[t].count; i++)
			for (uint32_t k = 0; k < p->made[t].items[i].read_count; k++)
				m->last_read[p->accesses.items[p->made[t].items[i].read + k].group * m->threads + t] = i + 1;
	}
}

static void part_done(struct part *p)
{
	free(p->model.numbers);
	free(p->model.first);
	free(p->model.steps);
	free(p->model.last_read);
	for (uint32_t t = 0; t < THREADS; t++)
		norn_vector_done(&p->made[t]);
	norn_vector_done(&p->accesses);
	norn_vector_done(&p->needs);
	norn_vector_done(&p->order);
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "large_parts COUNT STEPS SEED\n");
		return 2;
	}
	uint32_t total = (uint32_t)strtoul(argv[2], NULL, 10);
	seed = strtoull(argv[3], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (unsigned long i = strtoul(argv[1], NULL, 10); i > 0; i--) {
		struct part p = {.model.threads = 2 + chance(THREADS - 1), .equal = chance(2), .next_content = 10};
		for (uint32_t g = 0; g < GROUPS; g++)
			p.contents[g] = p.content[g] = 1 + chance(4);
		for (uint32_t o = LOCKS; o < OBJECTS; o++)
			p.states[o] = p.state[o] = chance(2);
		make_steps(&p, total);
		finish(&p, total);
		print_part(&p);
		ask(&p);
		part_done(&p);
	}
	return fflush(stdout) != 0;
}
