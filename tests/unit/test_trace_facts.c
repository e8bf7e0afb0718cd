/* Facts of sites in a trace, good and damaged; what is known of functions without hooks. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trace/facts.h"
#include "effects/user_model.h"
#include "trace/reader.h"
#include "records.h"
#include "sample.h"

struct with_facts {
	struct norn_site_table table;
	struct norn_site sites[3];
	struct norn_frame frames[2];
	uint8_t facts[16];
	char strings[40];
};

static struct with_facts table_with(const uint8_t *facts, size_t count)
{
	struct with_facts t = {.table = sample_sites.table};
	memcpy(t.sites, sample_sites.sites, sizeof t.sites);
	memcpy(t.frames, sample_sites.frames, sizeof t.frames);
	memcpy(t.strings, sample_sites.strings, sizeof t.strings);
	memcpy(t.facts + 1, facts, count);
	t.table.facts = sizeof t.facts;
	t.sites[2].facts = 1;
	return t;
}

static int open_with(struct sample *s, const struct with_facts *t, struct norn_trace **ret_trace, struct norn_error *err)
{
	struct norn_completion completion;
	sample_begin(s);
	sample_module(s, NORN_SITE_FIRST, t, sizeof *t);
	assert_int_equal(sample_complete(s, &completion, err), 0);
	return norn_trace_open(s->path, false, ret_trace, err);
}

static void facts_are_found(void **state)
{
	(void)state;
	const uint8_t bytes[] = {77, 2, 5, 6, NORN_FACT_VALUE, 3, 1 << 2 | NORN_SOURCE_LATEST, 0x84 | NORN_SOURCE_PARAMETER, 2,
	        NORN_SOURCE_ANYTHING, NORN_FACT_END};
	struct with_facts t = table_with(bytes, sizeof bytes);
	struct sample s;
	struct norn_trace *trace;
	struct norn_error err;
	struct norn_facts facts;
	uint32_t kind, count, item;
	assert_int_equal(open_with(&s, &t, &trace, &err), 0);
	assert_false(norn_trace_facts(trace, NORN_SITE_FIRST, &facts));
	assert_false(norn_trace_facts(trace, NORN_SITE_FIRST + 3, &facts));
	assert_true(norn_trace_facts(trace, NORN_SITE_FIRST + 2, &facts));
	assert_true(norn_facts_next(&facts, &kind, &count));
	assert_int_equal(kind, 77); /* of a later version */
	for (; count; count--)
		assert_true(norn_facts_number(&facts, &item));
	assert_true(norn_facts_next(&facts, &kind, &count));
	assert_int_equal(kind, NORN_FACT_VALUE);
	assert_int_equal(count, 3);
	assert_true(norn_facts_number(&facts, &item));
	assert_int_equal(item, 1 << 2 | NORN_SOURCE_LATEST);
	assert_true(norn_facts_number(&facts, &item));
	assert_int_equal(item, 65 << 2 | NORN_SOURCE_PARAMETER);
	assert_true(norn_facts_number(&facts, &item));
	assert_int_equal(item, NORN_SOURCE_ANYTHING);
	assert_false(norn_facts_next(&facts, &kind, &count));
	norn_trace_close(trace);
	sample_end(&s);
}

static void damaged_facts_are_refused(void **state)
{
	(void)state;
	static const struct {
		uint8_t bytes[15], count;
	} bad[] = {
	        {{NORN_FACT_VALUE, 1, 3 << 2 | NORN_SOURCE_LATEST, 0}, 4}, /* no such site */
	        {{NORN_FACT_RESULT, 1, 3 << 2 | NORN_SOURCE_ALL, 0}, 4},
	        {{NORN_FACT_VALUE, 1, 1 << 2 | NORN_SOURCE_ANYTHING, 0}, 4}, {{NORN_FACT_ARGUMENT, 0, 0}, 3},
	        {{NORN_FACT_ARGUMENT, 2, 9, 3 << 2, 0}, 5}, {{NORN_FACT_VALUE, 100, 0}, 3},
	        {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0}, 7}, /* a number that does not end */
	        {{9, 13, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 15}, /* nor do the entries */
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct with_facts t = table_with(bad[i].bytes, bad[i].count);
		struct sample s;
		struct norn_trace *trace;
		struct norn_error err;
		assert_int_equal(open_with(&s, &t, &trace, &err), -EBADMSG);
		assert_non_null(strstr(err.message, "facts"));
		sample_end(&s);
	}
}

static unsigned call(const struct norn_effects_model *model, const char *name)
{
	return norn_effects_model_call(norn_effects_model_find(model, name));
}

static void models_are_read(void **state)
{
	(void)state;
	struct norn_effects_model *model;
	struct norn_error err;
	const char *text = "# ours\nhash pure\n\n  log_*\toutput # all\nlog_flush opaque\nrand quiet\ncache ordered\n";
	assert_int_equal(norn_effects_model_parse(text, "m", &model, &err), 0);
	assert_int_equal(call(model, "hash"), NORN_EFFECTS_CALL_HARMLESS);
	assert_null(norn_effects_model_find(model, "hash2"));
	assert_int_equal(call(model, "log_line"), NORN_EFFECTS_CALL_HARMLESS);
	assert_int_equal(call(model, "log_flush"), NORN_EFFECTS_CALL_OPAQUE);
	assert_int_equal(call(model, "rand"), NORN_EFFECTS_CALL_HARMLESS);
	assert_int_equal(call(model, "cache"), NORN_EFFECTS_CALL_ORDERED);
	assert_null(norn_effects_model_find(model, "time"));
	assert_null(norn_effects_model_find(model, ""));
	norn_effects_model_free(model);
	norn_effects_model_free(NULL);
}

static void bad_models_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text, *part;
		unsigned line;
	} bad[] = {{"hash", "hash: say what it is", 1}, {"a pure\nb harmless\n", "harmless is no class", 2},
	        {"a pure\n\nb pure output", "something after", 3}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct norn_effects_model *model;
		struct norn_error err;
		assert_int_equal(norn_effects_model_parse(bad[i].text, "my.model", &model, &err), -EINVAL);
		assert_non_null(strstr(err.message, bad[i].part));
		assert_int_equal(err.line, bad[i].line);
		assert_string_equal(err.file, "my.model");
	}
	struct norn_effects_model *model;
	struct norn_error err;
	assert_int_equal(norn_effects_model_read("/nowhere/at/all", &model, &err), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(facts_are_found),
	        cmocka_unit_test(damaged_facts_are_refused),
	        cmocka_unit_test(models_are_read),
	        cmocka_unit_test(bad_models_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
