#include "predict/survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/elapsed.h"
#include "base/map.h"
#include "predict/describe.h"
#include "predict/sliced_witness.h"
#include "trace/merge.h"

/* ---- sites ---- */

struct sites {
	const struct norn_trace *trace; /* NULL: it is a text */
	const struct norn_rapid_text *text;
	const struct norn_survey_options *options;
	bool imported; /* RAPID's text, or converted from it: acquires are named after their lock, and wait */
	struct norn_map places; /* hash of a code position to uint32_t: its number */
};

static uint64_t mix(uint64_t h, const void *data, size_t bytes)
{
	for (const unsigned char *c = data; bytes > 0; bytes--)
		h = (h ^ *c++) * 0x100000001b3u;
	return h;
}

/* One number for all sites of a code position; 0 if there is no memory for it: then each site is a position of its own. */
static uint32_t place_of(struct sites *s, const struct norn_site_info *info)
{
	const uint32_t position[] = {info->line, info->column};
	uint64_t h = mix(0xcbf29ce484222325u, position, sizeof position);
	h = mix(h, info->file, strlen(info->file) + 1);
	h = mix(h, info->function, strlen(info->function) + 1);
	void *place;
	if (!info->line || norn_map_put(&s->places, h, &place) != 0)
		return 0;
	if (!*(uint32_t *)place)
		*(uint32_t *)place = (uint32_t)s->places.count;
	return *(uint32_t *)place;
}

/* The last model that says anything else than the table. */
static uint8_t call_of(const struct norn_survey_options *o, const char *name)
{
	enum norn_known known = norn_model_call(NULL, name), table = known;
	for (uint32_t i = o->model_count; i > 0 && known == table; i--)
		known = norn_model_call(o->models[i - 1], name);
	return known == NORN_KNOWN_OPAQUE ? NORN_CALL_OPAQUE : known == NORN_KNOWN_ORDERED ? NORN_CALL_ORDERED : NORN_CALL_HARMLESS;
}

static void look_up_text(struct sites *s, uint32_t number, struct norn_slice_site *ret_site)
{
	static const uint8_t kinds[NORN_RAPID_OPS] = {[NORN_RAPID_READ] = NORN_SITE_READ, [NORN_RAPID_WRITE] = NORN_SITE_WRITE};
	struct norn_rapid_site site;
	if (number < NORN_SITE_FIRST || number - NORN_SITE_FIRST >= norn_rapid_text_sites(s->text))
		return;
	norn_rapid_text_site(s->text, number, &site);
	bool line = norn_rapid_text_is_line(site.location);
	const struct norn_site_info info = {.line = line ? (unsigned)strtoul(site.location, NULL, 10) : 0,
	        .file = norn_rapid_text_name(s->text),
	        .function = line ? "" : site.location};
	*ret_site = (struct norn_slice_site){.kind = kinds[site.op] ? kinds[site.op] : NORN_SITE_CALL,
	        .waits = true,
	        .entry = NORN_SITE_FIRST,
	        .base = NORN_SITE_FIRST,
	        .place = place_of(s, &info),
	        .name = site.name};
}

static void look_up(void *context, uint32_t number, struct norn_slice_site *ret_site)
{
	struct sites *s = context;
	struct norn_site_info info;
	*ret_site = (struct norn_slice_site){0};
	if (s->text) {
		look_up_text(s, number, ret_site);
		return;
	}
	norn_trace_site(s->trace, number, &info);
	if (!info.site)
		return;
	const struct norn_site_table *t = info.table;
	const struct norn_site *first = (const struct norn_site *)(t + 1);
	const uint8_t *facts = (const uint8_t *)(first + t->sites) + t->frames * sizeof(struct norn_frame);
	uint32_t base = number - (uint32_t)(info.site - first);
	*ret_site = (struct norn_slice_site){.kind = info.site->kind,
	        .order = info.site->order,
	        .indirect = info.site->flags & NORN_SITE_INDIRECT,
	        .waits = s->imported || norn_slice_waits(info.name),
	        .call = info.site->kind == NORN_SITE_CALL ? call_of(s->options, info.name) : NORN_CALL_OPAQUE,
	        .entry = base + info.site->entry,
	        .base = base,
	        .place = place_of(s, &info),
	        .name = info.name};
	if (info.site->facts && info.site->facts < t->facts)
		ret_site->facts = (struct norn_facts){facts + info.site->facts, facts + t->facts};
}

static bool is_meant_atomic(void *context, uint32_t number)
{
	const struct sites *s = context;
	struct norn_site_info info;
	norn_trace_site(s->trace, number, &info);
	for (uint32_t i = 0; i < s->options->atomic_count; i++)
		if (strcmp(s->options->atomic[i], info.name) == 0)
			return true;
	return false;
}

/* ---- the graph ---- */

static int read_run(struct sites *s, struct norn_run *run, unsigned patience, struct norn_slice **ret_slice, struct norn_error *err)
{
	const struct norn_slice_limits limits = {.max_bytes = s->options->max_memory};
	struct norn_slice_builder *builder = NULL;
	struct norn_event event;
	int r = norn_slice_builder_new(look_up, s, &limits, &builder);
	if (r == 0)
		r = norn_run_begin(run, patience);
	while (r == 0 && (r = norn_run_next(run, &event, err)) == 1)
		r = norn_slice_add(builder, &event);
	if (r == 0 || r == -EOVERFLOW)
		r = norn_slice_finish(builder, ret_slice);
	if (r == -ENOMEM)
		norn_error_no_memory(err);
	norn_slice_builder_free(builder);
	return r;
}

/* ---- predictions ---- */

static const enum norn_sliced_kind claim_kinds[] = {
        [NORN_PREDICTED_RACE] = NORN_SLICED_RACE,
        [NORN_PREDICTED_DEADLOCK] = NORN_SLICED_DEADLOCK,
        [NORN_PREDICTED_USE_AFTER_FREE] = NORN_SLICED_USE_AFTER_FREE,
        [NORN_PREDICTED_DOUBLE_FREE] = NORN_SLICED_DOUBLE_FREE,
        [NORN_PREDICTED_ATOMICITY] = NORN_SLICED_ATOMICITY,
};

static int by_base(const void *a, const void *b)
{
	const struct norn_predicted *x = *(const struct norn_predicted *const *)a, *y = *(const struct norn_predicted *const *)b;
	if (x->schedule.base != y->schedule.base)
		return x->schedule.base < y->schedule.base ? -1 : 1;
	return (x > y) - (x < y);
}

static int check(struct norn_sliced_checker *checker, const struct norn_predicted *p)
{
	struct norn_error why;
	const struct norn_sliced_claim claim = {.kind = claim_kinds[p->kind],
	        .base = p->schedule.base,
	        .events = p->schedule.events,
	        .count = p->schedule.count,
	        .stops = p->stops,
	        .stop_count = p->stop_count,
	        .first = p->first,
	        .second = p->second,
	        .block = p->begin};
	return norn_sliced_check(checker, &claim, &why);
}

/* Keeps the predictions that the checker agrees to, in their order. */
static int check_all(const struct norn_slice *slice, struct norn_predictions *all, struct norn_findings *f)
{
	struct norn_sliced_checker *checker;
	const struct norn_predicted **sorted = calloc(all->count + 1ul, sizeof *sorted);
	bool *refused = calloc(all->count + 1ul, sizeof *refused);
	int r = sorted && refused ? norn_sliced_checker_new(slice, &checker) : -ENOMEM;
	if (r == 0) {
		for (uint32_t i = 0; i < all->count; i++)
			sorted[i] = &all->list[i];
		qsort(sorted, all->count, sizeof *sorted, by_base); /* the checker goes through the beginning of the run but once */
		for (uint32_t i = 0; r == 0 && i < all->count; i++) {
			r = check(checker, sorted[i]);
			refused[sorted[i] - all->list] = r != 0;
			f->stats.refused += r == -EINVAL;
			r = r == -EINVAL ? 0 : r;
		}
		norn_sliced_checker_free(checker);
	}
	uint32_t kept = 0;
	for (uint32_t i = 0; r == 0 && i < all->count; i++)
		if (!refused[i])
			all->list[kept++] = all->list[i];
	all->count = r == 0 ? kept : all->count;
	free(sorted);
	free(refused);
	return r;
}

static void keep_observed(struct norn_predictions *all)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < all->count; i++)
		if (all->list[i].observed)
			all->list[kept++] = all->list[i];
	all->count = kept;
}

static int predict(struct sites *s, struct norn_trace *trace, const struct norn_slice *slice, struct norn_findings *f)
{
	const struct norn_survey_options *o = s->options;
	const struct norn_builtin_options options = {.what = NORN_BUILTIN_DEFAULT | (o->infer ? NORN_BUILTIN_INFER : 0),
	        .effort = o->effort,
	        .guarded = true,
	        .atomic = o->atomic_count ? is_meant_atomic : NULL,
	        .context = s};
	struct norn_predictions all = {0};
	uint64_t refused = f->stats.refused;
	int r = norn_builtin_errors(slice, &options, &all);
	if (r == 0 && o->observed)
		keep_observed(&all);
	if (r == 0)
		r = check_all(slice, &all, f);
	if (r == 0)
		r = norn_describe(trace, slice, all.list, all.count, f);
	if (r == 0 && !all.stats.complete && !o->observed) {
		f->stats.complete = false;
		r = norn_findings_note(f, "the search for built-in errors was cut short; there may be more than were found");
	}
	if (r == 0 && f->stats.refused > refused)
		r = norn_findings_note(f,
		        "%llu predicted errors did not pass the check of their witnesses and are not shown: that is an error of "
		        "Norn's own, please report it",
		        (unsigned long long)(f->stats.refused - refused));
	norn_predictions_done(&all);
	return r;
}

static int survey(struct sites *s, struct norn_trace *trace, const struct norn_slice *slice, struct norn_findings *f)
{
	if (norn_slice_lost(slice)) {
		f->stats.complete = false;
		return norn_findings_note(f,
		        "events were lost while recording, so what the run did is not known: built-in errors were not looked for");
	}
	if (norn_slice_cut(slice)) {
		f->stats.complete = false;
		int r = norn_findings_note(f,
		        "only the first %u events fit into the memory allowed (--max-memory) and were looked at for built-in "
		        "errors",
		        norn_slice_count(slice));
		if (r != 0)
			return r;
	}
	return predict(s, trace, slice, f);
}

static struct sites sites_of(const struct norn_run *run, const struct norn_survey_options *options)
{
	const struct norn_trace *trace = norn_run_recorded(run);
	const char *source = trace ? norn_trace_info(trace, "source") : "rapid";
	struct sites s = {
	        .trace = trace, .text = norn_run_text(run), .options = options, .imported = source && strcmp(source, "rapid") == 0};
	norn_map_init(&s.places, sizeof(uint32_t));
	return s;
}

int norn_survey_slice(
        struct norn_run *run, const struct norn_survey_options *options, struct norn_slice **ret_slice, struct norn_error *err)
{
	struct sites s = sites_of(run, options);
	int r = read_run(&s, run, NORN_MERGE_PATIENCE, ret_slice, err);
	if (r == -ESTALE) /* perhaps the recorder was starved: once more, however much memory it takes */
		r = read_run(&s, run, 0, ret_slice, err);
	norn_map_done(&s.places);
	return r;
}

int norn_survey(struct norn_run *run, const struct norn_slice *slice, const struct norn_survey_options *options,
        struct norn_findings *f, struct norn_error *err)
{
	struct timespec start;
	struct sites s = {.options = options};
	struct norn_slice *own = NULL;
	struct norn_trace *trace;
	clock_gettime(CLOCK_MONOTONIC, &start);
	int r = slice ? 0 : norn_survey_slice(run, options, &own, err);
	if (r == 0)
		r = norn_run_names(run, &trace, err);
	if (r != 0) {
		norn_slice_free(own);
		return r;
	}
	s.trace = trace;
	r = survey(&s, trace, slice ? slice : own, f);
	if (r == -ENOMEM)
		norn_error_no_memory(err);
	const uint32_t events = norn_slice_count(slice ? slice : own);
	f->stats.events = events > f->stats.events ? events : f->stats.events;
	norn_slice_free(own);
	const struct norn_file_header *header = norn_trace_header(trace);
	f->stats.threads = norn_trace_threads(trace);
	f->stats.lost = header->lost_events > f->stats.lost ? header->lost_events : f->stats.lost;
	f->stats.complete &= f->stats.lost == 0 && header->lost_threads == 0;
	f->stats.seconds += norn_seconds_since(&start);
	return r;
}
