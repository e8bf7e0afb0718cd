#include "judge/recorded/recorded_property.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "judge/recorded/recorded_property_state.h"
#include "trace/record.h"

/* ---- life ---- */

int norn_recorded_property_new(const struct norn_sources *sources, const struct norn_binding *binding,
        const struct norn_property *property, struct norn_recorded_property **ret_recorded, struct norn_error *err)
{
	struct norn_recorded_property *c = norn_must_calloc(1, sizeof *c);
	c->sources = sources;
	c->property = property;
	int r = norn_monitor_new(binding->spec, property, NULL, &c->monitor, err);
	if (r != 0) {
		norn_recorded_property_free(c);
		return r;
	}
	c->view = norn_view_new(binding, property);
	norn_must_do(norn_instances_init(&c->instances, &c->view->terms, c->monitor));
	*ret_recorded = c;
	return 0;
}

void norn_recorded_property_free(struct norn_recorded_property *c)
{
	if (!c)
		return;
	norn_instances_done(&c->instances);
	norn_view_free(c->view);
	norn_monitor_free(c->monitor);
	norn_recent_positions_done(&c->recent);
	free(c);
}

/* ---- the run ---- */

void norn_recorded_property_predicts(
        struct norn_recorded_property *recorded_property, const char *causality, const char *extent, bool more)
{
	recorded_property->more = more;
	recorded_property->causality = causality;
	recorded_property->extent = extent;
}

const struct norn_property *norn_recorded_property_property(const struct norn_recorded_property *recorded_property)
{
	return recorded_property->property;
}

bool norn_recorded_property_violated(const struct norn_recorded_property *recorded_property)
{
	return recorded_property->violated;
}

void norn_recorded_property_position(struct norn_recorded_property *recorded_property, const struct norn_moment *moment,
        struct norn_findings *findings, uint64_t *relevant)
{
	const struct norn_position *p = moment->position;
	if (p->number == 0 && !recorded_property->property->states)
		return;
	struct norn_recorded_step at = {.recorded_property = recorded_property, .moment = moment, .findings = findings};
	const struct norn_judging judging = {moment, p->number, &norn_recorded_outcomes, &at};
	struct norn_instances *instances = &recorded_property->instances;
	if (p->lost) {
		norn_instances_lost(instances, &judging, "events were lost while recording, perhaps some of its own");
	} else if (p->kind == NORN_EVENT_FREE && recorded_property->property->key_count) {
		norn_instances_freed(instances, &judging, p->address, p->size);
	} else if (norn_moment_concerns(moment, &recorded_property->view->terms)) {
		int r = norn_instances_position(instances, &judging);
		norn_must_do(r);
		*relevant += r > 0 && p->number;
	}
}

void norn_recorded_property_repeats(struct norn_recorded_property *recorded_property, const struct norn_value *keys,
        const struct norn_moment *moment, const struct norn_position *first, struct norn_findings *findings)
{
	struct norn_instance *i = keys && recorded_property->property->key_count
	                                  ? norn_instance_of(&recorded_property->instances, keys)
	                                  : recorded_property->instances.only;
	norn_violated_by_loop(recorded_property, norn_must(i), moment, first, findings);
}

void norn_recorded_property_end(struct norn_recorded_property *c, const struct norn_moment *moment, struct norn_findings *f)
{
	struct norn_recorded_step at = {.recorded_property = c, .moment = moment, .findings = f};
	const struct norn_judging judging = {moment, 0, &norn_recorded_outcomes, &at};
	norn_instances_end(&c->instances, &judging);
	if (c->instances.doubts > 1)
		norn_findings_note(f, "property %s may be violated for %u instances more, in the same way", c->property->name,
		        c->instances.doubts - 1);
	if (c->notes_left_out)
		norn_findings_note(
		        f, "property %s reported %llu times more", c->property->name, (unsigned long long)c->notes_left_out);
}
