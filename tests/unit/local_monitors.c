#include "local_monitors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

void play_open(struct play *play, const struct norn_sources *sources, const struct norn_spec *spec, const char *const *names,
        const uint64_t *types, uint32_t threads, uint32_t begun)
{
	struct norn_mttl program, again;
	struct norn_error err = {0};
	struct norn_pack pack = {0};
	memset(play, 0, sizeof *play);
	if (norn_mttl_compile(sources, spec, &program, &err) != 0)
		fail_msg("%s", err.message);
	/* What is played is what a program inside gets. */
	norn_mttl_pack(spec, &program, &pack);
	assert_false(pack.failed);
	struct norn_unpack in = {.at = pack.bytes, .end = pack.bytes + pack.length};
	assert_int_equal(norn_mttl_unpack(spec, &in, &again), 0);
	assert_ptr_equal(in.at, in.end);
	norn_mttl_done(&program);
	assert_int_equal(norn_local_monitors_init(&play->local_monitors, spec, &again), 0);
	for (uint32_t i = 0; i < play->local_monitors.program.remote_count; i++)
		play->local_monitors.program.remotes[i].text = ""; /* lay in the block */
	norn_pack_done(&pack);
	for (uint32_t v = 0; v < VARIABLES_MAX; v++) {
		play->place[v] = NORN_SLOT_NONE;
		if (!names[v])
			break;
		for (uint32_t i = 0; i < play->local_monitors.program.place_count; i++)
			if (strcmp(spec->places[play->local_monitors.program.places[i].place].text, names[v]) == 0)
				play->place[v] = i;
	}
	for (uint32_t i = 0; i < play->local_monitors.program.valued; i++)
		norn_local_monitors_first(&play->local_monitors, i, norn_value_integer(0));
	norn_local_monitors_ready(&play->local_monitors);
	for (uint32_t t = 0; t < threads; t++) {
		play->types[t] = types ? types[t] : 0;
		if (begun >> t & 1)
			assert_non_null(play->local_monitor[t] =
			                        norn_local_monitor_new(&play->local_monitors, t, "", play->types[t], NULL));
	}
}

void play_close(struct play *play)
{
	for (uint32_t i = 0; i < THREADS_MAX; i++) {
		norn_local_monitor_free(play->local_monitor[i]);
		norn_knowledge_drop(play->fork[i]);
		norn_knowledge_drop(play->end[i]);
	}
	for (uint32_t i = 0; i < VARIABLES_MAX / 2; i++)
		norn_word_clear(&play->words[i]);
	assert_int_equal(play->local_monitors.dropped, 0);
	norn_local_monitors_done(&play->local_monitors);
	norn_knowledge_relax();
}

static void replace(struct norn_knowledge **at, struct norn_knowledge *by)
{
	norn_knowledge_drop(*at);
	*at = by;
}

static uint64_t access_variable(struct play *p, const struct step *s)
{
	struct norn_local_monitor *m = p->local_monitor[s->thread];
	bool writes = s->kind == STEP_WRITE;
	uint32_t mask = s->variable % 2 ? 0xf0 : 0x0f;
	struct norn_knowledge_cell *word = &p->words[s->variable / 2];
	struct norn_touch touch = {.place = p->place[s->variable], .reads = !writes, .writes = writes, .changes = writes};
	touch.value = norn_value_integer(s->value);
	struct norn_monitor_input impression = {.touches = &touch, .touch_count = touch.place != NORN_SLOT_NONE};
	if (!impression.touch_count && (norn_word_is_familiar(m, word, mask, writes) || norn_word_pass(m, word, mask, writes)))
		return 0; /* what brings nothing must not have brought anything */
	norn_word_learn(m, word, mask, writes, (struct norn_knowledge_origin){0});
	uint64_t new = norn_local_monitor_think(m, &impression);
	norn_word_teach(m, word, mask, writes);
	return new;
}

static uint64_t take_step(struct play *p, const struct step *s)
{
	const struct norn_monitor_input quiet = {0};
	struct norn_local_monitor *m = p->local_monitor[s->thread];
	if (!m) /* its first event */
		assert_non_null(m = p->local_monitor[s->thread] = norn_local_monitor_new(
		                        &p->local_monitors, s->thread, "", p->types[s->thread], p->fork[s->thread]));
	switch (s->kind) {
	case STEP_READ:
	case STEP_WRITE:
		return access_variable(p, s);
	case STEP_NOTE: {
		struct norn_occurrence o = {.event = s->variable, .holds = NORN_TRUTH_YES};
		return norn_local_monitor_think(
		        m, &(struct norn_monitor_input){.occurrences = &o, .occurrence_count = 1, .call = true});
	}
	case STEP_SET: {
		struct norn_setting set = {.place = s->variable, .value = norn_value_integer(s->value)};
		return norn_local_monitor_think(
		        m, &(struct norn_monitor_input){.settings = &set, .setting_count = 1, .call = true});
	}
	case STEP_FORK: {
		uint64_t new = norn_local_monitor_think(m, &quiet);
		replace(&p->fork[s->variable], norn_knowledge_keep(m->now));
		return new;
	}
	case STEP_END: {
		uint64_t new = norn_local_monitor_end(m);
		replace(&p->end[s->thread], norn_knowledge_keep(m->now));
		return new;
	}
	case STEP_JOIN:
		norn_local_monitor_learn(m, p->end[s->variable], (struct norn_knowledge_origin){0});
		return norn_local_monitor_think(m, &quiet);
	case STEP_INTERNAL:
		break;
	}
	return norn_local_monitor_think(m, &quiet);
}

uint64_t play_step(struct play *p, const struct step *s, uint64_t *ret_false, uint64_t *ret_unknown)
{
	uint64_t new = take_step(p, s);
	*ret_false = p->local_monitor[s->thread]->violated;
	*ret_unknown = p->local_monitor[s->thread]->unknown;
	return new;
}
