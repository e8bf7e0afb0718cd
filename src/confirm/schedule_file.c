#include "confirm/schedule_file.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

void norn_schedule_file_init(struct norn_schedule_file *s)
{
	*s = (struct norn_schedule_file){.id = "",
	        .title = "",
	        .command = "",
	        .property = "",
	        .fingerprint = "",
	        .kind = "",
	        .variable = "",
	        .first = NORN_REPLAY_AREA_NONE,
	        .second = NORN_REPLAY_AREA_NONE};
}

void norn_schedule_file_done(struct norn_schedule_file *s)
{
	norn_arena_done(&s->arena);
	norn_vector_done(&s->units);
	norn_vector_done(&s->sites);
	norn_vector_done(&s->threads);
	norn_vector_done(&s->nodes);
	norn_vector_done(&s->steps);
	norn_vector_done(&s->afters);
	norn_vector_done(&s->places);
	norn_vector_done(&s->sources);
	norn_schedule_file_init(s);
}

/* ---- adding ---- */

static const char *keep(struct norn_schedule_file *s, const char *text)
{
	return norn_must_arena_text(&s->arena, text, strlen(text));
}

uint32_t norn_schedule_file_add_unit(struct norn_schedule_file *s, const struct norn_schedule_file_unit *unit)
{
	struct norn_schedule_file_unit *added = norn_must_add(&s->units);
	*added = *unit;
	added->source = keep(s, unit->source);
	added->library = keep(s, unit->library ? unit->library : "");
	return s->units.count - 1;
}

uint32_t norn_schedule_file_add_site(struct norn_schedule_file *s, const struct norn_schedule_file_site *site)
{
	assert(site->unit < s->units.count);
	struct norn_schedule_file_site *added = norn_must_add(&s->sites);
	*added = *site;
	added->file = keep(s, site->file);
	added->function = keep(s, site->function);
	return s->sites.count - 1;
}

static bool find_parent(const struct norn_schedule_file *s, const char *path, uint32_t *ret_parent, uint32_t *ret_ordinal)
{
	const char *slash = strrchr(path, '/');
	char *end;
	*ret_parent = *ret_ordinal = NORN_REPLAY_AREA_NONE;
	if (!slash)
		return strcmp(path, "main") == 0 && s->threads.count == 0;
	unsigned long ordinal = strtoul(slash + 1, &end, 10);
	size_t length = (size_t)(slash - path);
	for (uint32_t i = 0;
	        i < s->threads.count && slash[1] >= '1' && slash[1] <= '9' && *end == 0 && ordinal < NORN_REPLAY_AREA_NONE; i++)
		if (strlen(s->threads.items[i].path) == length && strncmp(s->threads.items[i].path, path, length) == 0) {
			*ret_parent = i;
			*ret_ordinal = (uint32_t)ordinal;
			return true;
		}
	return false;
}

int norn_schedule_file_add_thread(struct norn_schedule_file *s, const char *path, uint32_t *ret_number)
{
	uint32_t parent, ordinal;
	if (!find_parent(s, path, &parent, &ordinal) || s->nodes.count != s->threads.count)
		return -EINVAL;
	norn_must_push(&s->nodes, ((struct norn_schedule_file_node){.thread = s->threads.count, .parent = NORN_REPLAY_AREA_NONE}));
	norn_must_push(&s->threads, ((struct norn_schedule_file_thread){keep(s, path), parent, ordinal}));
	*ret_number = s->threads.count - 1;
	return 0;
}

uint32_t norn_schedule_file_add_call(struct norn_schedule_file *s, const struct norn_schedule_file_node *node)
{
	assert(node->thread < s->threads.count && node->parent < s->nodes.count);
	norn_must_push(&s->nodes, *node);
	return s->nodes.count - 1;
}

void norn_schedule_file_add_after(struct norn_schedule_file *s, uint32_t step)
{
	assert(step < s->steps.count); /* an earlier one */
	norn_must_push(&s->afters, step);
}

uint32_t norn_schedule_file_add_step(struct norn_schedule_file *s, const struct norn_schedule_file_step *step)
{
	assert(step->thread < s->threads.count && step->node < s->nodes.count && step->site <= s->sites.count);
	struct norn_schedule_file_step *added = norn_must_add(&s->steps);
	const struct norn_schedule_file_step *last = s->steps.count > 1 ? added - 1 : NULL;
	*added = *step;
	added->what = keep(s, step->what);
	added->after = last ? last->after + last->after_count : 0;
	added->after_count = s->afters.count - added->after;
	return s->steps.count - 1;
}

void norn_schedule_file_add_place(struct norn_schedule_file *s, const struct norn_schedule_file_place *place)
{
	norn_must_push(&s->places,
	        ((struct norn_schedule_file_place){keep(s, place->event), keep(s, place->what), keep(s, place->function)}));
}

void norn_schedule_file_add_source(struct norn_schedule_file *s, const char *line)
{
	norn_must_push(&s->sources, keep(s, line));
}

void norn_schedule_file_describe(const struct norn_schedule_file *s, uint32_t number, char *text, size_t room)
{
	const struct norn_schedule_file_step *step = &s->steps.items[number];
	const char *path = s->threads.items[step->thread].path, *gap = *step->what ? " " : "";
	if (!step->site) {
		snprintf(text, room, "%s: %s%s%s", path, norn_operation_name(step->operation), gap, step->what);
		return;
	}
	const struct norn_schedule_file_site *site = &s->sites.items[step->site - 1];
	char where[320], times[32] = "";
	if (step->time > 1)
		snprintf(times, sizeof times, ", time %u", step->time);
	if (*site->file && site->line)
		snprintf(where, sizeof where, "%s:%u", basename(site->file), site->line);
	else
		snprintf(where, sizeof where, "%s", *site->file ? basename(site->file) : "a place that is not known");
	snprintf(text, room, "%s: %s%s%s at %s (%s%s)", path, norn_operation_name(step->operation), gap, step->what, where,
	        site->function, times);
}

/* ---- the area ---- */

struct schedule_entry {
	uint32_t node, site, operation, other, time, what;
};

static int by_point(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	for (unsigned i = 0; i < 5; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static void list_entries(const struct norn_schedule_file *s, struct schedule_entry *entries)
{
	uint32_t count = 0;
	for (uint32_t i = s->threads.count; i < s->nodes.count; i++) {
		const struct norn_schedule_file_node *n = &s->nodes.items[i];
		entries[count++] = (struct schedule_entry){n->parent, n->call, NORN_OPERATION_ENTER, n->entry, n->time, i};
	}
	for (uint32_t i = 0; i < s->steps.count; i++) {
		const struct norn_schedule_file_step *a = &s->steps.items[i];
		entries[count++] = (struct schedule_entry){a->node, a->site, a->operation, 0, a->time, i};
	}
}

static bool same_point(const struct schedule_entry *a, const struct schedule_entry *b)
{
	return a->node == b->node && a->site == b->site && a->operation == b->operation && a->other == b->other;
}

static void put_points(const struct norn_replay_area_parts *p, const struct schedule_entry *entries, uint32_t count)
{
	uint32_t points = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct schedule_entry *e = &entries[i];
		if (i == 0 || !same_point(e, e - 1)) {
			uint32_t slot = norn_replay_area_hash(e->node, e->site, e->operation, e->other) & (p->head->slots - 1);
			while (p->slots[slot])
				slot = (slot + 1) & (p->head->slots - 1);
			p->slots[slot] = points + 1;
			p->points[points++] = (struct norn_replay_area_point){
			        .node = e->node, .site = e->site, .operation = e->operation, .other = e->other, .first = i};
		}
		p->points[points - 1].count++;
		p->members[i] = (struct norn_replay_area_member){e->time, e->what};
		p->nodes[e->node]++;
	}
	assert(points <= p->head->points && points < p->head->slots);
}

static void put_steps(const struct norn_schedule_file *s, const struct norn_replay_area_parts *p)
{
	for (uint32_t i = 0; i < s->afters.count; i++)
		p->steps[s->afters.items[i]].count++;
	uint32_t used = 0;
	for (uint32_t i = 0; i < s->steps.count; i++) {
		struct norn_replay_area_step *step = &p->steps[i];
		step->first = used;
		used += step->count;
		step->count = 0;
		step->thread = s->steps.items[i].thread;
		atomic_store(&step->waits, s->steps.items[i].hold ? NORN_REPLAY_AREA_HOLD : s->steps.items[i].after_count);
		p->threads[step->thread].steps++;
	}
	for (uint32_t i = 0; i < s->steps.count; i++)
		for (uint32_t k = 0; k < s->steps.items[i].after_count; k++) {
			struct norn_replay_area_step *before = &p->steps[s->afters.items[s->steps.items[i].after + k]];
			p->followers[before->first + before->count++] = i;
		}
	for (uint32_t i = 0; i < s->stop_count; i++) {
		p->head->stop[i] = s->stops[i];
		p->steps[s->stops[i]].stop = i + 1;
		uint32_t operation = s->steps.items[s->stops[i]].operation;
		p->steps[s->stops[i]].sleeps = s->end == NORN_REPLAY_END_DEADLOCK &&
		                               (operation == NORN_OPERATION_WAIT || operation == NORN_OPERATION_ARRIVE);
		atomic_store(&p->steps[s->stops[i]].closed, 1);
	}
}

/* Sites of the schedule are in any order, those of a replay area together by their unit: places[] says where each is. */
static void put_sites(const struct norn_schedule_file *s, const struct norn_replay_area_parts *p, uint32_t *places)
{
	uint32_t used = 0;
	for (uint32_t u = 0; u < s->units.count; u++) {
		p->units[u] = (struct norn_replay_area_unit){.hash = s->units.items[u].hash, .first = used};
		for (uint32_t i = 0; i < s->sites.count; i++)
			if (s->sites.items[i].unit == u) {
				places[i] = used;
				p->sites[used++] = (struct norn_replay_area_site){u, s->sites.items[i].index};
			}
		p->units[u].count = used - p->units[u].first;
	}
}

static void renumber(struct schedule_entry *entries, uint32_t count, const uint32_t *places)
{
	for (uint32_t i = 0; i < count; i++) {
		struct schedule_entry *e = &entries[i];
		e->site = e->site ? places[e->site - 1] + 1 : 0;
		if (e->operation == NORN_OPERATION_ENTER)
			e->other = e->other ? places[e->other - 1] + 1 : 0;
	}
	qsort(entries, count, sizeof *entries, by_point);
}

void norn_schedule_file_lay_out(const struct norn_schedule_file *s, struct norn_replay_area_parts *ret_parts)
{
	uint32_t count = s->steps.count + s->nodes.count - s->threads.count;
	struct norn_replay_area head = {.magic = NORN_REPLAY_AREA_MAGIC,
	        .units = s->units.count,
	        .sites = s->sites.count,
	        .threads = s->threads.count,
	        .nodes = s->nodes.count,
	        .points = count,
	        .members = count,
	        .steps = s->steps.count,
	        .followers = s->afters.count,
	        .slots = 16,
	        .end = s->end,
	        .stops = s->stop_count};
	while (head.slots < 2 * count)
		head.slots *= 2;
	struct norn_replay_area_parts parts;
	head.bytes = norn_replay_area_lay_out(&head, &parts);
	struct norn_replay_area *area = norn_must_calloc(1, head.bytes);
	struct schedule_entry *entries = norn_must_calloc(count, sizeof *entries);
	uint32_t *places = norn_must_calloc(s->sites.count, sizeof *places);
	*area = head;
	norn_replay_area_lay_out(area, &parts);
	put_sites(s, &parts, places);
	for (uint32_t i = 0; i < s->threads.count; i++)
		parts.threads[i] = (struct norn_replay_area_thread){
		        .parent = s->threads.items[i].parent, .ordinal = s->threads.items[i].ordinal, .node = i};
	list_entries(s, entries);
	renumber(entries, count, places);
	put_points(&parts, entries, count);
	put_steps(s, &parts);
	free(entries);
	free(places);
	*ret_parts = parts;
}
