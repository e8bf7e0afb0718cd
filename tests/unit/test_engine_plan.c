/* Plans: what is packed is what is read, and nothing that was damaged is believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checked.h"
#include "engine/plan_descriptors.h"
#include "mttl/mttl_engine.h"
#include "records.h"

static const char text[] =
        "thread boss = main; thread hand = spawn(worker) | named \"aide\";\n"
        "event moved(a, n) = call transfer(a, n) if n > 3 by hand; event told = note \"moved\"; event wrote = write "
        "bank[*].limits.min;\n"
        "event back = return transfer(_, _) -> r if r == landing;\n"
        "event locked = lock mutex; event seen = read radio; event begins = start worker;\n"
        "ghost depth = 0 { locked: depth + 1; begins: fresh; }\n"
        "property p { ptltl: start(landing == 1) -> [tries > 2, radio == 0); on violation: report(\"%d\", tries), call transfer(0, "
        "tries); }\n"
        "property q { ltl: G (locked -> F back); on inconclusive: abort; }\n"
        "property r { per a; ere: (moved moved)*; on fail: report, reset; }\n"
        "property s { fsm { initial accept none { locked -> held; else -> bad; } held { back -> none; else -> held; } error bad { "
        "else -> bad; } } }\n"
        "property t { ptltl: depth < 3 && first.balance + 18446744073709551615 > 3; }\n"
        "property u { forbid: locked seen{2,3} back; }\n"
        "property v { mttl for i: once (landing == 1) -> !(exists j != i. (depth == @j @i depth)); }\n"
        "scope w sync told { local did for hand: ltl F moved; local few for boss: ptltl depth < 2; atom some_did = some(did);\n"
        " atom all_few = count(few) <= size(boss); check both: ltl G (some_did -> all_few); on violation: report, reset; }\n";

struct world {
	struct checked checked;
	struct norn_monitor *monitors[16];
	struct norn_pack pack;
};

static void make(struct world *w)
{
	struct norn_error err = {0};
	struct norn_plan_module modules[] = {{"/bin/prog", 0x400000}, {"/lib/part.so", 0}};
	struct norn_plan_function functions[] = {{"transfer", 0, 0x1234, 2, 0}};
	const struct norn_plan head = {.mode = NORN_WATCH_THREAD,
	        .modules = modules,
	        .module_count = 2,
	        .functions = functions,
	        .function_count = 1,
	        .props_count = 1};
	memset(w, 0, sizeof *w);
	w->checked = check_text(text, hand_program());
	assert_string_equal(w->checked.diagnostics, "");
	for (uint32_t i = 0; i < w->checked.spec->property_count; i++)
		if (w->checked.spec->properties[i].logic <= NORN_LOGIC_FSM)
			assert_int_equal(
			        norn_monitor_new(w->checked.spec, &w->checked.spec->properties[i], NULL, &w->monitors[i], &err), 0);
	norn_plan_begin(&w->pack, &head);
	assert_int_equal(norn_plan_props(&w->pack, w->checked.sources, w->checked.spec, w->monitors, &err), 0);
	assert_int_equal(norn_plan_end(&w->pack, &err), 0);
}

static void unmake(struct world *w)
{
	for (uint32_t i = 0; i < w->checked.spec->property_count; i++)
		norn_monitor_free(w->monitors[i]);
	norn_pack_done(&w->pack);
	check_done(&w->checked);
}

static void numbers_and_texts(void **state)
{
	static const uint64_t numbers[] = {0, 1, 127, 128, 300, UINT32_MAX, INT64_MAX, UINT64_MAX};
	struct norn_pack pack = {0};
	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		norn_pack_number(&pack, numbers[i]);
		norn_pack_signed(&pack, (int64_t)numbers[i]);
	}
	norn_pack_text(&pack, "some");
	norn_pack_text(&pack, "");
	norn_pack_text(&pack, NULL);
	assert_false(pack.failed);
	struct norn_unpack in = {pack.bytes, pack.bytes + pack.length, false};
	for (unsigned i = 0; i < 8; i++) {
		assert_true(norn_unpack_number(&in) == numbers[i]);
		assert_true(norn_unpack_signed(&in) == (int64_t)numbers[i]);
	}
	assert_string_equal(norn_unpack_text(&in), "some");
	assert_string_equal(norn_unpack_text(&in), "");
	assert_null(norn_unpack_text(&in));
	assert_false(in.failed);
	norn_unpack_number(&in);
	assert_true(in.failed);
	norn_pack_done(&pack);
}

static bool same_expr(const struct norn_expr *a, const struct norn_expr *b)
{
	if (!a || !b)
		return a == b;
	return a->op == b->op && a->index == b->index && a->number == b->number && same_expr(a->a, b->a) && same_expr(a->b, b->b);
}

static void same_events(const struct norn_spec *a, const struct norn_spec *b)
{
	assert_int_equal(a->event_count, b->event_count);
	for (uint32_t e = 0; e < a->event_count; e++) {
		assert_string_equal(a->events[e].name, b->events[e].name);
		assert_int_equal(a->events[e].parameter_count, b->events[e].parameter_count);
		assert_int_equal(a->events[e].selector_count, b->events[e].selector_count);
		for (uint32_t i = 0; i < a->events[e].selector_count; i++) {
			const struct norn_checked_selector *x = &a->events[e].selectors[i], *y = &b->events[e].selectors[i];
			assert_int_equal(x->kind, y->kind);
			assert_int_equal(x->thread_type, y->thread_type);
			assert_int_equal(x->slots_total, y->slots_total);
			assert_int_equal(x->result, y->result);
			assert_true(same_expr(x->condition, y->condition));
			assert_int_equal(!x->function, !y->function);
			if (x->function)
				assert_string_equal(x->function, y->function);
		}
	}
}

static void same_places(const struct norn_spec *a, const struct norn_spec *b)
{
	assert_int_equal(a->place_count, b->place_count);
	for (uint32_t i = 0; i < a->place_count; i++) {
		const struct norn_place *x = &a->places[i], *y = &b->places[i];
		assert_string_equal(x->text, y->text);
		assert_int_equal(x->hops, y->hops);
		assert_int_equal(x->size, y->size);
		assert_int_equal(x->cell_step, y->cell_step);
		assert_int_equal(!x->base, !y->base);
		if (x->base)
			assert_int_equal(x->base->address, y->base->address);
		for (uint32_t k = 0; k < x->hops; k++)
			assert_int_equal(x->offsets[k], y->offsets[k]);
	}
}

static void same_steps(const struct norn_monitor *a, const struct norn_monitor *b, uint32_t atoms)
{
	uint64_t seed = 3, x = norn_monitor_start(a), y = norn_monitor_start(b), letter = 0;
	for (unsigned i = 0; i < 2000; i++) {
		assert_int_equal(norn_monitor_verdict(a, x), norn_monitor_verdict(b, y));
		assert_int_equal(norn_monitor_violated(a, x), norn_monitor_violated(b, y));
		assert_int_equal(norn_monitor_final(a, x, letter), norn_monitor_final(b, y, letter));
		if (i % 40 == 39) {
			x = norn_monitor_start(a);
			y = norn_monitor_start(b);
		}
		letter = random_below(&seed, UINT64_C(1) << atoms);
		x = norn_monitor_step(a, x, letter);
		y = norn_monitor_step(b, y, letter);
		assert_true(x == y);
	}
}

static void comes_out_as_it_went_in(void **state)
{
	struct world w;
	struct norn_plan plan;
	struct norn_error err = {0};
	(void)state;
	make(&w);
	assert_int_equal(norn_plan_read(w.pack.bytes, w.pack.length, &plan, &err), 0);
	assert_int_equal(plan.mode, NORN_WATCH_THREAD);
	assert_string_equal(plan.modules[1].path, "/lib/part.so");
	assert_int_equal(plan.functions[0].address, 0x1234);
	const struct norn_spec *spec = &plan.props[0].spec, *was = w.checked.spec;
	same_events(was, spec);
	same_places(was, spec);
	assert_int_equal(spec->property_count, was->property_count);
	for (uint32_t i = 0; i < was->property_count; i++) {
		const struct norn_property *p = &was->properties[i], *q = &spec->properties[i];
		assert_string_equal(p->name, q->name);
		if (p->logic > NORN_LOGIC_FSM)
			continue;
		assert_int_equal(p->atom_count, q->atom_count);
		assert_int_equal(p->handler_count, q->handler_count);
		for (uint32_t a = 0; a < p->atom_count; a++)
			assert_true(same_expr(p->atoms[a].predicate, q->atoms[a].predicate));
		same_steps(w.monitors[i], plan.props[0].monitors[i], p->atom_count);
	}
	assert_true(same_expr(was->ghosts[0].updates[0].value, spec->ghosts[0].updates[0].value));
	assert_string_equal(spec->types[1].selectors->next->named, "aide");
	norn_plan_done(&plan);
	unmake(&w);
}

static void refuses_what_is_damaged(void **state)
{
	struct world w;
	struct norn_plan plan;
	(void)state;
	make(&w);
	uint8_t *copy = malloc(w.pack.length);
	for (size_t length = 0; length < w.pack.length; length += 1 + length / 50) {
		struct norn_error err = {0};
		assert_true(norn_plan_read(w.pack.bytes, length, &plan, &err) < 0);
		assert_true(err.message[0]);
	}
	for (size_t at = 0; at < w.pack.length; at++) {
		memcpy(copy, w.pack.bytes, w.pack.length);
		copy[at] ^= 0x41;
		assert_true(norn_plan_read(copy, w.pack.length, &plan, NULL) < 0);
	}
	free(copy);
	unmake(&w);
}

/* Opens the engines' parts, whatever they are. */
static unsigned open_parts(const struct norn_plan_props *props)
{
	unsigned opened = 0;
	for (unsigned i = 0; i < NORN_ENGINES; i++) {
		const uint8_t *part = (const uint8_t *)props->parts[i].bytes;
		struct norn_unpack in = {part, part + props->parts[i].length, false};
		void *engine = NULL;
		if (!props->parts[i].length || norn_online_engines[i]->open(&props->spec, &in, &engine, NULL) != 0)
			continue;
		opened++;
		if (i == NORN_ENGINE_MTTL)
			norn_mttl_close(engine);
		else
			norn_online_engines[i]->close(engine);
	}
	return opened;
}

static void step_monitors(const struct norn_plan_props *props, uint64_t *seed)
{
	for (uint32_t p = 0; p < props->spec.property_count; p++) {
		const struct norn_monitor *m = props->monitors[p];
		uint64_t s = m ? norn_monitor_start(m) : 0;
		for (unsigned k = 0; m && k < 50; k++) {
			s = norn_monitor_step(m, s, random_below(seed, UINT64_C(1) << props->spec.properties[p].atom_count));
			norn_monitor_verdict(m, s);
		}
	}
}

/* A few bytes are changed, and the check sum is made right again. What is read may be nonsense, but it can be used: every number is
 * in its bounds. The build with sanitizers notices what is not, and what is not freed. */
static void survives_what_is_forged(void **state)
{
	struct world w;
	uint64_t seed = 11;
	unsigned taken = 0, opened = 0;
	(void)state;
	make(&w);
	size_t body = w.pack.length - 8;
	uint8_t *copy = malloc(w.pack.length);
	for (unsigned i = 0; i < 20000; i++) {
		struct norn_plan plan;
		memcpy(copy, w.pack.bytes, w.pack.length);
		for (unsigned k = 0; k <= i % 3; k++) {
			size_t at = sizeof NORN_PLAN_MAGIC + 1 + random_below(&seed, body - sizeof NORN_PLAN_MAGIC - 1);
			copy[at] = i % 2 ? (uint8_t)random_below(&seed, 256) : (uint8_t)(copy[at] + random_below(&seed, 5) - 2);
		}
		uint64_t sum = norn_plan_sum(copy, body);
		memcpy(copy + body, &sum, sizeof sum);
		if (norn_plan_read(copy, w.pack.length, &plan, NULL) < 0)
			continue;
		taken++;
		for (uint32_t l = 0; l < plan.props_count; l++) {
			step_monitors(&plan.props[l], &seed);
			opened += open_parts(&plan.props[l]);
		}
		norn_plan_done(&plan);
	}
	assert_in_range(taken, 1, 19999);
	assert_in_range(opened, 1, 2 * taken - 1);
	free(copy);
	unmake(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(numbers_and_texts),
	        cmocka_unit_test(comes_out_as_it_went_in),
	        cmocka_unit_test(refuses_what_is_damaged),
	        cmocka_unit_test(survives_what_is_forged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
