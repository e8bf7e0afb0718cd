#include "judge/recorded/binding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "judge/modules.h"
#include "trace/record.h"

#define WIDE_BYTES 512u /* larger zones are looked for one by one */

/* ---- spots and zones ---- */

static int new_spot(struct norn_binding *b, uint64_t address, unsigned size, uint32_t *ret_spot)
{
	if (b->spot_count >= NORN_SPOTS_MAX) {
		b->overflow = true;
		*ret_spot = NORN_SPOT_NONE;
		return 0;
	}
	if (norn_grow(&b->spots, b->spot_count + UINT64_C(1), &b->spot_room, sizeof *b->spots) != 0)
		return -ENOMEM;
	b->spots[b->spot_count] = (struct norn_spot){.address = address, .size = (uint8_t)size};
	*ret_spot = b->spot_count++;
	return 0;
}

/* The spot of these bytes, made if there is none. *ret_new: it was made. */
static int seat(struct norn_binding *b, uint64_t address, unsigned size, uint32_t *ret_spot, bool *ret_new)
{
	void *value;
	int r = norn_map_put(&b->seats, address << 4 | size, &value);
	uint32_t *known = value;
	*ret_new = false;
	if (r != 0)
		return r;
	if (*known) {
		*ret_spot = *known - 1;
		return 0;
	}
	if ((r = new_spot(b, address, size, ret_spot)) != 0)
		return r;
	if (*ret_spot != NORN_SPOT_NONE) {
		*known = *ret_spot + 1;
		*ret_new = true;
	}
	return 0;
}

static uint64_t zone_end(const struct norn_zone *z)
{
	if (z->cell_step && z->count == 0)
		return UINT64_MAX;
	return z->address + (z->cell_step ? z->cell_step * (z->count - 1) : 0) + z->size;
}

static int link_words(struct norn_binding *b, uint32_t zone)
{
	const struct norn_zone *z = &b->zones[zone];
	uint64_t end = zone_end(z);
	if (end - z->address > WIDE_BYTES) {
		uint32_t *wide = realloc(b->wide, (b->wide_count + 1) * sizeof *wide);
		if (!wide)
			return -ENOMEM;
		b->wide = wide;
		b->wide[b->wide_count++] = zone;
		return 0;
	}
	for (uint64_t word = z->address / 8; word <= (end - 1) / 8; word++) {
		void *value;
		if (norn_grow(&b->links, b->link_count + UINT64_C(1), &b->link_room, sizeof *b->links) != 0 ||
		        norn_map_put(&b->words, word, &value) != 0)
			return -ENOMEM;
		uint32_t *first = value;
		b->links[b->link_count] = (struct norn_link){zone, *first};
		*first = ++b->link_count;
	}
	return 0;
}

/* Whether this zone is there already: pointers come to the same object again and again. */
static bool has_zone(const struct norn_binding *b, const struct norn_zone *z)
{
	if (z->spot == NORN_SPOT_NONE)
		return false;
	for (uint32_t i = b->spots[z->spot].zones; i; i = b->zones[i - 1].of_spot)
		if (b->zones[i - 1].place == z->place && b->zones[i - 1].hop == z->hop && b->zones[i - 1].address == z->address)
			return true;
	return false;
}

static bool is_single(const struct norn_place *p)
{
	return p->cell_step == 0 || p->count == 1;
}

/* The bytes that hold a bit-field, or the whole place; 0 if it is too large for a spot. */
static unsigned spot_bytes(const struct norn_place *p, uint64_t *address)
{
	if (!p->bit_size)
		return p->size <= 8 ? (unsigned)p->size : 0;
	*address += p->bit_offset / 8;
	unsigned bytes = (p->bit_offset % 8u + p->bit_size + 7) / 8;
	return bytes <= 8 ? bytes : 0;
}

/* Watches hop of place, which is at address. 1 if that is new. */
static int add_zone(struct norn_binding *b, uint32_t place, uint32_t hop, uint64_t address)
{
	const struct norn_place *p = &b->spec->places[place];
	bool last = hop + 1 == p->hops, fresh = true;
	struct norn_zone z = {.place = place, .hop = hop, .address = address, .size = 8, .count = 1, .spot = NORN_SPOT_NONE};
	unsigned bytes = 8;
	int r = 0;
	if (last && !is_single(p)) {
		z.cell_step = p->cell_step;
		z.count = p->count;
	}
	if (last) {
		z.size = p->size ? p->size : 1;
		bytes = is_single(p) ? spot_bytes(p, &z.address) : 0;
		if (bytes)
			z.size = bytes;
		else if (hop)
			bytes = 1; /* has no value; the spot only tells that this object is known */
	}
	if (z.address == 0 || zone_end(&z) < z.address)
		return 0;
	if (bytes)
		r = seat(b, z.address, bytes, &z.spot, &fresh);
	if (r != 0 || has_zone(b, &z))
		return r;
	if (norn_grow(&b->zones, b->zone_count + UINT64_C(1), &b->zone_room, sizeof *b->zones) != 0)
		return -ENOMEM;
	if (z.spot != NORN_SPOT_NONE) {
		z.of_spot = b->spots[z.spot].zones;
		b->spots[z.spot].zones = b->zone_count + 1;
	}
	b->zones[b->zone_count++] = z;
	b->low = z.address < b->low ? z.address : b->low;
	b->high = zone_end(&z) > b->high ? zone_end(&z) : b->high;
	r = link_words(b, b->zone_count - 1);
	return r != 0 ? r : fresh;
}

int norn_binding_learn(struct norn_binding *b, uint32_t spot, uint64_t pointer)
{
	int news = 0;
	if (pointer < 4096)
		return 0; /* NULL, or no pointer yet */
	for (uint32_t i = b->spots[spot].zones, next; i; i = next) {
		const struct norn_zone z = b->zones[i - 1];
		const struct norn_place *p = &b->spec->places[z.place];
		next = z.of_spot;
		if (z.hop + 1 >= p->hops)
			continue;
		int r = add_zone(b, z.place, z.hop + 1, pointer + p->offsets[z.hop + 1]);
		if (r < 0)
			return r;
		news |= r;
	}
	return news;
}

static int bind_place(struct norn_binding *b, uint32_t place)
{
	const struct norn_place *p = &b->spec->places[place];
	b->last_written[place] = NORN_SPOT_NONE;
	if (p->kind == NORN_PLACE_OBJECT) {
		if (!p->base || p->base->is_thread_local || !p->base->address || !p->hops)
			return 0; /* has no address of its own: stays unknown */
		uint64_t bias = b->program ? norn_program_bias(b->program, p->base->module) : 0;
		int r = add_zone(b, place, 0, p->base->address + bias + p->offsets[0]);
		b->has_pointers |= p->hops > 1;
		if (r < 0 || is_single(p))
			return r < 0 ? r : 0;
	}
	b->has_fields |= p->kind == NORN_PLACE_FIELD;
	b->has_sets |= p->kind == NORN_PLACE_SET || p->kind == NORN_PLACE_FREE;
	return new_spot(b, 0, 8, &b->last_written[place]);
}

static int bind_places(struct norn_binding *b)
{
	uint32_t count = b->spec->place_count;
	b->last_written = calloc(count + 1ul, sizeof *b->last_written);
	if (!b->last_written)
		return -ENOMEM;
	b->low = UINT64_MAX;
	for (uint32_t i = 0; i < count; i++) {
		int r = bind_place(b, i);
		if (r != 0)
			return r;
	}
	/* Pointers may start out leading somewhere. */
	for (uint32_t i = 0; b->has_pointers && i < b->spot_count; i++) {
		uint64_t bytes;
		if (norn_binding_initial(b, i, &bytes) == 0xff && norn_binding_learn(b, i, bytes) < 0)
			return -ENOMEM;
	}
	return 0;
}

uint8_t norn_binding_initial(const struct norn_binding *b, uint32_t spot, uint64_t *ret_bytes)
{
	const struct norn_spot *s = &b->spots[spot];
	*ret_bytes = 0;
	uint8_t all = (uint8_t)((1u << s->size) - 1);
	if (s->address == 0) {
		for (uint32_t i = 0; i < b->spec->place_count; i++)
			if (b->last_written[i] == spot)
				return b->spec->places[i].kind == NORN_PLACE_SET || b->spec->places[i].kind == NORN_PLACE_FREE ? all
				                                                                                               : 0;
		return 0;
	}
	for (uint32_t m = 0; b->program && m < norn_program_modules(b->program); m++) {
		uint64_t bias = norn_program_bias(b->program, m);
		if (s->address >= bias && norn_program_initial(b->program, m, s->address - bias, ret_bytes, s->size) == 0)
			return all;
	}
	*ret_bytes = 0;
	return 0;
}

/* ---- sites and threads ---- */

static int add_clue(struct norn_binding *b, uint32_t event, uint32_t selector, uint32_t *first)
{
	if (norn_grow(&b->clues, b->clue_count + UINT64_C(1), &b->clue_room, sizeof *b->clues) != 0)
		return -ENOMEM;
	b->clues[b->clue_count] = (struct norn_clue){event, selector, *first};
	*first = ++b->clue_count;
	return 0;
}

static int bind_selector(struct norn_binding *b, uint32_t event, uint32_t selector)
{
	switch (b->spec->events[event].selectors[selector].kind) {
	case NORN_POINT_NOTE:
		return add_clue(b, event, selector, &b->notes);
	case NORN_POINT_START:
	case NORN_POINT_EXIT:
	case NORN_POINT_JOIN:
		return add_clue(b, event, selector, &b->starts);
	case NORN_POINT_LOCK:
	case NORN_POINT_UNLOCK:
		return add_clue(b, event, selector, &b->locks);
	case NORN_POINT_READ:
	case NORN_POINT_WRITE:
	case NORN_POINT_ACCESS:
		return add_clue(b, event, selector, &b->accesses);
	default:
		return 0; /* by site */
	}
}

static int bind_function(struct norn_binding *b, uint32_t site, const struct norn_site_info *info)
{
	for (uint32_t e = 0; e < b->spec->event_count; e++)
		for (uint32_t i = 0; i < b->spec->events[e].selector_count; i++) {
			const struct norn_checked_selector *s = &b->spec->events[e].selectors[i];
			if ((s->kind != NORN_POINT_CALL && s->kind != NORN_POINT_RETURN) || strcmp(s->function, info->name) != 0 ||
			        (s->file && !norn_path_ends(info->file, s->file)))
				continue;
			if (add_clue(b, e, i, &b->sites[site - NORN_SITE_FIRST]) != 0)
				return -ENOMEM;
		}
	return 0;
}

static void bind_field(struct norn_binding *b, uint32_t site, const struct norn_site_info *info)
{
	for (uint32_t i = 0; *info->field && i < b->spec->place_count; i++)
		if (b->spec->places[i].kind == NORN_PLACE_FIELD && strcmp(b->spec->places[i].field, info->field) == 0)
			b->field_sites[site - NORN_SITE_FIRST] = i + 1;
}

static uint32_t sites_end(const struct norn_trace *trace)
{
	uint32_t base, end = NORN_SITE_FIRST;
	const char *path;
	const struct norn_site_table *table;
	for (unsigned i = 0; norn_trace_module(trace, i, &base, &path, &table); i++)
		end = base + table->sites > end ? base + table->sites : end;
	return end;
}

static int widen_sites(uint32_t **sites, uint32_t from, uint32_t to)
{
	uint32_t *wider = realloc(*sites, (to + 1ul) * sizeof *wider);
	if (!wider)
		return -ENOMEM;
	memset(wider + from, 0, (to - from + 1ul) * sizeof *wider);
	*sites = wider;
	return 0;
}

int norn_binding_add_sites(struct norn_binding *b)
{
	uint32_t first = b->site_count, count = sites_end(b->trace) - NORN_SITE_FIRST;
	if (widen_sites(&b->sites, first, count) != 0 || (b->has_fields && widen_sites(&b->field_sites, first, count) != 0))
		return -ENOMEM;
	b->site_count = count;
	for (uint32_t i = first; i < count; i++) {
		struct norn_site_info info;
		norn_trace_site(b->trace, NORN_SITE_FIRST + i, &info);
		if (info.site && info.site->kind == NORN_SITE_ENTER && bind_function(b, NORN_SITE_FIRST + i, &info) != 0)
			return -ENOMEM;
		if (info.site && b->has_fields && info.site->kind != NORN_SITE_ENTER)
			bind_field(b, NORN_SITE_FIRST + i, &info);
	}
	return 0;
}

static int first_entered(struct norn_binding *b, struct norn_trace *trace, uint32_t thread, struct norn_error *err)
{
	struct norn_cursor *cursor;
	struct norn_event event = {0};
	if (norn_cursor_new(trace, thread, &cursor) != 0)
		return norn_error_no_memory(err);
	int r;
	while ((r = norn_cursor_event(cursor, &event, err)) == 1 && event.kind != NORN_EVENT_ENTER)
		;
	struct norn_site_info info = {.name = ""};
	if (r == 1)
		norn_trace_site(trace, event.site, &info);
	b->started[thread] = info.name;
	norn_cursor_free(cursor);
	return r < 0 ? r : 0;
}

static bool is_of(const struct norn_binding *b, uint32_t thread, const struct norn_tsel *t)
{
	const struct norn_thread_info *info = norn_trace_thread(b->trace, thread);
	switch (t->kind) {
	case NORN_TSEL_MAIN:
		return thread == 0;
	case NORN_TSEL_SPAWN:
		return thread != 0 && strcmp(b->started[thread], t->function.text) == 0;
	default:
		return strcmp(info->path, t->named) == 0 || (info->name && strcmp(info->name, t->named) == 0);
	}
}

static void find_types(struct norn_binding *b, uint32_t thread)
{
	for (uint32_t k = 0; k < b->spec->type_count; k++)
		for (const struct norn_tsel *t = b->spec->types[k].selectors; t; t = t->next)
			b->types[thread * b->spec->type_count + k] |= is_of(b, thread, t);
}

int norn_binding_add_thread(struct norn_binding *b, uint32_t thread, const char *started)
{
	uint32_t threads = b->threads ? b->threads : 8;
	while (threads <= thread)
		threads *= 2;
	if (threads > b->threads) {
		bool *types = realloc(b->types, (size_t)threads * b->spec->type_count + 1);
		b->types = types ? types : b->types;
		const char **names = realloc(b->started, (threads + 1ul) * sizeof *names);
		b->started = names ? names : b->started;
		if (!types || !names)
			return -ENOMEM;
		memset(types + (size_t)b->threads * b->spec->type_count, 0, (size_t)(threads - b->threads) * b->spec->type_count);
		for (uint32_t i = b->threads; i < threads; i++)
			names[i] = "";
		b->threads = threads;
	}
	b->started[thread] = started;
	find_types(b, thread);
	return 0;
}

static int bind_threads(struct norn_binding *b, struct norn_trace *trace, struct norn_error *err)
{
	b->threads = norn_trace_threads(trace);
	b->types = calloc((size_t)b->threads * b->spec->type_count + 1, sizeof *b->types);
	b->started = calloc(b->threads + 1ul, sizeof *b->started);
	if (!b->types || !b->started)
		return norn_error_no_memory(err);
	for (uint32_t i = 0; i < b->threads; i++) {
		int r = b->spec->type_count || b->starts ? first_entered(b, trace, i, err) : 0;
		if (r != 0)
			return r;
		find_types(b, i);
	}
	return 0;
}

int norn_binding_starts(struct norn_binding *b, struct norn_trace *trace, struct norn_error *err)
{
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < b->threads && !b->spec->type_count && !b->starts; i++)
		r = first_entered(b, trace, i, err);
	return r;
}

int norn_binding_new(const struct norn_spec *spec, const struct norn_program *program, struct norn_trace *trace,
        struct norn_binding **ret_binding, struct norn_error *err)
{
	struct norn_binding *b = calloc(1, sizeof *b);
	if (!b)
		return norn_error_no_memory(err);
	b->spec = spec;
	b->program = program;
	b->trace = trace;
	norn_map_init(&b->words, sizeof(uint32_t));
	norn_map_init(&b->seats, sizeof(uint32_t));
	int r = bind_places(b);
	for (uint32_t e = 0; r == 0 && e < spec->event_count; e++)
		for (uint32_t i = 0; r == 0 && i < spec->events[e].selector_count; i++)
			r = bind_selector(b, e, i);
	for (uint32_t i = 0; i < spec->property_count; i++)
		b->has_keys |= spec->properties[i].key_count > 0;
	if (r == 0)
		r = norn_binding_add_sites(b);
	if (r != 0)
		norn_error_set(err, r, "there is not enough memory");
	else
		r = bind_threads(b, trace, err);
	if (r != 0) {
		norn_binding_free(b);
		return r;
	}
	*ret_binding = b;
	return 0;
}

void norn_binding_free(struct norn_binding *b)
{
	if (!b)
		return;
	norn_map_done(&b->words);
	norn_map_done(&b->seats);
	free(b->spots);
	free(b->zones);
	free(b->links);
	free(b->wide);
	free(b->last_written);
	free(b->sites);
	free(b->clues);
	free(b->field_sites);
	free(b->types);
	free(b->started);
	free(b);
}
