#include "observer/wire.h"

#include <errno.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "trace/record.h"

/* ---- numbers and texts ---- */

/* at is NULL once there was no room. */
struct writer {
	uint8_t *at, *end;
};

static void put_bytes(struct writer *w, const void *bytes, size_t length)
{
	if (!w->at || length > (size_t)(w->end - w->at)) {
		w->at = NULL;
		return;
	}
	if (length)
		memcpy(w->at, bytes, length);
	w->at += length;
}

static void put_number(struct writer *w, uint64_t n)
{
	uint8_t bytes[10];
	size_t length = 0;
	for (; n >= 0x80; n >>= 7)
		bytes[length++] = (uint8_t)(n | 0x80);
	bytes[length++] = (uint8_t)n;
	put_bytes(w, bytes, length);
}

static void put_text(struct writer *w, struct norn_wire_text text)
{
	put_number(w, text.length);
	put_bytes(w, text.bytes, text.length);
}

/* bytes is NULL once something was wrong. */
struct reader {
	const uint8_t *at, *end;
};

static struct reader reader_of(struct norn_wire_text text)
{
	static const uint8_t none;
	const uint8_t *bytes = text.bytes ? (const uint8_t *)text.bytes : &none;
	return (struct reader){bytes, bytes + text.length};
}

static uint64_t bad(struct reader *r)
{
	r->at = NULL;
	return 0;
}

/* A number has one form: its last byte is 0 only if it is the first, too. */
static uint64_t get_number(struct reader *r)
{
	uint64_t n = 0;
	for (unsigned shift = 0; r->at && r->at < r->end; shift += 7) {
		uint8_t byte = *r->at++;
		if (shift == 63 && byte > 1)
			return bad(r);
		n |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return byte || !shift ? n : bad(r);
	}
	return bad(r);
}

static uint64_t get_up_to(struct reader *r, uint64_t most)
{
	uint64_t n = get_number(r);
	return n <= most ? n : bad(r);
}

static uint32_t get_u32(struct reader *r)
{
	return (uint32_t)get_up_to(r, UINT32_MAX);
}

static struct norn_wire_text get_text(struct reader *r, size_t most)
{
	uint64_t length = get_up_to(r, most);
	if (!r->at || length > (size_t)(r->end - r->at)) {
		bad(r);
		return (struct norn_wire_text){0};
	}
	struct norn_wire_text text = {(const char *)r->at, length};
	r->at += length;
	return text;
}

/* All of it was read, and it was right. */
static int finish(const struct reader *r)
{
	return r->at && r->at == r->end ? 0 : -EBADMSG;
}

/* ---- frames ---- */

static uint32_t load32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void store32(uint8_t *at, uint32_t n)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(n >> 8 * i);
}

static struct writer frame_begin(void *to, size_t room)
{
	if (room < NORN_WIRE_OVERHEAD)
		return (struct writer){0};
	return (struct writer){(uint8_t *)to + NORN_WIRE_HEADER, (uint8_t *)to + room - NORN_WIRE_TAIL};
}

static size_t longest(unsigned type)
{
	return type == NORN_WIRE_MODULE || type == NORN_WIRE_FILTER ? NORN_WIRE_MAX : NORN_WIRE_SMALL;
}

static size_t frame_end(struct writer *w, void *to, enum norn_wire_type type)
{
	uint8_t *start = to;
	if (!w->at)
		return 0;
	size_t length = (size_t)(w->at - start) - NORN_WIRE_HEADER;
	if (length > longest(type))
		return 0;
	store32(start, (uint32_t)length);
	start[4] = (uint8_t)type;
	start[5] = NORN_WIRE_VERSION;
	start[6] = start[7] = 0;
	store32(w->at, XXH32(start, NORN_WIRE_HEADER + length, 0));
	return NORN_WIRE_OVERHEAD + length;
}

long norn_wire_frame(const void *bytes, size_t available, size_t limit, unsigned *ret_type, struct norn_wire_text *ret_payload)
{
	const uint8_t *start = bytes;
	if (available < NORN_WIRE_HEADER)
		return 0;
	size_t length = load32(start);
	unsigned type = start[4];
	if (type == 0 || type >= NORN_WIRE_TYPES || start[5] != NORN_WIRE_VERSION || start[6] || start[7] ||
	        length > longest(type) || length > limit)
		return -EBADMSG;
	if (available < NORN_WIRE_OVERHEAD + length)
		return 0;
	if (load32(start + NORN_WIRE_HEADER + length) != XXH32(start, NORN_WIRE_HEADER + length, 0))
		return -EBADMSG;
	*ret_type = type;
	*ret_payload = (struct norn_wire_text){(const char *)start + NORN_WIRE_HEADER, length};
	return (long)(NORN_WIRE_OVERHEAD + length);
}

/* ---- hello, and what answers it ---- */

size_t norn_wire_put_hello(void *to, size_t room, const struct norn_wire_hello *m)
{
	struct writer w = frame_begin(to, room);
	put_number(&w, m->version);
	put_text(&w, m->token);
	put_number(&w, m->pid);
	put_number(&w, m->session);
	put_number(&w, m->role);
	put_number(&w, m->lane);
	put_number(&w, m->lanes);
	put_text(&w, m->program);
	put_text(&w, m->directory);
	return frame_end(&w, to, NORN_WIRE_HELLO);
}

int norn_wire_get_hello(struct norn_wire_text payload, struct norn_wire_hello *ret)
{
	struct reader r = reader_of(payload);
	struct norn_wire_hello m = {.version = get_u32(&r)};
	m.token = get_text(&r, NORN_WIRE_TOKEN);
	m.pid = get_u32(&r);
	m.session = get_number(&r);
	m.role = get_u32(&r);
	m.lane = get_u32(&r);
	m.lanes = get_u32(&r);
	m.program = get_text(&r, NORN_WIRE_SMALL);
	m.directory = get_text(&r, NORN_WIRE_SMALL);
	if (finish(&r) < 0 || (m.role != NORN_WIRE_CONTROL && m.role != NORN_WIRE_EVENTS) || m.lane >= m.lanes)
		return -EBADMSG;
	*ret = m;
	return 0;
}

size_t norn_wire_put_welcome(void *to, size_t room)
{
	struct writer w = frame_begin(to, room);
	return frame_end(&w, to, NORN_WIRE_WELCOME);
}

size_t norn_wire_put_refused(void *to, size_t room, const struct norn_wire_refused *m)
{
	struct writer w = frame_begin(to, room);
	put_text(&w, m->why);
	return frame_end(&w, to, NORN_WIRE_REFUSED);
}

int norn_wire_get_refused(struct norn_wire_text payload, struct norn_wire_refused *ret)
{
	struct reader r = reader_of(payload);
	struct norn_wire_refused m = {get_text(&r, NORN_WIRE_SMALL)};
	if (finish(&r) < 0)
		return -EBADMSG;
	*ret = m;
	return 0;
}

/* ---- control ---- */

size_t norn_wire_put_module(void *to, size_t room, const struct norn_wire_module *m)
{
	struct writer w = frame_begin(to, room);
	put_number(&w, m->base);
	put_number(&w, m->load);
	put_text(&w, m->path);
	put_text(&w, m->table);
	return frame_end(&w, to, NORN_WIRE_MODULE);
}

int norn_wire_get_module(struct norn_wire_text payload, struct norn_wire_module *ret)
{
	struct reader r = reader_of(payload);
	struct norn_wire_module m = {.base = get_u32(&r)};
	m.load = get_number(&r);
	m.path = get_text(&r, NORN_WIRE_SMALL);
	m.table = get_text(&r, NORN_WIRE_MAX);
	if (finish(&r) < 0)
		return -EBADMSG;
	*ret = m;
	return 0;
}

size_t norn_wire_put_ready(void *to, size_t room, const struct norn_wire_ready *m)
{
	struct writer w = frame_begin(to, room);
	put_number(&w, m->modules);
	return frame_end(&w, to, NORN_WIRE_READY);
}

int norn_wire_get_ready(struct norn_wire_text payload, struct norn_wire_ready *ret)
{
	struct reader r = reader_of(payload);
	struct norn_wire_ready m = {get_u32(&r)};
	if (finish(&r) < 0)
		return -EBADMSG;
	*ret = m;
	return 0;
}

/* ---- the filter ---- */

static size_t number_bytes(uint64_t n)
{
	size_t length = 1;
	while (n >>= 7)
		length++;
	return length;
}

/* Sites are told as steps from one to the next. */
static void put_sites(struct writer *w, const struct norn_wire_filter *m)
{
	size_t bytes = 0;
	for (uint32_t i = 0; i < m->site_count; i++)
		bytes += number_bytes(m->sites[i] - (i ? m->sites[i - 1] : 0));
	put_number(w, m->site_count);
	put_number(w, bytes);
	for (uint32_t i = 0; i < m->site_count; i++)
		put_number(w, m->sites[i] - (i ? m->sites[i - 1] : 0));
}

static void put_ranges(struct writer *w, const struct norn_wire_filter *m)
{
	size_t bytes = 0;
	for (uint32_t i = 0; i < m->range_count; i++)
		bytes += number_bytes(m->ranges[i].address) + number_bytes(m->ranges[i].size) + number_bytes(m->ranges[i].kinds);
	put_number(w, m->range_count);
	put_number(w, bytes);
	for (uint32_t i = 0; i < m->range_count; i++) {
		put_number(w, m->ranges[i].address);
		put_number(w, m->ranges[i].size);
		put_number(w, m->ranges[i].kinds);
	}
}

static void put_names(struct writer *w, const struct norn_wire_filter *m)
{
	size_t bytes = 0;
	for (uint32_t i = 0; i < m->name_count; i++)
		bytes += number_bytes(m->names[i].length) + m->names[i].length;
	put_number(w, m->name_count);
	put_number(w, bytes);
	for (uint32_t i = 0; i < m->name_count; i++)
		put_text(w, m->names[i]);
}

size_t norn_wire_put_filter(void *to, size_t room, const struct norn_wire_filter *m)
{
	struct writer w = frame_begin(to, room);
	put_number(&w, m->modules);
	put_number(&w, m->all);
	put_number(&w, m->kinds);
	put_number(&w, m->sync_ops);
	put_number(&w, m->thread_ops);
	put_number(&w, m->mark_ops);
	put_sites(&w, m);
	put_ranges(&w, m);
	put_names(&w, m);
	return frame_end(&w, to, NORN_WIRE_FILTER);
}

static bool get_site(struct reader *r, uint32_t *site)
{
	uint64_t step = get_u32(r), next = *site + step;
	if (!r->at || step == 0 || next > UINT32_MAX)
		return false;
	*site = (uint32_t)next;
	return true;
}

static bool get_range(struct reader *r, struct norn_wire_range *ret)
{
	struct norn_wire_range range = {.address = get_number(r)};
	range.size = get_number(r);
	range.kinds = get_u32(r);
	if (!r->at || range.size > UINT64_MAX - range.address)
		return false;
	*ret = range;
	return true;
}

static bool get_name(struct reader *r, struct norn_wire_text *ret)
{
	struct norn_wire_text text = get_text(r, NORN_WIRE_SMALL);
	if (!r->at)
		return false;
	*ret = text;
	return true;
}

static bool sites_valid(struct norn_wire_text bytes, uint32_t count)
{
	struct reader r = reader_of(bytes);
	uint32_t site = 0;
	for (uint32_t i = 0; i < count; i++)
		if (!get_site(&r, &site))
			return false;
	return finish(&r) == 0;
}

static bool ranges_valid(struct norn_wire_text bytes, uint32_t count)
{
	struct reader r = reader_of(bytes);
	struct norn_wire_range range;
	for (uint32_t i = 0; i < count; i++)
		if (!get_range(&r, &range))
			return false;
	return finish(&r) == 0;
}

static bool names_valid(struct norn_wire_text bytes, uint32_t count)
{
	struct reader r = reader_of(bytes);
	struct norn_wire_text name;
	for (uint32_t i = 0; i < count; i++)
		if (!get_name(&r, &name))
			return false;
	return finish(&r) == 0;
}

int norn_wire_get_filter(struct norn_wire_text payload, struct norn_wire_filter *ret)
{
	struct reader r = reader_of(payload);
	struct norn_wire_filter m = {.modules = get_u32(&r)};
	m.all = get_up_to(&r, 1);
	m.kinds = get_u32(&r);
	m.sync_ops = get_u32(&r);
	m.thread_ops = get_u32(&r);
	m.mark_ops = get_u32(&r);
	m.site_count = get_u32(&r);
	m.site_bytes = get_text(&r, NORN_WIRE_MAX);
	m.range_count = get_u32(&r);
	m.range_bytes = get_text(&r, NORN_WIRE_MAX);
	m.name_count = get_u32(&r);
	m.name_bytes = get_text(&r, NORN_WIRE_MAX);
	if (finish(&r) < 0 || !sites_valid(m.site_bytes, m.site_count) || !ranges_valid(m.range_bytes, m.range_count) ||
	        !names_valid(m.name_bytes, m.name_count))
		return -EBADMSG;
	*ret = m;
	return 0;
}

static bool advance(struct norn_wire_text *rest, const struct reader *r, bool more)
{
	if (more)
		*rest = (struct norn_wire_text){(const char *)r->at, (size_t)(r->end - r->at)};
	return more;
}

bool norn_wire_next_site(struct norn_wire_text *rest, uint32_t *site)
{
	struct reader r = reader_of(*rest);
	return advance(rest, &r, rest->length && get_site(&r, site));
}

bool norn_wire_next_range(struct norn_wire_text *rest, struct norn_wire_range *ret_range)
{
	struct reader r = reader_of(*rest);
	return advance(rest, &r, rest->length && get_range(&r, ret_range));
}

bool norn_wire_next_name(struct norn_wire_text *rest, struct norn_wire_text *ret_name)
{
	struct reader r = reader_of(*rest);
	return advance(rest, &r, rest->length && get_name(&r, ret_name));
}

/* ---- events ---- */

size_t norn_wire_put_thread(void *to, size_t room, const struct norn_wire_thread *m)
{
	struct writer w = frame_begin(to, room);
	put_number(&w, m->number);
	put_number(&w, m->parent);
	put_number(&w, m->ordinal);
	put_number(&w, m->entered);
	put_text(&w, m->name);
	return frame_end(&w, to, NORN_WIRE_THREAD);
}

int norn_wire_get_thread(struct norn_wire_text payload, struct norn_wire_thread *ret)
{
	struct reader r = reader_of(payload);
	struct norn_wire_thread m = {.number = (uint32_t)get_up_to(&r, NORN_THREADS - 1)};
	m.parent = get_u32(&r);
	m.ordinal = get_u32(&r);
	m.entered = get_u32(&r);
	m.name = get_text(&r, NORN_WIRE_SMALL);
	if (finish(&r) < 0)
		return -EBADMSG;
	*ret = m;
	return 0;
}

static bool has_data(const struct norn_event *e)
{
	bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
	return access && e->size > 8 && e->data;
}

/* Entries as steps from one thread to the next. */
static void put_clock(struct writer *w, const struct norn_wire_event *m)
{
	put_number(w, m->entries);
	for (uint32_t i = 0; i < m->entries; i++) {
		put_number(w, m->clock[i].thread - (i ? m->clock[i - 1].thread : 0));
		put_number(w, m->clock[i].count);
	}
}

static uint32_t arg_count(const struct norn_event *e)
{
	if (!e->args || (e->kind != NORN_EVENT_ENTER && e->kind != NORN_EVENT_LEAVE))
		return 0;
	return e->count < NORN_DECODE_ARGS ? e->count : NORN_DECODE_ARGS;
}

size_t norn_wire_put_event(void *to, size_t room, const struct norn_wire_event *m)
{
	const struct norn_event *e = &m->event;
	struct writer w = frame_begin(to, room);
	put_number(&w, e->kind);
	put_number(&w, e->op);
	put_number(&w, e->thread);
	put_number(&w, e->site);
	put_number(&w, e->call_site);
	put_number(&w, e->addr);
	put_number(&w, e->size);
	put_number(&w, e->value);
	put_number(&w, e->argument);
	put_number(&w, e->time);
	put_number(&w, e->index);
	put_number(&w, m->number);
	put_number(&w, m->depth);
	put_number(&w, arg_count(e));
	for (uint32_t i = 0; i < arg_count(e); i++)
		put_number(&w, e->args[i]);
	put_text(&w, has_data(e) ? (struct norn_wire_text){(const char *)e->data, e->size} : (struct norn_wire_text){0});
	put_text(&w, m->name);
	put_clock(&w, m);
	return frame_end(&w, to, NORN_WIRE_EVENT);
}

static unsigned ops_of(unsigned kind)
{
	switch (kind) {
	case NORN_EVENT_SYNC:
		return NORN_SYNC_OPS;
	case NORN_EVENT_THREAD:
		return NORN_THREAD_OPS;
	case NORN_EVENT_ALLOC:
		return NORN_ALLOC_OPS;
	case NORN_EVENT_MARK:
		return NORN_MARK_OPS;
	default:
		return NORN_RANGE_FREE + 1;
	}
}

static bool get_entry(struct reader *r, struct norn_wire_clock *entry)
{
	uint64_t step = get_u32(r), count = get_up_to(r, INT32_MAX), thread = entry->thread + step;
	if (!r->at || count == 0 || (step == 0 && entry->count) || thread >= NORN_THREADS)
		return false;
	*entry = (struct norn_wire_clock){(uint32_t)thread, (uint32_t)count};
	return true;
}

/* What is left of r is the clock. */
static bool get_clock(struct reader *r, struct norn_wire_event *m)
{
	struct norn_wire_clock entry = {0};
	bool own = false;
	m->entries = (uint32_t)get_up_to(r, NORN_WIRE_CLOCK_MAX);
	const uint8_t *start = r->at;
	for (uint32_t i = 0; i < m->entries && r->at; i++) {
		if (!get_entry(r, &entry))
			return false;
		own |= entry.thread == m->event.thread;
	}
	if (finish(r) < 0 || !own)
		return false;
	m->clock_bytes = (struct norn_wire_text){(const char *)start, (size_t)(r->end - start)};
	return true;
}

static bool data_valid(const struct norn_event *e, struct norn_wire_text data)
{
	bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
	return data.length == 0 || (access && e->size > 8 && data.length == e->size);
}

int norn_wire_get_event(struct norn_wire_text payload, struct norn_wire_event *ret)
{
	struct reader r = reader_of(payload);
	struct norn_wire_event m = {.event = {.known = true}};
	struct norn_event *e = &m.event;
	e->kind = (uint8_t)get_up_to(&r, NORN_EVENT_KINDS - 1);
	e->op = (uint8_t)get_up_to(&r, ops_of(e->kind) - 1);
	e->thread = (uint32_t)get_up_to(&r, NORN_THREADS - 1);
	e->site = get_u32(&r);
	e->call_site = get_u32(&r);
	e->addr = get_number(&r);
	e->size = get_number(&r);
	e->value = get_number(&r);
	e->argument = get_number(&r);
	e->time = get_number(&r);
	e->index = get_number(&r);
	m.number = get_number(&r);
	m.depth = get_u32(&r);
	e->count = (uint32_t)get_up_to(&r, NORN_DECODE_ARGS);
	for (uint32_t i = 0; i < e->count && r.at; i++)
		m.args[i] = get_number(&r);
	struct norn_wire_text data = get_text(&r, NORN_WIRE_SMALL);
	m.name = get_text(&r, NORN_WIRE_SMALL);
	if (!r.at || e->kind == 0 || !data_valid(e, data) || !get_clock(&r, &m))
		return -EBADMSG;
	if (e->count && e->kind != NORN_EVENT_ENTER && e->kind != NORN_EVENT_LEAVE)
		return -EBADMSG;
	e->data = data.length ? (const uint8_t *)data.bytes : NULL;
	*ret = m;
	ret->event.args = e->count ? ret->args : NULL;
	return 0;
}

bool norn_wire_next_clock(struct norn_wire_text *rest, struct norn_wire_clock *entry)
{
	struct reader r = reader_of(*rest);
	return advance(rest, &r, rest->length && get_entry(&r, entry));
}

size_t norn_wire_put_lost(void *to, size_t room, const struct norn_wire_lost *m)
{
	struct writer w = frame_begin(to, room);
	put_number(&w, m->thread);
	put_number(&w, m->first);
	put_number(&w, m->count);
	return frame_end(&w, to, NORN_WIRE_LOST);
}

int norn_wire_get_lost(struct norn_wire_text payload, struct norn_wire_lost *ret)
{
	struct reader r = reader_of(payload);
	struct norn_wire_lost m = {.thread = (uint32_t)get_up_to(&r, NORN_THREADS - 1)};
	m.first = get_up_to(&r, INT32_MAX);
	m.count = get_up_to(&r, INT32_MAX);
	if (finish(&r) < 0 || m.first == 0 || m.count == 0)
		return -EBADMSG;
	*ret = m;
	return 0;
}

size_t norn_wire_put_end(void *to, size_t room, const struct norn_wire_end *m)
{
	struct writer w = frame_begin(to, room);
	put_number(&w, m->thread);
	put_number(&w, m->count);
	put_number(&w, m->entered);
	return frame_end(&w, to, NORN_WIRE_END);
}

int norn_wire_get_end(struct norn_wire_text payload, struct norn_wire_end *ret)
{
	struct reader r = reader_of(payload);
	struct norn_wire_end m = {.thread = (uint32_t)get_up_to(&r, NORN_THREADS - 1)};
	m.count = get_up_to(&r, INT32_MAX);
	m.entered = get_u32(&r);
	if (finish(&r) < 0)
		return -EBADMSG;
	*ret = m;
	return 0;
}

size_t norn_wire_put_bye(void *to, size_t room, const struct norn_wire_bye *m)
{
	struct writer w = frame_begin(to, room);
	put_number(&w, m->events);
	put_number(&w, m->lost);
	put_number(&w, m->seen);
	put_number(&w, m->late);
	put_number(&w, m->unrecorded);
	put_number(&w, m->threads);
	put_number(&w, (uint32_t)m->status);
	return frame_end(&w, to, NORN_WIRE_BYE);
}

int norn_wire_get_bye(struct norn_wire_text payload, struct norn_wire_bye *ret)
{
	struct reader r = reader_of(payload);
	struct norn_wire_bye m = {.events = get_number(&r)};
	m.lost = get_number(&r);
	m.seen = get_number(&r);
	m.late = get_number(&r);
	m.unrecorded = get_number(&r);
	m.threads = get_u32(&r);
	m.status = (int32_t)get_u32(&r);
	if (finish(&r) < 0)
		return -EBADMSG;
	*ret = m;
	return 0;
}

size_t norn_wire_put_wait(void *to, size_t room, const struct norn_wire_wait *m)
{
	struct writer w = frame_begin(to, room);
	put_number(&w, m->thread);
	put_number(&w, m->joined);
	put_number(&w, m->count);
	return frame_end(&w, to, NORN_WIRE_WAIT);
}

int norn_wire_get_wait(struct norn_wire_text payload, struct norn_wire_wait *ret)
{
	struct reader r = reader_of(payload);
	struct norn_wire_wait m = {.thread = (uint32_t)get_up_to(&r, NORN_THREADS - 1)};
	m.joined = (uint32_t)get_up_to(&r, NORN_THREADS - 1);
	m.count = get_up_to(&r, INT32_MAX);
	if (finish(&r) < 0 || m.thread == m.joined)
		return -EBADMSG;
	*ret = m;
	return 0;
}
